//! Cells of new samples that are unlike those of training.

/// How many cells of a column are unlike those that training saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnseenCells {
    /// The column's name.
    pub column: String,
    /// Levels that training never saw.
    pub levels: usize,
    /// Numbers that are far from all that training saw.
    pub far_outside: usize,
    /// Cells without a value, which training may have seen.
    pub missing: usize,
}

impl UnseenCells {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.levels + self.far_outside + self.missing == 0
    }
}
