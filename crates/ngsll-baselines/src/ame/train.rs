//! The training loop over epochs and steps.

use super::config::AmeConfig;
use super::loss::{CrossEntropies, one_hot, prediction_cross_entropy};
use super::network::{MixtureNetwork, NetworkShape};
use super::patches::Patches;
use super::square::{SquareAdamState, SquareLayer};
use super::{Ame, AmeEpoch, AmeEvent, AmeProgress, LabelledImages};
use burn::module::Module;
use burn::tensor::Device;
use ngsll::error::{Error, Result};
use ngsll::generator::Dropout;
use ngsll::generator::layers::Init;
use ngsll::random::{Purpose, stream};
use ngsll::train::{Adam, Optimizer, param_gradients};
use rand::seq::SliceRandom;

/// The state of a training.
pub(super) struct AmeTrainer<'a> {
    config: &'a AmeConfig,
    patches: &'a Patches,
    classes: usize,
    device: Device,
    network: MixtureNetwork,
    square: SquareLayer,
    optimizer: Optimizer,
    square_state: SquareAdamState,
    learning_rate: f64,
}

/// The number of epochs without an improvement of the validation loss.
struct Plateau {
    best: f64,
    /// Epochs since the best one.
    epochs: usize,
    /// Epochs since the best one or the last reduction of the learning rate.
    at_this_rate: usize,
}

impl<'a> AmeTrainer<'a> {
    pub fn new(config: &'a AmeConfig, patches: &'a Patches, classes: usize) -> Self {
        let device = config.device.clone().autodiff();
        let (experts, channels) = (patches.experts(), patches.channels());
        let shape = NetworkShape { experts, channels, filters: config.filters, classes };
        let mut rng = stream(config.seed, Purpose::Initialize, 0, 0);
        let network = MixtureNetwork::new(shape, &mut Init::new(&mut rng, &device));
        let inner = device.clone().inner();
        let square = SquareLayer::new(shape.joined(), &mut Init::new(&mut rng, &inner));
        Self {
            config,
            patches,
            classes,
            device,
            network,
            square,
            optimizer: Optimizer::adam(config.learning_rate),
            square_state: SquareAdamState::new(shape.joined()),
            learning_rate: config.learning_rate,
        }
    }

    /// Trains until the schedule ends, and returns the model of the best epoch.
    pub fn run(
        mut self,
        train: LabelledImages<'_>,
        valid: LabelledImages<'_>,
        progress: &mut AmeProgress<'_>,
    ) -> Result<Ame> {
        let mut plateau = Plateau { best: f64::INFINITY, epochs: 0, at_this_rate: 0 };
        let mut best = self.snapshot();
        let mut history = Vec::new();
        while history.len() < self.config.max_epochs && plateau.epochs < self.config.patience {
            let epoch = history.len();
            let train_loss;
            (self, train_loss) = self.epoch(epoch, train, progress)?;
            let now = self.snapshot();
            let (valid_loss, valid_accuracy) = now.evaluate(valid)?;
            if !valid_loss.is_finite() {
                return Err(diverged("the validation loss", epoch));
            }
            let learning_rate = self.learning_rate;
            history.push(AmeEpoch { epoch, learning_rate, train_loss, valid_loss, valid_accuracy });
            if valid_loss < plateau.best {
                plateau = Plateau { best: valid_loss, epochs: 0, at_this_rate: 0 };
                best = now;
            } else {
                plateau.epochs += 1;
                plateau.at_this_rate += 1;
            }
            if plateau.at_this_rate == self.config.rate_patience {
                plateau.at_this_rate = 0;
                self = self.reduce_learning_rate();
            }
            let record = history.last().expect("a record was just added");
            if progress(AmeEvent::Epoch(record)).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok(Ame { history, ..best })
    }

    fn reduce_learning_rate(mut self) -> Self {
        let lower = self.learning_rate * 0.1_f64.sqrt();
        // An initial rate below the minimum stays.
        self.learning_rate = lower.max(self.config.min_learning_rate).min(self.learning_rate);
        self.network = self.optimizer.change_rate(self.network, self.learning_rate);
        self
    }

    /// The model as it is now, for prediction.
    fn snapshot(&self) -> Ame {
        Ame {
            patches: self.patches.clone(),
            classes: self.classes,
            device: self.config.device.clone(),
            network: self.network.valid(),
            square: self.square.clone(),
            history: Vec::new(),
        }
    }

    /// Trains on all batches once, in random order, and returns the mean loss.
    fn epoch(
        mut self,
        epoch: usize,
        train: LabelledImages<'_>,
        progress: &mut AmeProgress<'_>,
    ) -> Result<(Self, f64)> {
        let mut order: Vec<usize> = (0..train.labels.len()).collect();
        order.shuffle(&mut stream(self.config.seed, Purpose::Shuffle, epoch as u64, 0));
        let steps = order.len().div_ceil(self.config.batch_size);
        let mut sum = 0.0;
        for (step, rows) in order.chunks(self.config.batch_size).enumerate() {
            let rng = stream(self.config.seed, Purpose::Dropout, epoch as u64, step as u64);
            let loss;
            (self, loss) = self.step(train, rows, &mut Dropout::on(rng));
            if !loss.is_finite() {
                return Err(diverged("the loss", epoch));
            }
            sum += loss;
            if progress(AmeEvent::Step { epoch, step: step + 1, steps }).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok((self, sum / steps as f64))
    }

    /// One update, and the loss before it. Owning `self` allows weights to be updated in place.
    fn step(
        mut self,
        train: LabelledImages<'_>,
        rows: &[usize],
        dropout: &mut Dropout,
    ) -> (Self, f64) {
        let labels: Vec<usize> = rows.iter().map(|&row| train.labels[row]).collect();
        let truth = one_hot(&labels, self.classes, &self.device);
        let x = self.patches.batch(train.images, rows, &self.device);
        let mut trace = None;
        let forward = self.network.forward(x, dropout, |c| {
            let (u, traced) = self.square.traced(c);
            trace = Some(traced);
            u
        });
        let errors = CrossEntropies::of(&self.network, &forward, &truth);
        let target = (self.config.alpha > 0.0).then(|| errors.granger_target());
        let loss = errors.loss(&self.network, forward.attention, self.config.alpha, target);
        let value: f32 = loss.clone().into_scalar();
        let mut gradients = loss.backward();
        let trace = trace.expect("the forward pass goes through the square layer");
        let adam = Adam::new(self.learning_rate);
        self.square = self.square.update(trace, &mut gradients, &mut self.square_state, &adam);
        let gradients = param_gradients(&self.network, gradients);
        self.network = self.optimizer.step(self.network, vec![gradients]);
        (self, f64::from(value))
    }
}

impl Ame {
    /// Mean CE(ŷ) and accuracy.
    fn evaluate(&self, part: LabelledImages<'_>) -> Result<(f64, f64)> {
        let (mut loss, mut correct, n) = (0.0, 0, part.labels.len());
        self.each_batch(part.images, |rows, forward| {
            let labels = &part.labels[rows];
            let truth = one_hot(labels, self.classes, &self.device);
            loss += prediction_cross_entropy(forward.prediction.clone(), truth)
                .sum()
                .into_scalar::<f64>();
            correct += super::correct(&super::to_rows(forward.prediction), labels);
        })?;
        Ok((loss / n as f64, correct as f64 / n as f64))
    }
}

fn diverged(what: &str, epoch: usize) -> Error {
    let what = format!("{what} in epoch {}", epoch + 1);
    Error::NotFinite { what, hint: "; a lower learning rate usually helps".into() }
}
