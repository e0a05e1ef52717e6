//! The layers the generators are made of, with initial weights drawn from a stream that is passed in.

use crate::ops::conv_block::{BlockOptions, KeptFilters, conv_block};
use crate::ops::embedding::embedding;
use crate::ops::time_conv::{KeptTaps, time_conv};
use burn::module::{Module, Param};
use burn::tensor::module::linear;
use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Where new parameters come from and where they go.
#[derive(Debug)]
pub struct Init<'a> {
    /// The stream of initial weights.
    pub rng: &'a mut ChaCha8Rng,
    /// The device that holds the parameters.
    pub device: &'a Device,
}

impl Init<'_> {
    /// A parameter drawn uniformly from [−bound, bound].
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Param<Tensor<D>> {
        let draw = |_| ((self.rng.random::<f64>() * 2.0 - 1.0) * bound) as f32;
        let values: Vec<f32> = (0..shape.iter().product()).map(draw).collect();
        Param::from_data(TensorData::new(values, shape), self.device)
    }
}

/// y = x·W + b.
#[derive(Module, Debug)]
pub struct Linear {
    /// [in, out]
    pub weight: Param<Tensor<2>>,
    /// `[out]`
    pub bias: Param<Tensor<1>>,
}

impl Linear {
    /// Weights and biases uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, init: &mut Init<'_>) -> Self {
        let bound = 1.0 / (inputs.max(1) as f64).sqrt();
        Self {
            weight: init.uniform([inputs, outputs], bound),
            bias: init.uniform([outputs], bound),
        }
    }

    /// x: [.., in] → [.., out]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let mut shape = x.dims();
        let inputs = shape[D - 1];
        let rows = shape[..D - 1].iter().product();
        // As one matrix: of a stack of them, Burn would make as many gradients of the weight first.
        let y: Tensor<2> =
            linear(x.reshape([rows, inputs]), self.weight.val(), Some(self.bias.val()));
        shape[D - 1] = y.dims()[1];
        y.reshape(shape)
    }
}

/// A stack of fully connected layers, each with ReLU and dropout.
#[derive(Module, Debug)]
pub struct FullyConnected {
    layers: Vec<Linear>,
    #[module(skip)]
    kept: Vec<KeptTaps>,
    #[module(skip)]
    dropout: f64,
}

impl FullyConnected {
    /// `layers` layers of `units` units.
    pub fn new(
        inputs: usize,
        layers: usize,
        units: usize,
        dropout: f64,
        init: &mut Init<'_>,
    ) -> Self {
        let width = |l| if l == 0 { inputs } else { units };
        let kept = (0..layers).map(|_| KeptTaps::default()).collect();
        let layers = (0..layers).map(|l| Linear::new(width(l), units, init)).collect();
        Self { layers, kept, dropout }
    }

    /// x: [batch, in] → [batch, units]
    pub fn forward(&self, mut x: Tensor<2>, dropout: &mut super::Dropout) -> Tensor<2> {
        for (layer, kept) in self.layers.iter().zip(&self.kept) {
            // A window of one position: the samples are the positions of one text.
            let (weight, bias) = (layer.weight.val(), layer.bias.val());
            let h = time_conv(x.unsqueeze_dim(0), weight, bias, kept).squeeze_dim(0);
            x = dropout.apply(h, self.dropout);
        }
        x
    }
}

/// A square convolution over images that keeps their size, with ReLU and, if wanted, 2×2 max-pool.
#[derive(Module, Debug)]
pub struct ConvBlock {
    /// [out, in, size, size]
    weight: Param<Tensor<4>>,
    /// `[out]`
    bias: Param<Tensor<1>>,
    #[module(skip)]
    kept: KeptFilters,
}

impl ConvBlock {
    /// `size` × `size` kernels; `size` is odd.
    pub fn new(inputs: usize, outputs: usize, size: usize, init: &mut Init<'_>) -> Self {
        let bound = 1.0 / ((inputs * size * size) as f64).sqrt();
        let weight = init.uniform([outputs, inputs, size, size], bound);
        Self { weight, bias: init.uniform([outputs], bound), kept: KeptFilters::default() }
    }

    /// x: [batch, h, w, in] → [batch, h, w, out], halved if `pool`
    pub fn forward(&self, x: Tensor<4>, pool: bool) -> Tensor<4> {
        let (weight, bias) = (self.weight.val(), self.bias.val());
        let padding = weight.dims()[2] / 2;
        conv_block(x, weight, bias, BlockOptions { padding, pool, kept: self.kept.clone() })
    }
}

/// A convolution over time that keeps the length, with ReLU: a linear layer over each position's
/// window.
#[derive(Module, Debug)]
pub struct Conv1d {
    /// [size · in, out]
    linear: Linear,
    #[module(skip)]
    kept: KeptTaps,
}

impl Conv1d {
    /// Kernels over `size` neighbouring positions.
    pub fn new(inputs: usize, outputs: usize, size: usize, init: &mut Init<'_>) -> Self {
        let linear = Linear::new(size * inputs, outputs, init);
        Self { linear, kept: KeptTaps::default() }
    }

    /// x: [batch, time, in] → [batch, time, out]; even sizes look one further ahead than back.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        time_conv(x, self.linear.weight.val(), self.linear.bias.val(), &self.kept)
    }
}

/// A vector for each token id.
#[derive(Module, Debug)]
pub struct Embedding {
    /// [ids, width]
    weight: Param<Tensor<2>>,
}

impl Embedding {
    /// Uniform in ±`bound`.
    pub fn new(ids: usize, width: usize, bound: f64, init: &mut Init<'_>) -> Self {
        Self { weight: init.uniform([ids, width], bound) }
    }

    /// The vectors of the batch's own tokens ([`crate::representation::X::Tokens`]), at most once
    /// per forward pass: training visits only the rows of the words that a batch holds.
    ///
    /// ids: [batch, time] → [batch, time, width]
    pub fn forward(&self, ids: Tensor<2, Int>) -> Tensor<3> {
        embedding(self.weight.val(), ids)
    }
}
