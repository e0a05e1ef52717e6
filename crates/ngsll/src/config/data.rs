//! The location of the samples, how they are read and how they are split.

use super::{ColumnConfig, ImageConfig};
use crate::config::option_table;
use crate::dataset::{ColumnKind, DecimalMark, Groups};
use crate::error::{Error, Result};
use crate::representation::Monotone;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The number of examples kept where the options do not give one: one of each digit.
const EXAMPLES: usize = 10;

/// The location of the samples and how they are read. Table of options: [`DataConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct DataConfig {
    /// The training file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The labels of IDX images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<PathBuf>,
    /// Validation samples, for early stopping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<PathBuf>,
    /// The share of the training samples used for validation when `valid` is not given.
    pub valid_fraction: f64,
    /// The share of the samples that training never sees.
    pub test_fraction: f64,
    /// The column to predict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The column with the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How image files are brought to one size. If absent, new models use the defaults, and models trained
    /// before the option existed read images as they did then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageConfig>,
    /// Labels to merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Groups>,
    /// Kinds of table columns where the content would mislead, and monotone columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, ColumnConfig>,
    /// Table columns that are not used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// The column that identifies a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Words that mean a missing value in any column of a table; if absent, the usual words, and rare ones
    /// among numbers, do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_words: Option<Vec<String>>,
    /// The decimal mark of numbers such as `1.234` in a table; if absent, its other numbers decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<DecimalMark>,
    /// Whether 01/02/2024 is 2 January; if absent, the other dates of the column decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month_first: Option<bool>,
    /// Table columns that are used although they look like ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Table columns whose use is always reported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// The table column with the weight of each row in training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Validation samples that the model folder keeps; ten if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<usize>,
    /// Whether the model folder keeps counts over the training data.
    #[serde(skip_serializing_if = "is_true")]
    pub summary: bool,
}

option_table! {
    DataConfig:
    ("path", "must be given", "the training file or folder", "a path"),
    ("labels", "the file beside the images", "the labels of IDX images", "a path"),
    ("valid", "a share of the data", "validation samples, for early stopping", "a path"),
    ("valid_fraction", "0.1", "share used for validation when `data.valid` is not given", "a number from 0 to below 1"),
    (
        "test_fraction",
        "0",
        "share held out from training and measured at the end",
        "a number from 0 to below 1",
    ),
    (
        "target",
        "a column called label, class, target or y; for tables it must be given",
        "the column to predict",
        "the name of a column",
    ),
    (
        "text",
        "a column called text, sentence, review or the like, also `review_text`, or the only one left",
        "the column that holds the text",
        "the name of a column",
    ),
    (
        "group",
        "none",
        "labels to merge, such as `0-4=low,5-9=high`",
        "groups of labels, such as 0-4=low,5-9=high",
    ),
    (
        "columns",
        "by content",
        "the kind of each table column: `data.columns.zip=categorical`; and the direction in which the score may move as a value rises: `data.columns.income.monotone=up`",
        "numeric, categorical or date, by the name of the column",
    ),
    ("drop", "none", "table columns to leave out", "a list of column names"),
    (
        "keep",
        "none",
        "table columns to use although they look like ids",
        "a list of column names",
    ),
    (
        "protected",
        "none",
        "table columns whose use is always reported: `evaluate` says in how many predictions",
        "a list of column names",
    ),
    (
        "weights",
        "1 for every row",
        "the table column with the weight of each row in training; it is not a feature",
        "the name of a column",
    ),
    (
        "id",
        "none",
        "the column that identifies a row: it is not a feature, but it appears in results",
        "the name of a column",
    ),
    (
        "missing_words",
        "common ones, and rare ones among numbers",
        "the words, and no others, that mean a missing value in any column of a table",
        "a list of words",
    ),
    ("decimal", "by content", "what `1.234` and `1,234` mean in a table", "point or comma"),
    ("month_first", "by content", "whether 01/02/2024 is 2 January", "true or false"),
    (
        "examples",
        "10",
        "number of validation samples that the model folder keeps as examples for the page; 0 keeps none",
        "a whole number of at least 0",
    ),
    (
        "summary",
        "true",
        "whether the model folder keeps counts over the training data, for `ngsll drift` to compare with",
        "true or false",
    ),
}

/// Options added later are written only where they differ from the default: records of experiments are identified
/// by the options as they are written.
fn is_true(value: &bool) -> bool {
    *value
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            path: None,
            labels: None,
            valid: None,
            valid_fraction: 0.1,
            test_fraction: 0.0,
            target: None,
            text: None,
            image: None,
            group: None,
            columns: BTreeMap::new(),
            drop: Vec::new(),
            id: None,
            missing_words: None,
            decimal: None,
            month_first: None,
            keep: Vec::new(),
            protected: Vec::new(),
            weights: None,
            examples: None,
            summary: true,
        }
    }
}

impl DataConfig {
    /// The number of validation samples that the model folder keeps.
    pub fn examples(&self) -> usize {
        self.examples.unwrap_or(EXAMPLES)
    }

    /// The kinds of columns that the options give.
    pub fn column_kinds(&self) -> BTreeMap<String, ColumnKind> {
        let kind = |(name, column): (&String, &ColumnConfig)| Some((name.clone(), column.kind?));
        self.columns.iter().filter_map(kind).collect()
    }

    /// The monotone columns.
    pub(crate) fn monotone(&self) -> BTreeMap<String, Monotone> {
        let direction =
            |(name, column): (&String, &ColumnConfig)| Some((name.clone(), column.monotone?));
        self.columns.iter().filter_map(direction).collect()
    }

    /// The name of the target in messages and explanations.
    pub fn target_name(&self) -> &str {
        self.target.as_deref().unwrap_or("label")
    }

    /// The shares of the samples for validation, test and training; the first is 0 where the validation
    /// samples are `given`.
    pub(crate) fn shares(&self, given: bool) -> Result<[f64; 3]> {
        let valid = if given { 0.0 } else { self.valid_fraction };
        let test = self.test_fraction;
        for (name, share) in [("data.valid_fraction", valid), ("data.test_fraction", test)] {
            if !(0.0..1.0).contains(&share) {
                return Err(Error::setting(name, share, "expected a share from 0 to below 1"));
            }
        }
        let train = 1.0 - valid - test;
        if train <= 0.0 {
            let (name, shares) =
                ("data.valid_fraction + data.test_fraction", format!("{valid} + {test}"));
            let expected = "expected a sum below 1, so that rows remain for training";
            return Err(Error::setting(name, shares, expected));
        }
        if valid == 0.0 && !given {
            let expected =
                "training needs validation samples: expected a share above 0, or a file of them";
            return Err(Error::setting("data.valid_fraction", 0, expected));
        }
        Ok([valid, test, train])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_leave_something_to_learn_from_and_to_validate() {
        let shares = |valid_fraction, test_fraction, given| {
            let config = DataConfig { valid_fraction, test_fraction, ..DataConfig::default() };
            config.shares(given).map_err(|error| error.to_string())
        };
        assert_eq!(shares(0.25, 0.25, false), Ok([0.25, 0.25, 0.5]));
        assert_eq!(shares(0.25, 0.25, true), Ok([0.0, 0.25, 0.75]));
        for (valid, test, given, expected) in [
            (1.5, 0.0, false, "data.valid_fraction = 1.5: expected a share from 0 to below 1"),
            (0.1, -0.5, false, "data.test_fraction = -0.5: expected a share from 0 to below 1"),
            (f64::NAN, 0.0, false, "data.valid_fraction = NaN: expected a share from 0 to below 1"),
            (
                0.5,
                0.5,
                false,
                "data.valid_fraction + data.test_fraction = 0.5 + 0.5: expected a sum below 1",
            ),
            (0.0, 0.1, false, "data.valid_fraction = 0: training needs validation samples"),
        ] {
            let error = shares(valid, test, given).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
