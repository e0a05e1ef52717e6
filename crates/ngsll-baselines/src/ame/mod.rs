//! The attentive mixture of experts (AME, Schwab et al. 2019) for images.
//!
//! Every expert reads one 4×4 patch and gives its own class probabilities p_i; an attention that
//! reads all experts weighs them, ŷ = Σ a_i p_i. With α > 0 the attention is drawn toward how much
//! the error grows without expert i (the Granger objective), so that a says how important each
//! patch is.

mod config;
mod loss;
mod network;
mod patches;
mod square;
mod train;

#[cfg(test)]
mod tests;

pub use config::AmeConfig;

use burn::tensor::{Device, Tensor};
use network::{Forward, Network};
use ngsll::data::Images;
use ngsll::error::{Error, Result};
use ngsll::generator::Dropout;
use patches::Patches;
use square::Square;
use std::ops::{ControlFlow, Range};
use train::Training;

/// Samples in a batch of prediction: no gradients, so memory allows more than in training.
const BATCH: usize = 500;

/// Images with their classes.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The images.
    pub images: &'a Images,
    /// The class of each, counted from 0.
    pub labels: &'a [usize],
}

/// What happened in an epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct AmeEpoch {
    /// The epoch, counted from 0.
    pub epoch: usize,
    /// Adam's step size in it.
    pub learning_rate: f64,
    /// Mean training loss, with all its parts.
    pub train_loss: f64,
    /// Mean CE(ŷ) of the validation part.
    pub valid_loss: f64,
    /// Share of the validation part whose class is predicted.
    pub valid_accuracy: f64,
}

/// News from a running training.
#[derive(Debug)]
pub enum AmeEvent<'a> {
    /// A step was made.
    Step {
        /// The running epoch, counted from 0.
        epoch: usize,
        /// Steps made in it.
        step: usize,
        /// Steps of an epoch.
        steps: usize,
    },
    /// An epoch ended.
    Epoch(&'a AmeEpoch),
}

/// Told about progress; `Break` stops with [`Error::Interrupted`].
pub type AmeProgress<'a> = dyn FnMut(AmeEvent<'_>) -> ControlFlow<()> + 'a;

/// A trained mixture, as it was after its best epoch.
#[derive(Debug, Clone)]
pub struct Ame {
    patches: Patches,
    classes: usize,
    network: Network,
    square: Square,
    /// Every epoch of the training.
    pub history: Vec<AmeEpoch>,
}

impl Ame {
    /// Trains on `train`; `valid` decides about the learning rate, the end and the best epoch.
    ///
    /// Work is shared out to the threads of the current rayon pool; their number changes no bit.
    pub fn fit(
        config: &AmeConfig,
        train: Labelled<'_>,
        valid: Labelled<'_>,
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
        Training::new(config, &patches, classes).run(train, valid, progress)
    }

    /// The number of experts, in rows of patches from the upper left.
    pub fn experts(&self) -> usize {
        self.patches.experts()
    }

    /// The probability of each class, for each image.
    pub fn predict(&self, images: &Images) -> Result<Vec<Vec<f32>>> {
        let mut rows = Vec::with_capacity(images.len());
        self.each_batch(images, |_, forward| rows.extend(rows_of(forward.answer)))?;
        Ok(rows)
    }

    /// a, the importance of each expert, for each image; the sum of an image's is 1.
    pub fn attention(&self, images: &Images) -> Result<Vec<Vec<f32>>> {
        let mut rows = Vec::with_capacity(images.len());
        self.each_batch(images, |_, forward| rows.extend(rows_of(forward.attention)))?;
        Ok(rows)
    }

    /// The share of samples whose most probable class is theirs.
    pub fn accuracy(&self, part: Labelled<'_>) -> Result<f64> {
        self.patches.check(part.images)?;
        part.check("given", self.classes)?;
        Ok(right(&self.predict(part.images)?, part.labels) as f64 / part.labels.len() as f64)
    }

    /// Runs the network on batch after batch; `take` is told which images it was.
    fn each_batch(
        &self,
        images: &Images,
        mut take: impl FnMut(Range<usize>, Forward),
    ) -> Result<()> {
        self.patches.check(images)?;
        let device = Device::default();
        for first in (0..images.len()).step_by(BATCH) {
            let range = first..images.len().min(first + BATCH);
            let rows: Vec<usize> = range.clone().collect();
            let x = self.patches.batch(images, &rows, &device);
            let square = |c| self.square.forward(c);
            take(range, self.network.forward(x, &mut Dropout::off(), square));
        }
        Ok(())
    }
}

impl Labelled<'_> {
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

/// tensor: [rows, columns] → its rows
fn rows_of(tensor: Tensor<2>) -> Vec<Vec<f32>> {
    let [_, columns] = tensor.dims();
    let values: Vec<f32> = tensor.into_data().iter::<f32>().collect();
    values.chunks_exact(columns).map(<[f32]>::to_vec).collect()
}

/// How many labels are the first of the most probable classes.
fn right(answers: &[Vec<f32>], labels: &[usize]) -> usize {
    let class = |p: &[f32]| (1..p.len()).fold(0, |best, c| if p[c] > p[best] { c } else { best });
    answers.iter().zip(labels).filter(|(p, label)| class(p) == **label).count()
}
