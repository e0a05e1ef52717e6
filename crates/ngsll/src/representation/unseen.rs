//! Cells of new samples that are unlike those of training.

/// The numbers of cells of a column that are unlike those of training.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnseenCells {
    /// The column's name.
    pub column: String,
    /// Levels that training never saw.
    pub levels: usize,
    /// Numbers far outside the training range.
    pub far_outside: usize,
    /// Cells without a value, which training may have seen.
    pub missing: usize,
    /// Whether every training row had a value.
    pub never_missing: bool,
}

impl UnseenCells {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.levels + self.far_outside + self.missing == 0
    }
}
