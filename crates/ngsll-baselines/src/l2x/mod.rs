//! Learning to explain (L2X, Chen et al. 2018): a selector chooses K features of each sample, a
//! predictor sees nothing but those, and both are trained together to predict the label.
//!
//! In training the choice is relaxed: the maximum of K draws of a Gumbel-softmax, by which the input is
//! multiplied. In prediction the K features with the largest logits are kept and the others are zero.
//! The selector has seen the whole sample and learns together with the predictor, so that the pair may
//! agree on a code: which features are chosen can say more than what they hold.

mod network;
mod train;

#[cfg(test)]
mod tests;

use crate::options::setters;
use burn::tensor::Device;
use network::{SelectorAndPredictor, marks};
use ngsll::error::{Error, Result};
use ngsll::generator::Dropout;
use ngsll::representation::Representation;
use ngsll::{Dataset, Evidence, Samples, TrainingSetup};
use std::ops::ControlFlow;
use train::L2xTrainer;

/// Training options of L2X.
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `k` | 5 | features of each explanation | at least 1 |
/// | `epochs` | 30 | most epochs | at least 1 |
/// | `batch_size` | 64 | samples per step | at least 1 |
/// | `learning_rate` | 0.001 | of Adam | above 0 |
/// | `temperature` | 0.5 | of the Gumbel-softmax | above 0 |
/// | `patience` | 8 | epochs without a better validation loss before training ends | at least 1 |
/// | `seed` | 0 | first weights, order and noise | any |
#[derive(Debug, Clone, PartialEq)]
pub struct L2xOptions {
    /// Features of each explanation.
    pub(crate) k: usize,
    /// Most epochs.
    pub(crate) epochs: usize,
    /// Samples per step.
    pub(crate) batch_size: usize,
    /// Adam's learning rate.
    pub(crate) learning_rate: f64,
    /// The temperature of the Gumbel-softmax.
    pub(crate) temperature: f64,
    /// Epochs without a better validation loss before training ends.
    pub(crate) patience: usize,
    /// Decides first weights, order and noise.
    pub(crate) seed: u64,
}

impl Default for L2xOptions {
    fn default() -> Self {
        Self {
            k: 5,
            epochs: 30,
            batch_size: 64,
            learning_rate: 1e-3,
            temperature: 0.5,
            patience: 8,
            seed: 0,
        }
    }
}

setters!(L2xOptions {
    k: usize,
    epochs: usize,
    batch_size: usize,
    learning_rate: f64,
    temperature: f64,
    patience: usize,
    seed: u64,
});

impl L2xOptions {
    fn check(&self) -> Result<()> {
        let counts = [
            ("k", self.k),
            ("epochs", self.epochs),
            ("batch_size", self.batch_size),
            ("patience", self.patience),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Error::setting(name, 0, "at least 1"));
        }
        let rates = [("learning_rate", self.learning_rate), ("temperature", self.temperature)];
        match rates.into_iter().find(|(_, rate)| !(rate.is_finite() && *rate > 0.0)) {
            Some((name, rate)) => Err(Error::setting(name, rate, "a number above 0")),
            None => Ok(()),
        }
    }
}

/// A callback that gets the number of epochs that are done; `Break` stops the training with
/// [`Error::Interrupted`].
pub type L2xProgress<'a> = dyn FnMut(f64) -> ControlFlow<()> + 'a;

/// The features that were chosen from a sample, and the scores from those alone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct L2xChoice {
    /// Numbers of the features in [`L2x::representation`], the largest logit first.
    pub features: Vec<usize>,
    /// The scores, as expected by [`Objective::class`](ngsll::objective::Objective::class).
    pub scores: Vec<f64>,
}

/// A trained selector with its predictor.
#[derive(Debug, Clone)]
pub struct L2x {
    representation: Representation,
    network: SelectorAndPredictor,
    k: usize,
    device: Device,
}

/// Samples that are explained together.
const BATCH: usize = 32;

impl L2x {
    /// Trains on the rows of `data` that `setup`, which was made from it with evidence `whole`, has for
    /// training and validation, on the setup's device. Selector and predictor are the networks that the setup's
    /// options name.
    pub fn fit(
        setup: &TrainingSetup,
        data: &Dataset,
        options: &L2xOptions,
        progress: &mut L2xProgress<'_>,
    ) -> Result<Self> {
        options.check()?;
        if setup.config().training.evidence() != Evidence::Whole {
            let expected = "L2X reads whole samples: a setup with evidence whole";
            return Err(Error::setting("training.evidence", "chosen", expected));
        }
        let encoded = setup.representation().encode(data.samples())?;
        let network = L2xTrainer { setup, encoded: &encoded, options }.run(progress)?;
        let (representation, device) = (setup.representation().clone(), setup.device().clone());
        Ok(Self { representation, network, k: options.k, device })
    }

    /// Its representation of samples.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// Chooses K features of each sample and predicts from them.
    pub fn explain(&self, samples: &Samples) -> Result<Vec<L2xChoice>> {
        let encoded = self.representation.encode(samples)?;
        let rows: Vec<usize> = (0..encoded.len()).collect();
        let mut all = Vec::with_capacity(rows.len());
        for rows in rows.chunks(BATCH) {
            let batch = self.representation.batch(&encoded, rows, &self.device);
            let chosen = self.network.chosen(&batch, self.k);
            let marks = marks(&batch, &chosen);
            let scores = self.network.scores(&batch, &marks, &mut Dropout::off())?;
            let [_, outputs] = scores.dims();
            let scores: Vec<f64> = scores.into_data().iter::<f64>().collect();
            let samples = batch.rows.iter().zip(&chosen).zip(scores.chunks_exact(outputs));
            all.extend(samples.map(|((row, chosen), scores)| L2xChoice {
                features: chosen.iter().map(|&slot| row.indices[slot] as usize).collect(),
                scores: scores.to_vec(),
            }));
        }
        Ok(all)
    }
}
