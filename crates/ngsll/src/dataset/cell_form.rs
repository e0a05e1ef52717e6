//! The written form of a column's cells, if they are not just plain numbers or texts.

use super::date::clock_seconds;
use super::unit_word::{common_unit, without_unit};
use super::{DateForm, DecimalMark, WrittenNumber};
use serde::{Deserialize, Serialize};

/// Signs before the end of a range.
const LIMITS: [char; 4] = ['<', '>', '≤', '≥'];

/// The written form of a column's cells, as detected in training or given by the options; new data are read the
/// same way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CellForm {
    /// The decimal mark of ambiguous numbers such as `1.234`.
    #[serde(skip_serializing_if = "DecimalMark::is_point")]
    pub decimal: DecimalMark,
    /// Words that mean a missing value, in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_words: Vec<String>,
    /// The sign or word that its numbers are written with, such as €, % or kg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether some are the end of a range, as `<0.5`, which is read as 0.5.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub limits: bool,
    /// Whether they are times such as `4:28:48`, which are read as seconds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clock: bool,
    /// The column of dates that the column was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<DateForm>,
}

impl CellForm {
    /// Whether it is the default form.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The number that a trimmed text represents in this form, if any.
    ///
    /// ```
    /// # use ngsll::dataset::{CellForm, DecimalMark};
    /// let mut form = CellForm::default();
    /// (form.unit, form.limits) = (Some("mg".into()), true);
    /// let number = form.number("< 0.5 mg").unwrap();
    /// assert_eq!((number.value(DecimalMark::Point), number.is_limit), (0.5, true));
    /// assert_eq!(form.number("5 kg"), None);
    /// ```
    pub fn number(&self, text: &str) -> Option<WrittenNumber> {
        if self.clock {
            return clock_seconds(text).map(WrittenNumber::exact);
        }
        let of_range = text.strip_prefix(LIMITS).filter(|_| self.limits);
        let own = of_range.map_or(text, |rest| rest.trim_start_matches('=').trim_start());
        let without_unit = || without_unit(own, self.unit.as_deref()?);
        let mut number =
            WrittenNumber::read(own).or_else(|| WrittenNumber::read(without_unit()?))?;
        number.is_limit = of_range.is_some();
        Some(number)
    }

    /// The written form of numbers, with the word that stands beside nearly all of them. `cells` are their distinct
    /// texts, each with the number of its cells.
    pub fn of_numbers<'a>(cells: impl Iterator<Item = (&'a str, usize)>) -> Self {
        Self { unit: common_unit(cells.map(|(text, n)| (text.trim(), n))), ..Self::default() }
    }

    /// Whether a trimmed text is one of the words for a missing value.
    pub fn is_missing(&self, text: &str) -> bool {
        self.missing_words.iter().any(|word| word.eq_ignore_ascii_case(text))
    }
}
