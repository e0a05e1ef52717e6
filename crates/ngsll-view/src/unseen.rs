//! What of samples is unlike what a model learned from: values of a table, texts without a known word.

use ngsll::generator::Generator;
use ngsll::representation::UnseenCells;
use ngsll::{Evidence, Model, Samples};
use std::collections::BTreeMap;

/// Rows from which on a column without any value is worth a word.
const SEVERAL: usize = 10;

/// Counts the cells whose level the model never saw in training or whose number is far outside what it saw, by
/// column, and texts of which it knows nothing.
#[derive(Debug, Default)]
pub struct UnseenValues {
    columns: BTreeMap<String, UnseenCells>,
    /// Whether a column is a feature, also where its value is a new one.
    are_read: bool,
    /// Texts without a known word.
    nothing_known: usize,
}

impl UnseenValues {
    /// Counts those of some samples.
    pub fn add<G: Generator>(&mut self, model: &Model<G>, samples: impl AsRef<Samples>) {
        let (samples, representation) = (samples.as_ref(), model.representation());
        self.are_read = model.evidence() == Evidence::Chosen;
        let unknown = |row: &usize| representation.knows_nothing_of(samples, *row);
        self.nothing_known += (0..samples.len()).filter(unknown).count();
        for found in representation.unseen(samples) {
            let counts = self.columns.entry(found.column.clone()).or_default();
            counts.levels += found.levels;
            counts.far_outside += found.far_outside;
            counts.missing += found.missing;
        }
    }

    /// What was found in `rows` rows, a sentence for each column and kind, and one for texts.
    pub fn sentences(&self, rows: usize) -> Vec<String> {
        let new = match self.are_read {
            true => "they are read as unknown levels",
            false => "they are left out",
        };
        let mut sentences = Vec::new();
        for (name, counts) in &self.columns {
            if counts.levels > 0 {
                sentences.push(format!(
                    "column {name:?} has values that training never saw in {} of {rows} rows; {new}",
                    counts.levels
                ));
            }
            if counts.far_outside > 0 {
                sentences.push(format!(
                    "column {name:?} has numbers far outside the training range in {} of {rows} rows; predictions from them are guesses",
                    counts.far_outside
                ));
            }
            if rows >= SEVERAL && counts.missing == rows {
                sentences.push(format!("column {name:?} is empty in all {rows} rows"));
            }
        }
        let (count, answer) = (self.nothing_known, "the model's answer when nothing is known");
        if count > 0 && rows == 1 {
            let text = "the model knows no word of this text";
            sentences.push(format!("{text}: this is {answer}"));
        } else if count > 0 {
            sentences.push(format!(
                "{count} of {rows} texts have no word that the model knows: they get {answer}"
            ));
        }
        sentences
    }
}
