//! From a feature vector to weights: fully connected layers, then w_j = h·V_j + b_j for the
//! active features only.

use super::layers::{FullyConnected, Init};
use super::{Active, Dropout, Extractor, Generator, ImageCnn, X};
use crate::ops::conv1d_relu::{WeightCache, dense_transposed};
use crate::ops::inner_product::inner_product;
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
    #[module(skip)]
    cache: WeightCache,
}

/// The size of a [`Head`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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

impl HeadSize {
    /// So many layers of so many units, without dropout, on features of this width.
    pub fn new(inputs: usize, layers: usize, units: usize) -> Self {
        Self { inputs, layers, units, dropout: 0.0 }
    }
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
            cache: WeightCache::default(),
        }
    }

    /// features: [batch, inputs] → weights: [batch, outputs, slots]
    pub fn forward(
        &self,
        features: Tensor<2>,
        active: &Active,
        dropout: &mut Dropout,
    ) -> Tensor<3> {
        self.weights(self.hidden(features, dropout), active)
    }

    /// h, the output of the fully connected layers: [batch, inputs] → [batch, units]
    pub(super) fn hidden(&self, features: Tensor<2>, dropout: &mut Dropout) -> Tensor<2> {
        self.layers.forward(features, dropout)
    }

    /// h: [batch, units] → weights: [batch, outputs, slots]
    pub(super) fn weights(&self, h: Tensor<2>, active: &Active) -> Tensor<3> {
        let [batch, units] = h.dims();
        let [features, outputs] = [self.biases.val().dims()[0], self.outputs];
        // In training, when many features are listed, one product with all of them is cheaper than a copy of V_j each;
        // a prediction is computed the same way for any batch, so that its bits do not depend on the others.
        let is_training = self.vectors.val().is_require_grad();
        let few = |slots: usize| !is_training || batch * slots < features;
        let Some(indices) = active.indices.as_ref().filter(|_| few(active.slots)) else {
            let vectors = self.vectors.val().reshape([features * outputs, units]);
            let biases = self.biases.val().reshape([features * outputs]);
            let weights = dense_transposed(h, vectors, biases, &self.cache);
            let weights = weights.reshape([batch, features, outputs]).swap_dims(1, 2);
            return match &active.indices {
                None => weights,
                Some(indices) => {
                    let slots = [batch, outputs, active.slots];
                    weights.gather(2, indices.clone().unsqueeze_dim::<3>(1).expand(slots))
                }
            };
        };
        let indices = indices.clone().reshape([batch * active.slots]);
        let vectors = self.vectors.val().select(0, indices.clone());
        let vectors = vectors.reshape([batch, active.slots * outputs, units]);
        let weights = inner_product(vectors, h).reshape([batch, active.slots, outputs]);
        let biases = self.biases.val().select(0, indices);
        (weights + biases.reshape([batch, active.slots, outputs])).swap_dims(1, 2)
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

impl Headed<ImageCnn> {
    /// The feature extractor.
    pub(super) fn extractor(&self) -> &ImageCnn {
        &self.extractor
    }

    /// The weights from the maps of the last convolution: [batch, outputs, slots]
    pub(super) fn forward_maps(&self, maps: Tensor<4>, active: &Active) -> Tensor<3> {
        self.head.forward(ImageCnn::features_of(maps), active, &mut Dropout::off())
    }
}

impl<E: Extractor> Generator for Headed<E> {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.head.forward(self.extractor.extract(x, dropout), active, dropout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use burn::tensor::{Device, Int, TensorData};

    /// Listing all features in order and listing none (all, in order) are equivalent.
    #[test]
    fn listed_and_unlisted_features_get_the_same_weights() {
        let device = Device::default();
        let mut rng = stream(5, Purpose::Initialize, 0, 0);
        let mut init = Init::new(&mut rng, &device);
        let size = HeadSize { inputs: 4, layers: 2, units: 6, dropout: 0.0 };
        let head = Head::new(size, 5, 3, &mut init);
        let x = Tensor::<2>::from_data([[0.3, -1.0, 2.0, 0.1], [1.0, 0.0, -0.5, 0.7]], &device);
        let all = Active::all(5);
        // The second sample lists the features backwards.
        let indices: Vec<i64> = (0..5).chain((0..5).rev()).collect();
        let indices = Tensor::<2, Int>::from_data(TensorData::new(indices, [2, 5]), &device);
        let listed = Active { indices: Some(indices), ..Active::all(5) };
        let run = |active| -> Vec<f32> {
            let weights = head.forward(x.clone(), active, &mut Dropout::off());
            assert_eq!(weights.dims(), [2, 3, 5]);
            weights.into_data().iter::<f32>().collect()
        };
        let (all, listed) = (run(&all), run(&listed));
        for c in 0..3 {
            for j in 0..5 {
                let at = |b: usize, slot: usize| (b * 3 + c) * 5 + slot;
                assert!((all[at(0, j)] - listed[at(0, j)]).abs() < 1e-5);
                assert!((all[at(1, j)] - listed[at(1, 4 - j)]).abs() < 1e-5);
            }
        }
    }
}
