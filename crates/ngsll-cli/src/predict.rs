//! `ngsll predict`

use crate::args::{PredictArgs, PredictFormat};
use crate::notes::Unseen;
use crate::output::{JsonArray, Output};
use crate::progress::RowProgress;
use anyhow::Result;
use ngsll::Predictor;
use ngsll::data::{Chunk, Labels, Origin};
use ngsll::explanation::Prediction;
use ngsll::objective::Objective;
use ngsll_experiments::results::field;
use serde::Serialize;
use std::io::Write;

/// Samples held in memory at a time.
pub const CHUNK: usize = 1024;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    id: Id,
    prediction: &'a Prediction,
}

/// Which sample a line of the result is about.
#[derive(Serialize)]
pub struct Id {
    row: usize,
    /// The image's file, for folders of images.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl Id {
    /// Sample `i` of a chunk, which is row `row` of the data.
    pub fn new(chunk: &Chunk, i: usize, row: usize) -> Self {
        let file = match &chunk.origin {
            Origin::Files(files) => Some(files[i].display().to_string()),
            Origin::Lines { .. } => None,
        };
        Self { row, file }
    }

    /// A CSV line of the sample: its row, `columns`, and its file where it has one.
    pub fn csv(&self, columns: &str) -> String {
        let file = self.file.iter().map(|file| format!(",{}", field(file)));
        format!("{},{columns}{}", self.row, file.collect::<String>())
    }

    /// The header of such lines.
    pub fn header(&self, columns: &str) -> String {
        format!("row,{columns}{}", if self.file.is_some() { ",file" } else { "" })
    }
}

pub fn run(args: &PredictArgs) -> Result<()> {
    let predictor = Predictor::load(&args.model)?;
    predictor.check_k(args.k)?;
    let like = Some(predictor.representation());
    let mut reader = predictor.config().open(&args.data, None, Labels::Ignored, like)?;
    let mut out = Output::open(args.out.as_deref())?;
    let mut json = JsonArray::default();
    let mut unseen = Unseen::default();
    let progress = RowProgress::new(out.is_terminal());
    let mut row = 0;
    while let Some(chunk) = reader.next_chunk(CHUNK)? {
        progress.add(chunk.len());
        unseen.add(&predictor, &chunk.samples);
        for (i, explanation) in predictor.explain(&chunk.samples, args.k)?.iter().enumerate() {
            let (id, prediction) = (Id::new(&chunk, i, row), &explanation.prediction);
            match args.format {
                PredictFormat::Csv => {
                    // With the first row: a file that cannot be read leaves no header behind.
                    if row == 0 {
                        writeln!(out, "{}", id.header(&header(predictor.objective())))?;
                    }
                    writeln!(out, "{}", id.csv(&csv_line(prediction)))?;
                }
                PredictFormat::Json => json.push(&mut out, &Line { id, prediction })?,
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
    out.finish()?;
    unseen.say(row);
    Ok(())
}

/// The error for a file without samples.
pub fn empty(path: &std::path::Path) -> anyhow::Error {
    ngsll::error::Place::file(path).error("it holds no samples, expected at least one").into()
}

fn header(objective: &Objective) -> String {
    match objective {
        Objective::Regression { target, .. } => field(target),
        _ => {
            let names = objective.classes().iter().map(|c| field(&format!("p({c})")));
            format!("prediction,{}", names.collect::<Vec<_>>().join(","))
        }
    }
}

fn csv_line(prediction: &Prediction) -> String {
    match prediction {
        Prediction::Value(value) => value.to_string(),
        Prediction::Class { label, probabilities } => {
            let numbers: Vec<String> =
                probabilities.iter().map(|p| format!("{:.6}", p.probability)).collect();
            format!("{},{}", field(label), numbers.join(","))
        }
    }
}
