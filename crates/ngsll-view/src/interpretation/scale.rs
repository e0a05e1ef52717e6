//! The measure of colours and bars.

use crate::number_format::Number;
use ngsll::explanation::Term;

/// The largest |contribution| among some terms; 0 if there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Scale(f64);

impl Scale {
    /// The scale of these terms.
    pub(crate) fn of<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Self {
        let sizes = terms.into_iter().map(|t| t.contribution.abs()).filter(|c| c.is_finite());
        Self(sizes.fold(0.0, f64::max))
    }

    /// The larger of two.
    pub(crate) fn larger(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// A contribution's share of the largest one, in 0..=1.
    pub(crate) fn share(self, number: Number) -> f64 {
        let share = number.exact().abs() / self.0;
        if share.is_finite() { share.min(1.0) } else { 0.0 }
    }
}
