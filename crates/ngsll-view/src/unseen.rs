//! What of samples a model never saw: values of a table, texts without a known word.

use ngsll::generator::Generator;
use ngsll::{Evidence, Model, Samples};
use std::collections::BTreeMap;

/// Counts the cells whose level the model never saw in training, by column, and texts of which it knows nothing.
#[derive(Debug, Default)]
pub struct UnseenValues {
    columns: BTreeMap<String, usize>,
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
        for (name, count) in representation.unseen(samples) {
            *self.columns.entry(name).or_default() += count;
        }
    }

    /// What was found in `rows` rows, a sentence for each column, and one for texts.
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
        let (count, answer) = (self.nothing_known, "the model's answer with nothing known");
        let texts = match (count, rows) {
            (0, _) => None,
            (_, 1) => Some(format!("no word of the text is known to the model: this is {answer}")),
            _ => Some(format!(
                "{count} of {rows} texts have no word that is known to the model: they get {answer}"
            )),
        };
        self.columns.iter().map(sentence).chain(texts).collect()
    }
}
