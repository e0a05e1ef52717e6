//! `ngsll predict`

use crate::args::{PredictArgs, PredictFormat};
use crate::output::{JsonArray, Output, extension};
use crate::progress::RowProgress;
use crate::sample_csv::SampleCsv;
use crate::sample_parquet::{CellKind, ParquetCell, SampleParquet};
use crate::samples::{self, CHUNK, SampleId};
use crate::stdin::Input;
use crate::warnings;
use anyhow::Result;
use ngsll::objective::Objective;
use ngsll::{Model, Prediction};
use ngsll_readers::LabelUse;
use ngsll_view::UnseenValues;
use serde::Serialize;

#[derive(Serialize)]
struct PredictionLine<'a> {
    #[serde(flatten)]
    id: SampleId,
    prediction: &'a Prediction,
    /// Whether the sample has no known feature.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_known: bool,
}

pub fn run(args: &PredictArgs) -> Result<()> {
    let asked = &args.question;
    let model = Model::load(&asked.model)?;
    model.check_k(asked.k)?;
    let config = model.config();
    let input = Input::open(&asked.data, asked.input_format, config.task, &config.data)?;
    let id = asked.id.as_deref();
    let mut reader = samples::open(&model, input.path(), None, LabelUse::Ignored, id)?;
    let out = Output::open(args.out.as_deref())?;
    let progress = RowProgress::new(out.is_terminal());
    let mut writer = Writer::new(format(args), model.objective(), out)?;
    let mut unseen = UnseenValues::default();
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        progress.add(chunk.len());
        unseen.add(&model, &chunk);
        for (i, prediction) in model.predict_with(&chunk, asked.k)?.iter().enumerate() {
            let nothing_known = model.representation().knows_nothing_of(chunk.samples(), i);
            writer.add(SampleId::new(&chunk, i, row), prediction, nothing_known)?;
            row += 1;
        }
    }
    progress.finish();
    if row == 0 {
        return Err(samples::none_error(input.path()));
    }
    writer.finish()?;
    warnings::reading(reader.as_ref());
    warnings::unseen(&unseen, row);
    Ok(())
}

/// The requested format, or the one that the file name implies.
fn format(args: &PredictArgs) -> PredictFormat {
    args.format.unwrap_or_else(|| match extension(args.out.as_deref()) {
        Some("json") => PredictFormat::Json,
        Some("parquet") => PredictFormat::Parquet,
        _ => PredictFormat::Csv,
    })
}

/// Writes predictions in the requested format.
enum Writer<'a> {
    Csv { csv: SampleCsv, objective: &'a Objective },
    Json { out: Output, array: JsonArray },
    Parquet { parquet: SampleParquet, objective: &'a Objective },
}

impl<'a> Writer<'a> {
    fn new(format: PredictFormat, objective: &'a Objective, out: Output) -> Result<Self> {
        Ok(match format {
            PredictFormat::Csv => Self::Csv { csv: SampleCsv::new(out), objective },
            PredictFormat::Json => Self::Json { out, array: JsonArray::default() },
            PredictFormat::Parquet => {
                Self::Parquet { parquet: SampleParquet::new(out)?, objective }
            }
        })
    }

    fn add(&mut self, id: SampleId, prediction: &Prediction, nothing_known: bool) -> Result<()> {
        match self {
            Self::Csv { csv, objective } => {
                csv.begin(&id, || header(objective))?;
                csv.add(&id, record(prediction))
            }
            Self::Json { out, array } => {
                array.push(out, &PredictionLine { id, prediction, nothing_known })
            }
            Self::Parquet { parquet, objective } => {
                parquet.begin(&id, || {
                    let text = usize::from(!objective.classes().is_empty());
                    let kind = |i| if i < text { CellKind::Text } else { CellKind::Number };
                    header(objective).into_iter().enumerate().map(|(i, n)| (n, kind(i))).collect()
                })?;
                parquet.add(&id, cells(prediction))
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Csv { csv, .. } => csv.finish(),
            Self::Parquet { parquet, .. } => parquet.finish(),
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
    match prediction.class() {
        Some(class) => {
            let numbers = class.probabilities().iter().map(|p| format!("{p:.6}"));
            std::iter::once(class.label().to_string()).chain(numbers).collect()
        }
        None => prediction.value().iter().map(f64::to_string).collect(),
    }
}

fn cells(prediction: &Prediction) -> Vec<ParquetCell<'_>> {
    match prediction.class() {
        Some(class) => std::iter::once(ParquetCell::Text(class.label()))
            .chain(class.probabilities().iter().map(|p| ParquetCell::Number(*p)))
            .collect(),
        None => prediction.value().into_iter().map(ParquetCell::Number).collect(),
    }
}
