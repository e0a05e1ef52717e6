//! The evidence of a prediction: the K chosen features and nothing else, or the whole sample.
//!
//! With [`Evidence::Chosen`] the network sees a sample restricted to a subset S of its features:
//! everything else is erased and marked as erased. It is trained on subsets that are independent of the
//! sample's content: drawn at random (module `subsets`) or, for half of the rows of a table, chosen for
//! another row. So it is a predictor from any subset, and no choice can encode the answer. To explain, [`choice`]
//! finds the K features, and a last pass with those alone gives weights and prediction. K can then be chosen freely.
//!
//! With [`Evidence::Whole`], the paper's method, the network reads the whole sample and a gate keeps K
//! of the weights that it writes.

pub mod choice;
mod promise;
pub(crate) mod subsets;
#[cfg(test)]
mod tests;

pub use choice::Choice;

use serde::{Deserialize, Serialize};

/// The input of the network that weighs the terms of a prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Evidence {
    /// The K chosen features and nothing else.
    #[default]
    Chosen,
    /// The whole sample, as in the paper.
    Whole,
}
