//! Cells of new samples that are unlike those of training, and texts that are longer than a model reads.

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

/// Texts of which only the beginning is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutTexts {
    /// Their number.
    pub texts: usize,
    /// The number of tokens in the longest of them; 0 without any.
    pub longest: usize,
    /// The number of tokens that are read.
    pub tokens: usize,
}

impl CutTexts {
    /// Those with these lengths, of which `tokens` tokens are read.
    pub(super) fn new(lengths: impl Iterator<Item = usize>, tokens: usize) -> Self {
        let (mut texts, mut longest) = (0, 0);
        for length in lengths {
            texts += 1;
            longest = longest.max(length);
        }
        Self { texts, longest, tokens }
    }
}
