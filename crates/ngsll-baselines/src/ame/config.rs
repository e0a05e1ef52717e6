//! Options of AME.

use ngsll::error::{Error, Result};

/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `filters` | 64, 128 | filters of the experts' two convolutions | 1 and up |
/// | `alpha` | 0 | how much the Granger objective counts | 0 to 1 |
/// | `batch_size` | 100 | samples per step | 1 and up |
/// | `learning_rate` | 1e-3 | Adam's first step size | above 0 |
/// | `max_epochs` | 300 | training ends after this many epochs | 1 and up |
/// | `patience` | 32 | or after this many without a better validation loss | 1 and up |
/// | `rate_patience` | 9 | the rate falls by √0.1 after this many without one | 1 and up |
/// | `min_learning_rate` | 1e-5 | but not below this | above 0 |
/// | `seed` | 0 | where all randomness comes from | |
#[derive(Debug, Clone, PartialEq)]
pub struct AmeConfig {
    /// Filters of the experts' two convolutions; the second is the width of h_i.
    pub filters: [usize; 2],
    /// How much the Granger objective counts against CE(ŷ).
    pub alpha: f64,
    /// Samples per step.
    pub batch_size: usize,
    /// Adam's first step size.
    pub learning_rate: f64,
    /// Training ends after this many epochs,
    pub max_epochs: usize,
    /// or after this many without a better validation loss.
    pub patience: usize,
    /// The learning rate falls by √0.1 after this many epochs without a better validation loss,
    pub rate_patience: usize,
    /// but not below this.
    pub min_learning_rate: f64,
    /// Where all randomness comes from.
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

impl AmeConfig {
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
                return Err(Error::setting(name, rate, "a positive number"));
            }
        }
        Ok(())
    }
}
