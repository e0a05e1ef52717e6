//! `ngsll predict`

use crate::args::{PredictArgs, PredictFormat};
use crate::output::{JsonArray, Output};
use crate::progress::RowProgress;
use crate::sample_csv::SampleCsv;
use crate::samples::{self, CHUNK, SampleId};
use crate::warnings;
use anyhow::Result;
use ngsll::Predictor;
use ngsll::data::Labels;
use ngsll::explanation::Prediction;
use ngsll::objective::Objective;
use ngsll_view::UnseenValues;
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    id: SampleId,
    prediction: &'a Prediction,
}

pub fn run(args: &PredictArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    predictor.check_k(args.k)?;
    let like = Some(predictor.representation());
    let mut reader = predictor.config().open(&args.data, None, Labels::Ignored, like)?;
    let out = Output::open(args.out.as_deref())?;
    let progress = RowProgress::new(out.is_terminal());
    let mut writer = Writer::new(args.format, predictor.objective(), out);
    let mut unseen = UnseenValues::default();
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        progress.add(chunk.len());
        unseen.add(&predictor, &chunk.samples);
        for (i, explanation) in predictor.explain(&chunk.samples, args.k)?.iter().enumerate() {
            writer.add(SampleId::new(&chunk, i, row), &explanation.prediction)?;
            row += 1;
        }
    }
    progress.finish();
    if row == 0 {
        return Err(samples::none_error(&args.data));
    }
    writer.finish()?;
    warnings::unseen(&unseen, row);
    Ok(())
}

/// Writes predictions in the format that was asked for.
enum Writer<'a> {
    Csv { csv: SampleCsv, objective: &'a Objective },
    Json { out: Output, array: JsonArray },
}

impl<'a> Writer<'a> {
    fn new(format: PredictFormat, objective: &'a Objective, out: Output) -> Self {
        match format {
            PredictFormat::Csv => Self::Csv { csv: SampleCsv::new(out), objective },
            PredictFormat::Json => Self::Json { out, array: JsonArray::default() },
        }
    }

    fn add(&mut self, id: SampleId, prediction: &Prediction) -> Result<()> {
        match self {
            Self::Csv { csv, objective } => {
                csv.begin(&id, || header(objective))?;
                csv.add(&id, record(prediction))
            }
            Self::Json { out, array } => array.push(out, &Line { id, prediction }),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Csv { csv, .. } => csv.finish(),
            Self::Json { mut out, array } => {
                array.finish(&mut out)?;
                out.finish()
            }
        }
    }
}

fn header(objective: &Objective) -> Vec<String> {
    match objective {
        Objective::Regression { target, .. } => vec![target.clone()],
        _ => {
            let probabilities = objective.classes().iter().map(|class| format!("p({class})"));
            std::iter::once("prediction".to_string()).chain(probabilities).collect()
        }
    }
}

fn record(prediction: &Prediction) -> Vec<String> {
    match prediction {
        Prediction::Value(value) => vec![value.to_string()],
        Prediction::Class { label, probabilities } => {
            let numbers = probabilities.iter().map(|p| format!("{:.6}", p.probability));
            std::iter::once(label.clone()).chain(numbers).collect()
        }
    }
}
