//! The interface of a kind of sample to the rest of the program.

use super::{
    CutTexts, Encoded, ImageRegions, SampleView, Schema, SparseRow, TokenSlots, UnseenCells, X,
    XShape,
};
use crate::dataset::Samples;
use crate::error::{Error, Result};
use crate::evidence::Choice;
use crate::evidence::subsets::SubsetSizes;
use burn::tensor::Device;
use rand_chacha::ChaCha8Rng;
use std::fmt::Debug;

/// The random changes of samples in training.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Augmentation {
    /// The most pixels by which an image is moved; 0 leaves it in place.
    pub shift: usize,
}

/// A change of one feature of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// The word is deleted, the cell left blank, the column's value missing.
    Remove {
        /// The feature.
        feature: usize,
    },
    /// The column takes the value of another row.
    Take {
        /// The feature.
        feature: usize,
        /// The other row.
        from: usize,
    },
    /// A number is moved.
    Add {
        /// The feature.
        feature: usize,
        /// The distance in standard deviations.
        by: f64,
    },
}

/// A kind of sample: everything specific to images, texts or tables. Properties that only one of them
/// has are here too, with a default for the others.
pub(super) trait Kind: Debug {
    /// The input of a model of this kind, in a word.
    fn reads(&self) -> &'static str;

    /// d, the number of features of z.
    fn features(&self) -> usize;

    /// Validates deserialised fields, refusing what training cannot produce; the error is a message.
    fn check(&self) -> Result<(), String>;

    /// The name of feature j.
    fn name(&self, j: usize) -> String;

    /// See [`Representation::owner_name`](super::Representation::owner_name).
    fn owner_name(&self, j: usize) -> String {
        self.name(j)
    }

    /// The form of x.
    fn x_shape(&self) -> XShape;

    /// Whether every sample lists all features in order.
    fn lists_all(&self) -> bool {
        false
    }

    /// Weights of one feature: 2 if its term is a level and a slope.
    fn weights_per_feature(&self) -> usize {
        1
    }

    /// Whether feature j of this sample cannot be chosen although it is listed.
    fn is_closed(&self, _encoded: &Encoded, _row: usize, _j: usize) -> bool {
        false
    }

    /// The cell that each pixel of every image belongs to; `None` for other samples.
    fn owners(&self) -> Option<Vec<usize>> {
        None
    }

    /// The regions of the images in these rows, where each has its own; `None` for other samples.
    fn image_regions(&self, _encoded: &Encoded, _rows: &[usize]) -> Option<ImageRegions> {
        None
    }

    /// The sizes of the random subsets for training.
    fn subset_sizes(&self) -> SubsetSizes;

    /// The sizes of the random subsets for a judge.
    fn judge_sizes(&self) -> SubsetSizes {
        SubsetSizes::Judge
    }

    /// The default choice of features.
    fn choice(&self) -> Choice;

    /// Encodes every sample; `None` for samples of another kind.
    fn encode(&self, samples: &Samples) -> Result<Option<Encoded>>;

    /// The active features of one sample.
    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow;

    /// x of the given rows and, for token sequences, the slot of the word at each position; `sparse`
    /// lists the active features of each row in slots.
    fn x(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        sparse: &[SparseRow],
        slots: usize,
        device: &Device,
    ) -> (X, Option<TokenSlots>);

    /// See [`Representation::augmentation`](super::Representation::augmentation).
    fn augmentation(&self, shift: Option<usize>, _still: bool) -> Result<Augmentation> {
        match shift {
            None | Some(0) => Ok(Augmentation::default()),
            Some(shift) => Err(Error::setting("training.shift", shift, "only images can be moved")),
        }
    }

    /// See [`Representation::augment`](super::Representation::augment).
    fn augment(
        &self,
        _encoded: &Encoded,
        _rows: &[usize],
        _augmentation: Augmentation,
        _rng: &mut ChaCha8Rng,
    ) -> Option<Encoded> {
        None
    }

    /// One sample with one feature changed; `None` if it is not a number that could be moved.
    fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded>;

    /// The form of a sample.
    fn schema(&self) -> Schema;

    /// Sample `row` as a person sees it; `None` for samples of another kind.
    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView>;

    /// See [`Representation::observed`](super::Representation::observed).
    fn observed(&self, _samples: &Samples, _row: usize, _j: usize) -> Option<String> {
        None
    }

    /// See [`Representation::unseen`](super::Representation::unseen).
    fn unseen(&self, _samples: &Samples) -> Vec<UnseenCells> {
        Vec::new()
    }

    /// See [`Representation::cut_texts`](super::Representation::cut_texts).
    fn cut_texts(&self, _samples: &Samples) -> Option<CutTexts> {
        None
    }

    /// See [`Representation::knows_nothing_of`](super::Representation::knows_nothing_of).
    fn knows_nothing_of(&self, _samples: &Samples, _row: usize) -> bool {
        false
    }

    /// The input of the model, in a line.
    fn describe(&self) -> String;

    /// The file of a model folder that holds it.
    fn file_name(&self) -> &'static str;
}
