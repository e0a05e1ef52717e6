//! The attentive mixture of experts (AME, Schwab et al. 2019) for images.
//!
//! Every expert reads one 4×4 patch and predicts class probabilities p_i; an attention over all experts
//! weighs them, ŷ = Σ a_i p_i. With α > 0 the attention is trained toward how much the error grows
//! without expert i (the Granger objective), so that a_i is the importance of patch i.

mod config;
mod loss;
mod network;
mod patches;
mod square;
mod train;

#[cfg(test)]
mod tests;

pub use config::AmeConfig;

use crate::classes::{argmax, count_correct};
use burn::tensor::{Device, Tensor};
use network::{MixtureNetwork, NetworkOutput};
use ngsll::dataset::Images;
use ngsll::error::{Error, Result};
use ngsll::generator::Dropout;
use patches::Patches;
use square::SquareLayer;
use std::ops::{ControlFlow, Range};
use train::AmeTrainer;

/// The batch size of prediction: without gradients memory allows more than in training.
const BATCH: usize = 500;

/// Images with their classes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct LabelledImages<'a> {
    /// The images.
    pub images: &'a Images,
    /// The class of each, counted from 0.
    pub labels: &'a [usize],
}

impl<'a> LabelledImages<'a> {
    /// Images with the class of each, counted from 0. What does not go together is refused where it is used.
    pub fn new(images: &'a Images, labels: &'a [usize]) -> Self {
        Self { images, labels }
    }
}

/// The record of an epoch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AmeEpoch {
    /// The epoch, counted from 0.
    pub epoch: usize,
    /// Adam's learning rate in it.
    pub learning_rate: f64,
    /// Mean training loss, with all its terms.
    pub train_loss: f64,
    /// Mean CE(ŷ) on the validation images.
    pub valid_loss: f64,
    /// Accuracy on the validation images.
    pub valid_accuracy: f64,
}

/// Progress of a training.
#[derive(Debug)]
#[non_exhaustive]
pub enum AmeEvent<'a> {
    /// A step was completed.
    Step {
        /// The running epoch, counted from 0.
        epoch: usize,
        /// Steps completed in it.
        step: usize,
        /// Steps per epoch.
        steps: usize,
    },
    /// An epoch ended.
    Epoch(&'a AmeEpoch),
}

/// A callback for progress; `Break` stops the training with [`Error::Interrupted`].
pub type AmeProgress<'a> = dyn FnMut(AmeEvent<'_>) -> ControlFlow<()> + 'a;

/// A trained attentive mixture of experts, as it was after its best epoch.
#[derive(Debug, Clone)]
pub struct Ame {
    patches: Patches,
    classes: usize,
    device: Device,
    network: MixtureNetwork,
    square: SquareLayer,
    /// Every epoch of the training.
    pub history: Vec<AmeEpoch>,
}

impl Ame {
    /// Trains on `train`; `valid` decides when the learning rate falls, when training ends and which
    /// epoch is the best.
    ///
    /// Work runs on the current rayon pool; the result does not depend on its number of threads.
    pub fn fit(
        config: &AmeConfig,
        train: LabelledImages<'_>,
        valid: LabelledImages<'_>,
        classes: usize,
        progress: &mut AmeProgress<'_>,
    ) -> Result<Self> {
        config.check()?;
        if classes < 2 {
            return Err(Error::setting("classes", classes, "a classifier needs at least 2"));
        }
        let patches = Patches::of(train.images)?;
        patches.check(valid.images)?;
        train.check("training", classes)?;
        valid.check("validation", classes)?;
        AmeTrainer::new(config, &patches, classes).run(train, valid, progress)
    }

    /// The number of experts. Their patches are in row-major order from the upper left.
    pub fn experts(&self) -> usize {
        self.patches.experts()
    }

    /// The class probabilities of each image.
    pub fn predict(&self, images: &Images) -> Result<Vec<Vec<f32>>> {
        let mut rows = Vec::with_capacity(images.len());
        self.each_batch(images, |_, forward| rows.extend(to_rows(forward.prediction)))?;
        Ok(rows)
    }

    /// The attention a of each image, the importance of each expert; it sums to 1.
    pub fn attention(&self, images: &Images) -> Result<Vec<Vec<f32>>> {
        let mut rows = Vec::with_capacity(images.len());
        self.each_batch(images, |_, forward| rows.extend(to_rows(forward.attention)))?;
        Ok(rows)
    }

    /// The share of images whose most probable class is correct.
    pub fn accuracy(&self, part: LabelledImages<'_>) -> Result<f64> {
        self.patches.check(part.images)?;
        part.check("given", self.classes)?;
        Ok(correct(&self.predict(part.images)?, part.labels) as f64 / part.labels.len() as f64)
    }

    /// Runs the network batch by batch; `take` gets the range of images and their output.
    fn each_batch(
        &self,
        images: &Images,
        mut take: impl FnMut(Range<usize>, NetworkOutput),
    ) -> Result<()> {
        self.patches.check(images)?;
        for first in (0..images.len()).step_by(BATCH) {
            let range = first..images.len().min(first + BATCH);
            let rows: Vec<usize> = range.clone().collect();
            let x = self.patches.batch(images, &rows, &self.device);
            let square = |c| self.square.forward(c);
            take(range, self.network.forward(x, &mut Dropout::off(), square));
        }
        Ok(())
    }
}

impl LabelledImages<'_> {
    /// Fails unless there is one label below `classes` for each image.
    fn check(&self, part: &str, classes: usize) -> Result<()> {
        if self.labels.is_empty() || self.labels.len() != self.images.len() {
            let expected = format!("one for each of the {} images", self.images.len());
            let name = format!("number of {part} labels");
            return Err(Error::setting(name, self.labels.len(), expected));
        }
        if let Some(row) = self.labels.iter().position(|&label| label >= classes) {
            let name = format!("label of {part} image {}", row + 1);
            let expected = format!("the {classes} classes are 0 to {}", classes - 1);
            return Err(Error::setting(name, self.labels[row], expected));
        }
        Ok(())
    }
}

/// The rows of `tensor: [rows, columns]`.
fn to_rows(tensor: Tensor<2>) -> Vec<Vec<f32>> {
    let [_, columns] = tensor.dims();
    let values: Vec<f32> = tensor.into_data().iter::<f32>().collect();
    values.chunks_exact(columns).map(<[f32]>::to_vec).collect()
}

/// The number of labels predicted as the most probable class, ties to the lower one.
fn correct(probabilities: &[Vec<f32>], labels: &[usize]) -> usize {
    count_correct(probabilities.iter().map(|p| argmax(p)), labels)
}
