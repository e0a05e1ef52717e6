//! Values of a table that a model never saw.

use ngsll::generator::Generator;
use ngsll::{Evidence, Model, Samples};
use std::collections::BTreeMap;

/// Counts the cells whose level the model never saw in training, by column.
#[derive(Debug, Default)]
pub struct UnseenValues {
    columns: BTreeMap<String, usize>,
    /// Whether a column is a feature, also where its value is a new one.
    are_read: bool,
}

impl UnseenValues {
    /// Counts those of some samples; only tables have any.
    pub fn add<G: Generator>(&mut self, model: &Model<G>, samples: impl AsRef<Samples>) {
        self.are_read = model.evidence() == Evidence::Chosen;
        for (name, count) in model.representation().unseen(samples.as_ref()) {
            *self.columns.entry(name).or_default() += count;
        }
    }

    /// What was found in `rows` rows, a sentence for each column.
    pub fn sentences(&self, rows: usize) -> Vec<String> {
        let what = match self.are_read {
            true => "they are read as none of the known ones",
            false => "they are left out",
        };
        let sentence = |(name, count): (&String, &usize)| {
            format!(
                "column {name:?} holds values that training never saw in {count} of {rows} rows; {what}"
            )
        };
        self.columns.iter().map(sentence).collect()
    }
}
