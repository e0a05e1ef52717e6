//! LIME (Ribeiro et al. 2016): a weighted linear model, fitted to the model's outputs for perturbed
//! copies of one sample.
//!
//! | | a sample is perturbed by | distance | kernel width |
//! |---|---|---|---|
//! | [`Tabular`] | normal draws with the mean and standard deviation of the training data | Euclidean, in deviations | 0.75·√d |
//! | [`text`] | removing words | cosine × 100 | 25 |
//! | [`image`] | switching segments to their mean | cosine | 0.25 |
//!
//! A row at distance δ has the weight √exp(−δ²/width²); row 0 is the sample itself. K features are
//! selected: up to 6 by forward selection on the weighted R², more by the largest
//! |coefficient · value| of a ridge regression with α = 0.01. The explanation is a ridge regression on
//! them with α = 1 and an intercept. As in the authors' package, a
//! [`Contribution`](crate::Contribution) is its coefficient: for words and segments the effect of their
//! presence, for columns of a table that of one standard deviation. Columns are not discretised into
//! quartiles.

mod image;
mod local_surrogate;
mod tabular;
mod text;

pub use image::image;
pub use tabular::Tabular;
pub use text::text;

use crate::options::setters;
use ngsll::error::{Error, Result};

/// Options for explaining one sample.
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `k` | 10 | features to select | at least 1; all if there are fewer |
/// | `samples` | 5000, for images 1000 | rows to query, with the sample itself | at least 2 |
/// | `seed` | 0 | the perturbations | any |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimeOptions {
    /// The number of features to select.
    pub(crate) k: usize,
    /// The number of rows to query, with the sample itself; None for the default.
    pub(crate) samples: Option<usize>,
    /// Decides the perturbations.
    pub(crate) seed: u64,
}

impl Default for LimeOptions {
    fn default() -> Self {
        Self { k: 10, samples: None, seed: 0 }
    }
}

setters!(LimeOptions { k: usize, seed: u64 });

impl LimeOptions {
    /// Sets the number of rows to query, with the sample itself.
    #[must_use]
    pub fn samples(mut self, samples: usize) -> Self {
        self.samples = Some(samples);
        self
    }

    /// The number of rows to query, if these options are valid.
    fn check(&self, default_samples: usize) -> Result<usize> {
        if self.k == 0 {
            return Err(Error::setting("k", 0, "an explanation has at least 1 feature"));
        }
        match self.samples.unwrap_or(default_samples) {
            few @ 0..2 => Err(Error::setting("samples", few, "at least 2 are needed")),
            samples => Ok(samples),
        }
    }
}

#[cfg(test)]
mod tests;
