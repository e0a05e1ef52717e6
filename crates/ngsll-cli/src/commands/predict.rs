//! `ngsll predict`

use crate::args::{PredictArgs, PredictFormat};
use crate::asked_samples::{self, AskedSamples};
use crate::output::{JsonArray, Output, extension};
use crate::progress::RowProgress;
use crate::sample_csv::SampleCsv;
use crate::sample_parquet::{CellKind, ParquetCell, SampleParquet};
use crate::samples::SampleId;
use anyhow::Result;
use ngsll::Prediction;
use ngsll::objective::Objective;
use ngsll_readers::LabelUse;
use serde::Serialize;
use std::ops::ControlFlow;

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
    let model = asked_samples::model(&args.question)?;
    let mut samples = AskedSamples::open(&model, &args.question, LabelUse::Ignored)?;
    let out = Output::open(args.out.as_deref())?;
    let progress = RowProgress::new(out.is_terminal());
    let mut writer = Writer::new(format(args), model.objective(), out)?;
    samples.each_chunk(progress, |chunk, first| {
        for (i, prediction) in model.predict_with(chunk, args.question.k)?.iter().enumerate() {
            let nothing_known = model.representation().knows_nothing_of(chunk.samples(), i);
            writer.add(SampleId::new(chunk, i, first + i), prediction, nothing_known)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    writer.finish()?;
    samples.warn();
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
