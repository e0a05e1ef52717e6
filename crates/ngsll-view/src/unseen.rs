//! Samples unlike those that a model learned from: values of a table, texts without a known word or longer than
//! a model reads.

use ngsll::generator::Generator;
use ngsll::representation::UnseenCells;
use ngsll::{Evidence, Model, Samples};
use std::collections::BTreeMap;

/// The number of rows from which on a column without any value is reported.
const SEVERAL: usize = 10;

/// Counts the cells whose level the model never saw in training or whose number is far outside the training range, by
/// column, missing values where there were none, samples without any known feature, and texts of which it reads
/// the beginning only.
#[derive(Debug, Default)]
pub struct UnseenValues {
    columns: BTreeMap<String, UnseenCells>,
    /// Whether a column is a feature, even if its value is a new one.
    are_read: bool,
    /// Samples without a known word or value.
    nothing_known: usize,
    are_texts: bool,
    /// Texts that are longer than the model reads.
    cut: usize,
    /// Tokens that it reads.
    max_tokens: usize,
}

impl UnseenValues {
    /// The findings in samples that arrive together, as sentences.
    pub fn sentences_about<G: Generator>(model: &Model<G>, samples: &Samples) -> Vec<String> {
        let mut unseen = Self::default();
        unseen.add(model, samples);
        unseen.sentences(samples.len())
    }

    /// Counts those of some samples.
    pub fn add<G: Generator>(&mut self, model: &Model<G>, samples: impl AsRef<Samples>) {
        let (samples, representation) = (samples.as_ref(), model.representation());
        self.are_read = model.evidence() == Evidence::Chosen;
        if let Some(cut) = representation.cut_texts(samples) {
            self.are_texts = true;
            self.cut += cut.texts;
            self.max_tokens = cut.tokens;
        }
        let unknown = |row: &usize| representation.knows_nothing_of(samples, *row);
        self.nothing_known += (0..samples.len()).filter(unknown).count();
        for found in representation.unseen(samples) {
            let counts = self.columns.entry(found.column.clone()).or_default();
            counts.levels += found.levels;
            counts.far_outside += found.far_outside;
            counts.missing += found.missing;
            counts.never_missing = found.never_missing;
        }
    }

    /// The findings in `rows` rows, a sentence for each column and kind, and for texts of each kind.
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
            if counts.never_missing && counts.missing > 0 {
                sentences.push(format!(
                    "column {name:?} has no value in {} of {rows} rows, which it always had in training; predictions are made without it there",
                    counts.missing
                ));
            } else if rows >= SEVERAL && counts.missing == rows {
                sentences.push(format!("column {name:?} is empty in all {rows} rows"));
            }
        }
        sentences.extend(self.about_nothing(rows));
        sentences.extend(self.about_cut_texts(rows));
        sentences
    }

    /// The sentence about texts that are longer than the model reads.
    fn about_cut_texts(&self, rows: usize) -> Option<String> {
        let most = self.max_tokens;
        let which = match (self.cut, rows) {
            (0, _) => return None,
            (_, 1) => "the text is".to_string(),
            (1, _) => format!("1 of {rows} texts is"),
            (cut, _) => format!("{cut} of {rows} texts are"),
        };
        Some(format!("{which} longer than {most} tokens; only the first {most} are read"))
    }

    /// The sentence about samples of which nothing is known.
    fn about_nothing(&self, rows: usize) -> Option<String> {
        let answer = "the model's answer when nothing is known";
        Some(match (self.nothing_known, self.are_texts) {
            (0, _) => return None,
            (_, true) if rows == 1 => {
                format!("the model knows no word of this text: this is {answer}")
            }
            (_, false) if rows == 1 => {
                format!("the model knows no value of this row: this is {answer}")
            }
            (count, true) => {
                format!(
                    "{count} of {rows} texts have no word that the model knows: they get {answer}"
                )
            }
            (count, false) => {
                format!(
                    "{count} of {rows} rows have no value that the model knows: they get {answer}"
                )
            }
        })
    }
}
