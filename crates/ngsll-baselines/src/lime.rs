//! LIME (Ribeiro et al. 2016): a weighted linear model, fitted to what the model says about
//! perturbed copies of one sample.
//!
//! | | a sample is varied by | distance | width of the kernel |
//! |---|---|---|---|
//! | [`Tabular`] | normal draws with the training data's mean and deviation | Euclidean, in deviations | 0.75·√d |
//! | [`text`] | removing words | cosine × 100 | 25 |
//! | [`image`] | switching segments to their mean | cosine | 0.25 |
//!
//! A row at distance δ counts √exp(−δ²/width²); row 0 is the sample itself. Of the features K are
//! kept: up to 6 by forward selection on the weighted R², above that those with the largest
//! |coefficient · value| of a ridge with α = 0.01. The explanation is a ridge on them, α = 1, with
//! intercept. As in the authors' package, a [`Contribution`](crate::Contribution) is the ridge's
//! coefficient: for words and segments what being there adds, for columns of a table what one
//! standard deviation adds. Columns are not cut into quartiles.

mod image;
mod local;
mod tabular;
mod text;

pub use image::image;
pub use tabular::Tabular;
pub use text::text;

use ngsll::error::{Error, Result};

/// How one sample is explained.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `k` | 10 | features that are kept | at least 1; all where there are fewer |
/// | `samples` | 5000, for images 1000 | rows, the sample itself included | at least 2 |
/// | `seed` | 0 | the perturbation | any |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimeOptions {
    /// The number of features that are kept.
    pub k: usize,
    /// The number of rows the model is asked about; None for the default.
    pub samples: Option<usize>,
    /// Decides the perturbation.
    pub seed: u64,
}

impl Default for LimeOptions {
    fn default() -> Self {
        Self { k: 10, samples: None, seed: 0 }
    }
}

impl LimeOptions {
    /// The number of rows, once the options are found to make sense.
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
