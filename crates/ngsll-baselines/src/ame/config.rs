//! Options of AME.

use crate::options::setters;
use ngsll::error::{Error, Result};

/// How [`Ame`](crate::Ame) is trained.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `filters` | 64, 128 | filters of the experts' two convolutions | 1 and up |
/// | `alpha` | 0 | weight of the Granger objective against CE(ŷ) | 0 to 1 |
/// | `batch_size` | 100 | samples per step | 1 and up |
/// | `learning_rate` | 1e-3 | Adam's initial learning rate | above 0 |
/// | `max_epochs` | 300 | maximum number of epochs | 1 and up |
/// | `patience` | 32 | epochs without a better validation loss before training ends | 1 and up |
/// | `rate_patience` | 9 | epochs without one before the learning rate is multiplied by √0.1 | 1 and up |
/// | `min_learning_rate` | 1e-5 | lower bound of the learning rate | above 0 |
/// | `seed` | 0 | initialization, shuffling, dropout | any |
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AmeConfig {
    /// Filters of the experts' two convolutions; the second is the width of h_i.
    pub filters: [usize; 2],
    /// The weight of the Granger objective against CE(ŷ).
    pub alpha: f64,
    /// Samples per step.
    pub batch_size: usize,
    /// Adam's initial learning rate.
    pub learning_rate: f64,
    /// The maximum number of epochs.
    pub max_epochs: usize,
    /// Epochs without a better validation loss before training ends.
    pub patience: usize,
    /// Epochs without a better validation loss before the learning rate is multiplied by √0.1.
    pub rate_patience: usize,
    /// The lower bound of the learning rate.
    pub min_learning_rate: f64,
    /// Decides initialization, shuffling and dropout.
    pub seed: u64,
}

impl Default for AmeConfig {
    fn default() -> Self {
        Self {
            filters: [64, 128],
            alpha: 0.0,
            batch_size: 100,
            learning_rate: 1e-3,
            max_epochs: 300,
            patience: 32,
            rate_patience: 9,
            min_learning_rate: 1e-5,
            seed: 0,
        }
    }
}

setters!(AmeConfig {
    filters: [usize; 2],
    alpha: f64,
    batch_size: usize,
    learning_rate: f64,
    max_epochs: usize,
    patience: usize,
    rate_patience: usize,
    min_learning_rate: f64,
    seed: u64,
});

impl AmeConfig {
    /// Fails if a value is out of range.
    pub(super) fn check(&self) -> Result<()> {
        let counts = [
            ("filters", self.filters[0].min(self.filters[1])),
            ("batch_size", self.batch_size),
            ("max_epochs", self.max_epochs),
            ("patience", self.patience),
            ("rate_patience", self.rate_patience),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Error::setting(name, 0, "at least 1"));
        }
        if !(0.0..=1.0).contains(&self.alpha) {
            return Err(Error::setting("alpha", self.alpha, "a number from 0 to 1"));
        }
        for (name, rate) in
            [("learning_rate", self.learning_rate), ("min_learning_rate", self.min_learning_rate)]
        {
            if !(rate.is_finite() && rate > 0.0) {
                return Err(Error::setting(name, rate, "expected a number above 0"));
            }
        }
        Ok(())
    }
}
