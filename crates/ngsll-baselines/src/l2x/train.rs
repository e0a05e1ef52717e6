//! The training loop of L2X.

use super::network::{SelectorAndPredictor, marks, relaxed_choice};
use super::{L2xOptions, L2xProgress};
use burn::module::Module;
use burn::tensor::Device;
use ngsll::TrainingSetup;
use ngsll::error::{Error, Result};
use ngsll::generator::Dropout;
use ngsll::objective::{Targets, ValueLoss};
use ngsll::random::{Purpose, stream};
use ngsll::representation::Encoded;
use ngsll::train::{Optimizer, loss, param_gradients};
use rand::seq::SliceRandom;

/// The input of training.
pub(super) struct L2xTrainer<'a> {
    pub setup: &'a TrainingSetup,
    pub encoded: &'a Encoded,
    pub options: &'a L2xOptions,
}

/// Samples that are validated together.
const VALIDATED: usize = 64;

impl L2xTrainer<'_> {
    /// Trains until the validation loss of the hard choice has stopped falling; gives the best network.
    pub fn run(&self, progress: &mut L2xProgress<'_>) -> Result<SelectorAndPredictor> {
        let device = self.setup.device().clone().autodiff();
        let options = self.options;
        let mut network = SelectorAndPredictor::new(self.setup, options.seed, &device)?;
        let mut optimizer = Optimizer::adam(options.learning_rate);
        let (mut best, mut best_loss, mut since) = (network.valid(), f64::INFINITY, 0);
        for epoch in 0..options.epochs {
            let mut order = self.setup.rows().train.clone();
            order.shuffle(&mut stream(options.seed, Purpose::Shuffle, epoch as u64, 1));
            let steps = order.len().div_ceil(options.batch_size);
            for (step, rows) in order.chunks(options.batch_size).enumerate() {
                // Rows of word vectors that were not read have missed updates.
                network = optimizer.flush(network);
                network = self.step(network, &mut optimizer, rows, (epoch, step), &device)?;
                if progress(epoch as f64 + (step + 1) as f64 / steps as f64).is_break() {
                    return Err(Error::Interrupted);
                }
            }
            network = optimizer.flush(network);
            let now = network.valid();
            let valid_loss = self.validate(&now)?;
            if !valid_loss.is_finite() {
                return Err(diverged("the validation loss", epoch));
            }
            since += 1;
            if valid_loss < best_loss {
                (best, best_loss, since) = (now, valid_loss, 0);
            }
            if since == options.patience {
                break;
            }
        }
        Ok(best)
    }

    fn step(
        &self,
        network: SelectorAndPredictor,
        optimizer: &mut Optimizer,
        rows: &[usize],
        (epoch, step): (usize, usize),
        device: &Device,
    ) -> Result<SelectorAndPredictor> {
        let options = self.options;
        let draw = |purpose| stream(options.seed, purpose, epoch as u64, step as u64);
        let mut dropout = Dropout::on(draw(Purpose::Dropout));
        let batch = self.setup.representation().batch(self.encoded, rows, device);
        let logits = network.logits(&batch, &mut dropout);
        let rng = &mut draw(Purpose::Noise);
        let factors = relaxed_choice(logits, options.k, options.temperature, rng);
        let scores = network.scores(&batch, &factors, &mut dropout)?;
        let loss = loss(scores, &self.targets(rows), &vec![1.0; rows.len()], ValueLoss::Squared);
        if !loss.clone().into_scalar::<f64>().is_finite() {
            return Err(diverged("the loss", epoch));
        }
        let gradients = param_gradients(&network, loss.backward());
        Ok(optimizer.step(network, vec![gradients]))
    }

    /// The mean loss of the validation samples from their hard choice.
    fn validate(&self, network: &SelectorAndPredictor) -> Result<f64> {
        let valid = &self.setup.rows().valid;
        let mut sum = 0.0;
        for rows in valid.chunks(VALIDATED) {
            let (representation, device) = (self.setup.representation(), self.setup.device());
            let batch = representation.batch(self.encoded, rows, device);
            let chosen = marks(&batch, &network.chosen(&batch, self.options.k));
            let scores = network.scores(&batch, &chosen, &mut Dropout::off())?;
            let mean: f64 =
                loss(scores, &self.targets(rows), &vec![1.0; rows.len()], ValueLoss::Squared)
                    .into_scalar();
            sum += mean * rows.len() as f64;
        }
        Ok(sum / valid.len() as f64)
    }

    fn targets(&self, rows: &[usize]) -> Targets {
        self.setup.targets().select(rows)
    }
}

fn diverged(what: &str, epoch: usize) -> Error {
    let what = format!("{what} in epoch {}", epoch + 1);
    Error::NotFinite { what, hint: "; a lower learning rate usually helps".into() }
}
