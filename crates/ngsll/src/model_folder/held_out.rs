//! The training data as a checksum; and `test_rows.json`, the rows of them that were set aside for measuring
//! later.

use crate::checksum::with_length;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::representation::Schema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Optional: absent if no rows were set aside.
pub(super) const TEST_ROWS: &str = "test_rows.json";

/// A fingerprint of the training data that reveals nothing of their content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest {
    /// The number of all rows.
    samples: usize,
    /// SHA-256 of the part that the model reads, labels included.
    sha256: String,
}

impl DataDigest {
    /// The digest of the data that a model of this schema was trained on.
    pub fn new(data: &Dataset, schema: &Schema) -> Self {
        Self { samples: data.len(), sha256: digest(data, schema) }
    }

    /// Whether these are the same data.
    pub fn is_of(&self, data: &Dataset, schema: &Schema) -> bool {
        data.len() == self.samples && digest(data, schema) == self.sha256
    }
}

/// Rows of the training data that training did not see, and a checksum of that data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTestRows")]
pub struct TestRows {
    #[serde(flatten)]
    data: DataDigest,
    /// The rows, counted from 0.
    rows: Vec<usize>,
}

/// As it is read: a flattened field would make serde keep whatever else a stranger's file holds.
#[derive(Deserialize)]
struct StoredTestRows {
    samples: usize,
    sha256: String,
    rows: Vec<usize>,
}

impl From<StoredTestRows> for TestRows {
    fn from(StoredTestRows { samples, sha256, rows }: StoredTestRows) -> Self {
        Self { data: DataDigest { samples, sha256 }, rows }
    }
}

impl TestRows {
    /// The given rows of the data that a model of this schema was trained on; `None` without any.
    pub fn new(rows: &[usize], data: &Dataset, schema: &Schema) -> Option<Self> {
        (!rows.is_empty())
            .then(|| Self { data: DataDigest::new(data, schema), rows: rows.to_vec() })
    }

    /// Whether the rows are among the samples.
    pub(super) fn is_possible(&self) -> bool {
        self.rows.iter().all(|&row| row < self.data.samples)
    }

    /// The rows, counted from 0.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The rows of `data`, which must be the training data as the model reads them.
    pub fn select(&self, data: &Dataset, schema: &Schema) -> Result<Dataset> {
        if data.len() != self.data.samples {
            let message = format!(
                "there are {} samples, but the model was trained on {}; test rows can only be found in the training data",
                data.len(),
                self.data.samples
            );
            return Err(data.source().error(message));
        }
        if !self.data.is_of(data, schema) {
            let message = "these are not the samples that the model was trained on; test rows can only be found in the training data";
            return Err(data.source().error(message));
        }
        Ok(data.select(&self.rows))
    }
}

/// SHA-256 of the part of the data that a model of this schema reads, and of the labels.
fn digest(data: &Dataset, schema: &Schema) -> String {
    let mut hash = Sha256::new();
    for label in (0..data.len()).map(|row| data.label(row).unwrap_or_default()) {
        with_length(label, |bytes| hash.update(bytes));
    }
    let columns = schema.columns().iter().map(|column| column.name.as_str());
    data.samples().bytes(columns, |_, bytes| hash.update(bytes));
    format!("{:x}", hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{CellForm, Column, Table};
    use crate::representation::{ColumnDomain, ColumnSchema};

    /// Folders hold checksums of long ago. In Python, with `t(s)` for `pack("<Q", len(s)) + s`: `sha256(t("no") +
    /// t("yes") + t("no") + pack("<d", 1.5) + 8 * b"\xff" + pack("<d", -2) + b"\1" + t("red") + b"\0" + t("") +
    /// b"\1" + t(""))`.
    #[test]
    fn the_checksum_of_a_table_is_what_it_was() {
        let table = Table::new([
            Column::numeric("unread", [7.0, 8.0, 9.0]).unwrap(),
            Column::numeric("size", [1.5, f64::NAN, -2.0]).unwrap(),
            Column::categorical("colour", [Some("red"), None, Some("")]),
        ]);
        let data = Dataset::table(table.unwrap(), ["no", "yes", "no"]).unwrap();
        let column = |name: &str| ColumnSchema {
            name: name.to_string(),
            domain: ColumnDomain::Categorical { levels: Vec::new() },
            form: CellForm::default(),
            complete: false,
            has_effect: true,
        };
        let schema = Schema::Table(vec![column("size"), column("colour"), column("not there")]);
        let expected = "6d42989cbcd22d166b5fa989da34525fe4baf5f98245b979662c86f441d49d70";
        assert_eq!(digest(&data, &schema), expected);
    }

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
