//! Options of AME.

use crate::options::setters;
use ngsll::Device;
use ngsll::error::{Error, Result};
use std::fmt;

/// Training options of [`Ame`](crate::Ame).
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `filters` | 64, 128 | filters of the experts' two convolutions | 1 and up |
/// | `alpha` | 0 | weight of the Granger objective against CE(ŷ) | 0 to 1 |
/// | `batch_size` | 100 | samples per step | 1 and up |
/// | `learning_rate` | 1e-3 | Adam's initial learning rate | above 0 |
/// | `max_epochs` | 300 | maximum number of epochs | 1 and up |
/// | `patience` | 32 | epochs without a better validation loss before training ends | 1 and up |
/// | `rate_patience` | 9 | epochs without one before the learning rate is multiplied by √0.1 | 1 and up |
/// | `min_learning_rate` | 1e-5 | lower bound of the learning rate | above 0 |
/// | `seed` | 0 | initialisation, shuffling, dropout | any |
/// | `device` | the CPU | where it is trained and predicts | any |
#[derive(Clone, PartialEq)]
pub struct AmeConfig {
    /// Filters of the experts' two convolutions; the second is the width of h_i.
    pub(crate) filters: [usize; 2],
    /// The weight of the Granger objective against CE(ŷ).
    pub(crate) alpha: f64,
    /// Samples per step.
    pub(crate) batch_size: usize,
    /// Adam's initial learning rate.
    pub(crate) learning_rate: f64,
    /// The maximum number of epochs.
    pub(crate) max_epochs: usize,
    /// Epochs without a better validation loss before training ends.
    pub(crate) patience: usize,
    /// Epochs without a better validation loss before the learning rate is multiplied by √0.1.
    pub(crate) rate_patience: usize,
    /// The lower bound of the learning rate.
    pub(crate) min_learning_rate: f64,
    /// Decides initialisation, shuffling and dropout.
    pub(crate) seed: u64,
    /// The device for training and prediction.
    pub(crate) device: Device,
}

/// Records of experiments go by this: where it runs is left out.
impl fmt::Debug for AmeConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AmeConfig");
        shown.field("filters", &self.filters).field("alpha", &self.alpha);
        shown.field("batch_size", &self.batch_size).field("learning_rate", &self.learning_rate);
        shown.field("max_epochs", &self.max_epochs).field("patience", &self.patience);
        shown.field("rate_patience", &self.rate_patience);
        shown.field("min_learning_rate", &self.min_learning_rate).field("seed", &self.seed);
        shown.finish()
    }
}

impl Default for AmeConfig {
    fn default() -> Self {
        Self {
            filters: [64, 128],
            alpha: 0.0,
            batch_size: 100,
            learning_rate: 1e-3,
            max_epochs: 300,
            patience: Self::PATIENCE,
            rate_patience: Self::RATE_PATIENCE,
            min_learning_rate: 1e-5,
            seed: 0,
            device: Device::default(),
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
    device: Device,
});

impl AmeConfig {
    /// The default of [`patience`](Self::patience).
    pub const PATIENCE: usize = 32;
    /// The default of [`rate_patience`](Self::rate_patience).
    pub const RATE_PATIENCE: usize = 9;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored results are found by this text.
    #[test]
    fn records_go_by_what_decides_the_result() {
        let expected = "AmeConfig { filters: [64, 128], alpha: 0.0, batch_size: 100, learning_rate: 0.001, \
                        max_epochs: 300, patience: 32, rate_patience: 9, min_learning_rate: 1e-5, seed: 0 }";
        assert_eq!(format!("{:?}", AmeConfig::default()), expected);
    }
}
