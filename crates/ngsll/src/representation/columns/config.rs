//! Options for the columns of tables.

use crate::config::option_table;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How features are made from tables. Table of options: [`ColumnsConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ColumnsConfig {
    /// Bins at the quantiles of all values.
    pub bins: usize,
    /// Bins at the quantiles of the distinct values.
    pub distinct_bins: usize,
    /// The most levels of a categorical column that become features, the most frequent first.
    pub max_levels: usize,
}

option_table! {
    ColumnsConfig:
    (
        "bins",
        "64 (evidence whole: 32), fewer for few rows",
        "bins of a number, at the quantiles of its values",
        "a whole number of at least 0",
    ),
    (
        "distinct_bins",
        "128 (evidence whole: 32), fewer for few rows",
        "more bins at the quantiles of its distinct values, for heavy tails and columns that are mostly zero",
        "a whole number of at least 0",
    ),
    (
        "max_levels",
        "256",
        "levels of a categorical column that are features, the most frequent first",
        "a whole number of at least 1",
    ),
}

/// More bins or levels of a column are typing errors.
const LARGEST: usize = 65_536;

impl Default for ColumnsConfig {
    fn default() -> Self {
        Self { bins: 64, distinct_bins: 128, max_levels: 256 }
    }
}

impl ColumnsConfig {
    /// Refuses categorical columns without levels, and sizes that are typing errors.
    pub(in crate::representation) fn check(&self) -> Result<()> {
        for (name, size, least) in [
            ("bins", self.bins, 0),
            ("distinct_bins", self.distinct_bins, 0),
            ("max_levels", self.max_levels, 1),
        ] {
            if !(least..=LARGEST).contains(&size) {
                let expected = format!("expected a whole number from {least} to {LARGEST}");
                return Err(Error::setting(format!("representation.{name}"), size, expected));
            }
        }
        Ok(())
    }
}
