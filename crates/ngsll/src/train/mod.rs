//! Training: stages, losses, batches, checkpoints.
//!
//! A `Trainer` holds the encoded data; `Trainer::train` runs a network through a schedule, stage by
//! stage. Each stage starts from the best point of the one before, by validation loss: under the
//! hard gate, or from random subsets of the features.

mod attribution;
mod checkpoint;
mod config;
mod effects;
mod from_subsets;
mod loss;
mod optimizer;
mod schedule;
mod screening;
mod shards;
mod slopes;
mod stage;
mod terms;
mod training_subset;
mod weights;

pub use checkpoint::{Checkpoints, Fingerprint};
pub use config::{ClassWeights, NamedWeights, TrainingConfig};
pub use loss::loss;
pub use optimizer::{Adam, Optimizer, ParamGradients, param_gradients};
pub use schedule::{OptimizerKind, Preset, Stage};
pub(crate) use stage::Running;
pub use weights::{Array, Weights, to_bytes, weights_of};
pub(crate) use weights::{from_bytes, numbered, with_weights};

use crate::error::Result;
use crate::evidence::Evidence;
use crate::evidence::subsets::SubsetSizes;
use crate::generator::Generator;
use crate::network::Network;
use crate::objective::{Objective, Targets};
use crate::representation::{Augmentation, Encoded, Representation};
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Some rows of encoded samples with their known answers.
#[derive(Debug, Clone)]
pub(crate) struct Part<'a> {
    /// The samples.
    pub samples: &'a Encoded,
    /// The rows of `samples` that belong to this part.
    pub rows: Vec<usize>,
    /// The answer of each of those rows.
    pub targets: Targets,
    /// The weight of each in the loss.
    pub weights: Vec<f32>,
}

/// Everything that training reads.
#[derive(Debug)]
pub(crate) struct Trainer<'a> {
    /// The representation that turns samples into batches.
    pub representation: &'a Representation,
    /// The target of the predictions.
    pub objective: &'a Objective,
    /// The samples to learn from.
    pub train: &'a Part<'a>,
    /// The validation samples, for early stopping.
    pub valid: &'a Part<'a>,
    /// Options of training.
    pub config: &'a TrainingConfig,
    /// The evidence of predictions.
    pub evidence: Evidence,
    /// Sizes of the random subsets, if predictions are made from those.
    pub subset_sizes: SubsetSizes,
    /// The random changes of samples.
    pub augmentation: Augmentation,
    /// The seed of all randomness.
    pub seed: u64,
    /// Train the plain network instead (the DNN of the comparisons): z is the constant 1, so the
    /// one generated weight is the score itself. The generator must be built for one feature.
    pub plain_network: bool,
    /// Stop after this many epochs of the first stage and keep the last; otherwise the best epoch by
    /// validation loss is kept.
    pub stop_after: Option<usize>,
    /// Whether to keep the best epoch so far when the progress callback breaks off, or fail.
    pub keep_when_stopped: bool,
    /// The device to train on, with autodiff.
    pub device: Device,
}

/// The figures at the end of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EpochRecord {
    /// The stage, counted from 0.
    pub stage: usize,
    /// The epoch within the stage, counted from 0.
    pub epoch: usize,
    /// Mean training loss of the epoch.
    pub train_loss: f64,
    /// Validation loss under the hard gate, or from random subsets; of classes that will be calibrated, the
    /// loss with the scale of the terms that makes it least.
    pub valid_loss: f64,
    /// Validation accuracy, or R² in regression, under the hard gate, or from all features.
    pub valid_metric: f64,
}

/// An event of a training run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A step was made.
    Step {
        /// All stages.
        stages: &'a [Stage],
        /// The running stage.
        stage: usize,
        /// The running epoch of the stage.
        epoch: usize,
        /// Steps made in this epoch.
        step: usize,
        /// Steps of an epoch.
        steps: usize,
    },
    /// Progress of cross-validation, which decides how long to train.
    Fold {
        /// Epochs that were tried.
        epoch: usize,
        /// The most epochs that are tried.
        epochs: usize,
    },
    /// Progress in learning the importance and contributions of columns, after the network of a table is finished.
    Terms {
        /// Steps made.
        step: usize,
        /// All steps.
        steps: usize,
    },
    /// An epoch ended.
    Epoch {
        /// All stages.
        stages: &'a [Stage],
        /// Its figures.
        record: &'a EpochRecord,
    },
}

/// Progress callback; `Break` writes a checkpoint and stops with [`crate::Error::Interrupted`].
pub type Progress<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// A trained model and its course.
#[derive(Debug, Clone)]
pub(crate) struct Trained<G: Generator> {
    /// The network at its best point, on the training device.
    pub network: Network<G>,
    /// Every epoch.
    pub history: Vec<EpochRecord>,
}

impl Trainer<'_> {
    /// Runs `network` through the stages; with checkpoints, from the last one that was written.
    pub fn train<G: Generator>(
        &self,
        network: Network<G>,
        stages: &[Stage],
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Trained<G>> {
        let start = Trained { network: numbered(network), history: Vec::new() };
        self.run_stages(start, stages, 0..stages.len(), checkpoints, progress)
    }

    /// Trains one model for each schedule and passes each to `done`, in order, as soon as it is ready.
    /// Stages shared at the beginning of schedules are run once: each result equals
    /// the one of [`Trainer::train`] alone.
    pub fn train_each<G: Generator>(
        &self,
        network: Network<G>,
        schedules: &[Vec<Stage>],
        progress: &mut Progress<'_>,
        done: &mut dyn FnMut(Trained<G>, &mut Progress<'_>) -> Result<()>,
    ) -> Result<()> {
        let start = Trained { network: numbered(network), history: Vec::new() };
        // (the stages that were run, the result)
        let mut known: Vec<(&[Stage], Trained<G>)> = vec![(&[], start)];
        for schedule in schedules {
            for end in 1..=schedule.len() {
                if known.iter().any(|(run, _)| *run == &schedule[..end]) {
                    continue;
                }
                let before = known.iter().find(|(run, _)| *run == &schedule[..end - 1]);
                let from = before.expect("shorter beginnings were run first").1.clone();
                let trained = self.run_stages(from, schedule, end - 1..end, None, progress)?;
                known.push((&schedule[..end], trained));
            }
            let found = known.iter().find(|(run, _)| run == schedule);
            done(found.expect("the schedule was run to its end").1.clone(), progress)?;
        }
        Ok(())
    }
}
