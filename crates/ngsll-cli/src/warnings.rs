//! Warnings on standard error about data that a user may want to look at.

use crate::output::tell;
use ngsll::data::{Chunk, Samples, Values};
use ngsll::objective::{Objective, Targets};
use ngsll_view::UnseenValues;

/// Says which values of `rows` rows the model never saw.
pub fn unseen(unseen: &UnseenValues, rows: usize) {
    unseen.sentences(rows).iter().for_each(|line| tell(format_args!("note: {line}")));
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
