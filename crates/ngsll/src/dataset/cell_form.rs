//! How the cells of a column are written, where plain numbers and texts are not all there is.

use super::{DateForm, DecimalMark};
use serde::{Deserialize, Serialize};

/// What training found, or was told, about the way a column's cells are written; new data is read the
/// same way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CellForm {
    /// The decimal mark of numbers such as `1.234`, which do not tell by themselves.
    #[serde(skip_serializing_if = "DecimalMark::is_point")]
    pub decimal: DecimalMark,
    /// Words that stand for a missing value, in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_words: Vec<String>,
    /// The sign that its numbers are written with, such as € or %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<char>,
    /// The column of dates that the column was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<DateForm>,
}

impl CellForm {
    /// Whether nothing is special.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a trimmed text is one of the words for a missing value.
    pub fn is_missing(&self, text: &str) -> bool {
        self.missing_words.iter().any(|word| word.eq_ignore_ascii_case(text))
    }
}
