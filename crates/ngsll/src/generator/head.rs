//! From a feature vector to weights: fully connected layers, then w_j = h·V_j + b_j for the
//! active features only.

use super::layers::{FullyConnected, Init};
use super::{Active, Dropout, Extractor, Generator, X};
use burn::module::{Module, ModuleDisplay, Param};
use burn::tensor::Tensor;

/// L fully connected layers of U units, and a vector V_j and a bias b_j per feature and output.
#[derive(Module, Debug)]
pub struct Head {
    layers: FullyConnected,
    /// V: [features, outputs · units]
    vectors: Param<Tensor<2>>,
    /// b: [features, outputs]
    biases: Param<Tensor<2>>,
    #[module(skip)]
    outputs: usize,
}

/// The size of a [`Head`].
#[derive(Debug, Clone, Copy)]
pub struct HeadSize {
    /// Width of the features it reads.
    pub inputs: usize,
    /// L, the number of fully connected layers (0 reads the features directly).
    pub layers: usize,
    /// U, the units of each.
    pub units: usize,
    /// The share of units dropped in training.
    pub dropout: f64,
}

impl Head {
    /// A head for `features` features and `outputs` scores.
    pub fn new(size: HeadSize, features: usize, outputs: usize, init: &mut Init<'_>) -> Self {
        let HeadSize { inputs, layers, units, dropout } = size;
        let width = if layers == 0 { inputs } else { units };
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        Self {
            layers: FullyConnected::new(inputs, layers, units, dropout, init),
            vectors: init.uniform([features, outputs * width], bound),
            biases: init.uniform([features, outputs], bound),
            outputs,
        }
    }

    /// features: [batch, inputs] → weights: [batch, outputs, slots]
    pub fn forward(&self, features: Tensor<2>, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        let h = self.layers.forward(features, dropout);
        let [batch, units] = h.dims();
        let [features, _] = self.biases.val().dims();
        let Some(indices) = &active.indices else {
            // All features in order: one product serves the whole batch.
            let vectors = self.vectors.val().reshape([features * self.outputs, units]);
            let weights = h.matmul(vectors.transpose()).reshape([batch, features, self.outputs]);
            return (weights + self.biases.val().unsqueeze()).swap_dims(1, 2);
        };
        let indices = indices.clone().reshape([batch * active.slots]);
        let vectors = self.vectors.val().select(0, indices.clone());
        let vectors = vectors.reshape([batch, active.slots * self.outputs, units]);
        let weights = vectors.matmul(h.unsqueeze_dim(2)).reshape([batch, active.slots, self.outputs]);
        let biases = self.biases.val().select(0, indices);
        (weights + biases.reshape([batch, active.slots, self.outputs])).swap_dims(1, 2)
    }
}

/// A generator made of any feature extractor and a [`Head`].
#[derive(Module, Debug)]
pub struct Headed<E: Module + ModuleDisplay> {
    extractor: E,
    head: Head,
}

impl<E: Extractor> Headed<E> {
    /// Puts `head` on `extractor`; the head's inputs are the extractor's width.
    pub fn new(extractor: E, head: Head) -> Self {
        Self { extractor, head }
    }
}

impl<E: Extractor> Generator for Headed<E> {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.head.forward(self.extractor.extract(x, dropout), active, dropout)
    }
}
