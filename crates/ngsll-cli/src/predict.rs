//! `ngsll predict`

use crate::args::{PredictArgs, PredictFormat};
use crate::output::{JsonArray, Output, csv_field};
use crate::progress::RowProgress;
use anyhow::Result;
use ngsll::Predictor;
use ngsll::data::Labels;
use ngsll::explanation::Prediction;
use ngsll::objective::Objective;
use serde::Serialize;
use std::io::Write;

/// Samples held in memory at a time.
pub const CHUNK: usize = 1024;

#[derive(Serialize)]
struct Line<'a> {
    row: usize,
    prediction: &'a Prediction,
}

pub fn run(args: &PredictArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    predictor.check_k(args.k)?;
    let like = Some(predictor.representation());
    let mut reader = predictor.config().open(&args.data, None, Labels::Ignored, like)?;
    let mut out = Output::open(args.out.as_deref())?;
    let mut json = JsonArray::default();
    if args.format == PredictFormat::Csv {
        writeln!(out, "{}", header(predictor.objective()))?;
    }
    let progress = RowProgress::new(out.is_terminal());
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        progress.add(chunk.len());
        for explanation in predictor.explain(&chunk.samples, args.k)? {
            let prediction = &explanation.prediction;
            match args.format {
                PredictFormat::Csv => writeln!(out, "{row},{}", csv_line(prediction))?,
                PredictFormat::Json => json.push(&mut out, &Line { row, prediction })?,
            }
            row += 1;
        }
    }
    progress.finish();
    if row == 0 {
        return Err(empty(&args.data));
    }
    if args.format == PredictFormat::Json {
        json.finish(&mut out)?;
    }
    out.finish()
}

/// The error for a file without samples.
pub fn empty(path: &std::path::Path) -> anyhow::Error {
    ngsll::error::Place::file(path).error("it holds no samples, expected at least one").into()
}

fn header(objective: &Objective) -> String {
    match objective {
        Objective::Regression { target, .. } => format!("row,{}", csv_field(target)),
        _ => {
            let names = objective.classes().iter().map(|c| csv_field(&format!("p({c})")));
            format!("row,prediction,{}", names.collect::<Vec<_>>().join(","))
        }
    }
}

fn csv_line(prediction: &Prediction) -> String {
    match prediction {
        Prediction::Value(value) => value.to_string(),
        Prediction::Class { label, probabilities } => {
            let numbers: Vec<String> = probabilities.iter().map(|p| format!("{p:.6}")).collect();
            format!("{},{}", csv_field(label), numbers.join(","))
        }
    }
}
