//! Remarks on standard error about data that a user may want to look at.

use crate::output::tell;
use ngsll::Predictor;
use ngsll::data::{Chunk, Samples, Values};
use ngsll::objective::{Objective, Targets};
use ngsll::representation::Representation;
use std::collections::BTreeMap;

/// Counts cells whose level the model never saw, over all chunks of a file.
#[derive(Default)]
pub struct Unseen(BTreeMap<String, usize>);

impl Unseen {
    /// Counts those of a chunk.
    pub fn add(&mut self, predictor: &Predictor, samples: &Samples) {
        if let (Representation::Columns(columns), Samples::Table(table)) =
            (predictor.representation(), samples)
        {
            for (name, count) in columns.unseen(table) {
                *self.0.entry(name).or_default() += count;
            }
        }
    }

    /// Says what was found, of `rows` rows.
    pub fn say(&self, rows: usize) {
        self.lines(rows).iter().for_each(|line| tell(format_args!("note: {line}")));
    }

    /// What was found, of `rows` rows, a sentence for each column.
    pub fn lines(&self, rows: usize) -> Vec<String> {
        let line = |(name, count): (&String, &usize)| {
            format!(
                "column {name:?} holds values that training never saw in {count} of {rows} rows; they are left out"
            )
        };
        self.0.iter().map(line).collect()
    }
}

/// Training data that looks like a slip: a class of one sample, a column of names or ids.
pub fn training(chunk: &Chunk, objective: &Objective, targets: &Targets) -> Vec<String> {
    let mut notes = Vec::new();
    if let Targets::Classes(classes) = targets {
        for (c, name) in objective.classes().iter().enumerate() {
            let mut rows = (0..classes.len()).filter(|&row| classes[row] == c);
            if let (Some(row), None) = (rows.next(), rows.next()) {
                let place = chunk.place(row);
                notes.push(format!(
                    "note: the class {name:?} has one sample only, {place}; is that a header?"
                ));
            }
        }
    }
    if let Samples::Table(table) = &chunk.samples {
        for column in &table.columns {
            if let Values::Categorical { levels, .. } = &column.values
                && levels.len() > 50
                && 2 * levels.len() > chunk.len()
            {
                let (name, n) = (&column.name, levels.len());
                notes.push(format!(
                    "note: column {name:?} has {n} different values in {} rows; if they are names or ids, \
                     leave it out with --set 'data.drop=[{name:?}]'",
                    chunk.len()
                ));
            }
        }
    }
    notes
}
