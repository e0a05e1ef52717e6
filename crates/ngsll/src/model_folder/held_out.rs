//! `test_rows.json`: which rows of the training data were set aside, so that they can be measured later.

use crate::dataset::{Dataset, Samples, Values};
use crate::error::Result;
use crate::representation::Schema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Optional: a folder has none where no rows were set aside.
pub(super) const TEST_ROWS: &str = "test_rows.json";

/// Rows of the training data that training did not see, and a checksum of that data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRows {
    /// The number of all rows.
    samples: usize,
    /// SHA-256 of what the model reads of them, labels included.
    sha256: String,
    /// The rows, counted from 0.
    rows: Vec<usize>,
}

impl TestRows {
    /// The given rows of the data that a model of this schema was trained on; `None` without any.
    pub fn new(rows: &[usize], data: &Dataset, schema: &Schema) -> Option<Self> {
        (!rows.is_empty()).then(|| Self {
            samples: data.len(),
            sha256: digest(data, schema),
            rows: rows.to_vec(),
        })
    }

    /// Whether the rows are among the samples.
    pub(super) fn is_possible(&self) -> bool {
        self.rows.iter().all(|&row| row < self.samples)
    }

    /// The rows, counted from 0.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The rows of `data`, which must be the training data as the model reads them.
    pub fn select(&self, data: &Dataset, schema: &Schema) -> Result<Dataset> {
        if data.len() != self.samples {
            let message = format!(
                "there are {} samples, but the model was trained on {}; test rows can only be found in the training data",
                data.len(),
                self.samples
            );
            return Err(data.source().error(message));
        }
        if digest(data, schema) != self.sha256 {
            let message = "these are not the samples that the model was trained on; test rows can only be found in the training data";
            return Err(data.source().error(message));
        }
        Ok(data.select(&self.rows))
    }
}

/// SHA-256 of what a model of this schema reads of the data, and of the labels.
fn digest(data: &Dataset, schema: &Schema) -> String {
    let mut hash = Sha256::new();
    // The length keeps different lists of texts from giving the same bytes.
    let mut text = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    (0..data.len()).for_each(|row| text(data.label(row).unwrap_or_default()));
    match (data.samples(), schema) {
        (Samples::Texts(texts), _) => texts.iter().for_each(text),
        (Samples::Images(images), _) => {
            (0..images.len()).for_each(|row| hash.update(images.get(row)));
        }
        (Samples::Table(table), Schema::Table(columns)) => {
            for column in columns.iter().filter_map(|column| table.column(&column.name)) {
                match column.values() {
                    Values::Numeric(values) => {
                        // A missing number has several forms.
                        let bits = |v: &f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
                        values.iter().for_each(|v| hash.update(bits(v).to_le_bytes()));
                    }
                    Values::Categorical(levels) => {
                        for level in levels.iter() {
                            let text = level.unwrap_or_default();
                            hash.update([u8::from(level.is_some())]);
                            hash.update((text.len() as u64).to_le_bytes());
                            hash.update(text);
                        }
                    }
                }
            }
        }
        (Samples::Table(_), _) => {}
    }
    format!("{:x}", hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_same_data_and_of_no_other() {
        let data = |last: &str| {
            Dataset::texts(["one", "two", "three", last], ["a", "b", "a", "b"]).unwrap()
        };
        let kept = TestRows::new(&[1, 3], &data("four"), &Schema::Text).unwrap();
        let found = kept.select(&data("four"), &Schema::Text).unwrap();
        assert_eq!(found, Dataset::texts(["two", "four"], ["b", "b"]).unwrap());
        let error = |data: &Dataset| kept.select(data, &Schema::Text).unwrap_err().to_string();
        assert!(error(&data("five")).starts_with("the data: these are not the samples"));
        let fewer = data("four").select(&[0, 1, 2]);
        assert!(
            error(&fewer)
                .starts_with("the data: there are 3 samples, but the model was trained on 4")
        );
        assert_eq!(TestRows::new(&[], &data("four"), &Schema::Text), None);
    }
}
