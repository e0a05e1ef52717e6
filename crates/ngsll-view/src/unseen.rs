//! Values of a table that a model never saw.

use ngsll::generator::Generator;
use ngsll::{Model, Samples};
use std::collections::BTreeMap;

/// Counts the cells whose level the model never saw in training, by column.
#[derive(Debug, Default)]
pub struct UnseenValues(BTreeMap<String, usize>);

impl UnseenValues {
    /// Counts those of some samples; only tables have any.
    pub fn add<G: Generator>(&mut self, model: &Model<G>, samples: impl AsRef<Samples>) {
        for (name, count) in model.representation().unseen(samples.as_ref()) {
            *self.0.entry(name).or_default() += count;
        }
    }

    /// What was found in `rows` rows, a sentence for each column.
    pub fn sentences(&self, rows: usize) -> Vec<String> {
        let sentence = |(name, count): (&String, &usize)| {
            format!(
                "column {name:?} holds values that training never saw in {count} of {rows} rows; they are left out"
            )
        };
        self.0.iter().map(sentence).collect()
    }
}
