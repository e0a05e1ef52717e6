//! The layers of the generators, with initial weights drawn from a stream that is passed in.
//!
//! Hand-written because those of burn-nn draw their weights from a generator shared by the whole process, so that a seed
//! would not determine them in concurrent training runs. These also call the operations of `ops`: a layer fused with its
//! ReLU and pooling, packed weights, and gradients for only those words that a batch holds.

use crate::ops::column_embedding::column_embedding;
use crate::ops::conv_block::{BlockOptions, FilterCache, conv_block};
use crate::ops::conv1d_relu::{WeightCache, conv1d_relu, dense, linear_relu};
use crate::ops::embedding::embedding;
use crate::random::normal;
use crate::representation::{ColumnRows, TableRows};
use burn::module::{Module, Param, ParamId};
use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The source and the device of new parameters.
#[derive(Debug)]
pub struct Init<'a> {
    /// The stream of initial weights.
    pub rng: &'a mut ChaCha8Rng,
    /// The device that holds the parameters.
    pub device: &'a Device,
    /// Whether parameters have a shape but no values yet.
    unfilled: bool,
}

impl<'a> Init<'a> {
    /// Parameters with values drawn from a stream.
    pub fn new(rng: &'a mut ChaCha8Rng, device: &'a Device) -> Self {
        Self { rng, device, unfilled: false }
    }

    /// Parameters that take no memory until they are filled, so that a file can be compared with the network
    /// before it is loaded. Nothing is drawn.
    pub(crate) fn unfilled(rng: &'a mut ChaCha8Rng, device: &'a Device) -> Self {
        Self { rng, device, unfilled: true }
    }

    /// A parameter drawn uniformly from [−bound, bound].
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Param<Tensor<D>> {
        self.parameter(shape, |rng, n| {
            (0..n).map(|_| ((rng.random::<f64>() * 2.0 - 1.0) * bound) as f32).collect()
        })
    }

    /// A parameter drawn from the standard normal distribution.
    pub(crate) fn normal<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.parameter(shape, normal)
    }

    /// A parameter that starts at 1.
    pub(crate) fn ones<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.parameter(shape, |_, n| vec![1.0; n])
    }

    /// A parameter that starts at 0.
    pub(crate) fn zeros<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.parameter(shape, |_, n| vec![0.0; n])
    }

    /// A parameter with the values that `draw` gives for their number.
    fn parameter<const D: usize>(
        &mut self,
        shape: [usize; D],
        draw: impl FnOnce(&mut ChaCha8Rng, usize) -> Vec<f32>,
    ) -> Param<Tensor<D>> {
        if self.unfilled {
            let zeros = move |device: &Device, _| Tensor::zeros(shape, device);
            return Param::uninitialized(
                ParamId::new(),
                zeros,
                self.device.clone(),
                true,
                shape.into(),
            );
        }
        let values = draw(self.rng, shape.iter().product());
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
    #[module(skip)]
    cache: WeightCache,
}

impl Linear {
    /// Weights and biases uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, init: &mut Init<'_>) -> Self {
        let bound = 1.0 / (inputs.max(1) as f64).sqrt();
        Self::of(init.uniform([inputs, outputs], bound), init.uniform([outputs], bound))
    }

    /// From a weight, [in, out], and a bias, `[out]`.
    pub fn of(weight: Param<Tensor<2>>, bias: Param<Tensor<1>>) -> Self {
        Self { weight, bias, cache: WeightCache::default() }
    }

    /// x: [.., in] → [.., out]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let mut shape = x.dims();
        let inputs = shape[D - 1];
        let rows = shape[..D - 1].iter().product();
        let x = x.reshape([rows, inputs]);
        let y = dense(x, self.weight.val(), self.bias.val(), &self.cache);
        shape[D - 1] = y.dims()[1];
        y.reshape(shape)
    }
}

/// A stack of fully connected layers, each with ReLU and dropout.
#[derive(Module, Debug)]
pub struct FullyConnected {
    layers: Vec<Linear>,
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
        let layers = (0..layers).map(|l| Linear::new(width(l), units, init)).collect();
        Self { layers, dropout }
    }

    /// x: [batch, in] → [batch, units]
    pub fn forward(&self, mut x: Tensor<2>, dropout: &mut super::Dropout) -> Tensor<2> {
        for Linear { weight, bias, cache } in &self.layers {
            let h = linear_relu(x, weight.val(), bias.val(), cache);
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
    cache: FilterCache,
}

impl ConvBlock {
    /// `size` × `size` kernels; `size` is odd.
    pub fn new(inputs: usize, outputs: usize, size: usize, init: &mut Init<'_>) -> Self {
        let bound = 1.0 / ((inputs * size * size) as f64).sqrt();
        let weight = init.uniform([outputs, inputs, size, size], bound);
        Self { weight, bias: init.uniform([outputs], bound), cache: FilterCache::default() }
    }

    /// x: [batch, h, w, in] → [batch, h, w, out], halved if `pool`
    pub fn forward(&self, x: Tensor<4>, pool: bool) -> Tensor<4> {
        let (weight, bias) = (self.weight.val(), self.bias.val());
        let padding = weight.dims()[2] / 2;
        conv_block(x, weight, bias, BlockOptions { padding, pool, cache: self.cache.clone() })
    }
}

/// A convolution over time that keeps the length, with ReLU: a linear layer over each position's
/// window.
#[derive(Module, Debug)]
pub struct Conv1d {
    /// [size · in, out]
    linear: Linear,
}

impl Conv1d {
    /// Kernels over `size` neighbouring positions.
    pub fn new(inputs: usize, outputs: usize, size: usize, init: &mut Init<'_>) -> Self {
        Self { linear: Linear::new(size * inputs, outputs, init) }
    }

    /// x: [batch, time, in] → [batch, time, out]; even sizes look one further ahead than back.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let Linear { weight, bias, cache } = &self.linear;
        conv1d_relu(x, weight.val(), bias.val(), cache)
    }
}

/// A vector for each token id.
#[derive(Module, Debug)]
pub struct Embedding {
    /// [ids, width]
    pub weight: Param<Tensor<2>>,
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

/// A vector for the value of each column of a table.
#[derive(Module, Debug)]
pub struct ColumnEmbedding {
    /// [rows, width]
    weight: Param<Tensor<2>>,
}

impl ColumnEmbedding {
    /// Values of about the same size for every column: uniform in ±1, or ±1/√n for the n bins of a number,
    /// which are added up.
    pub fn new(columns: &[ColumnRows], width: usize, init: &mut Init<'_>) -> Self {
        let bound = |column: &ColumnRows| match column.numeric {
            true => 1.0 / (column.rows.saturating_sub(2).max(1) as f32).sqrt(),
            false => 1.0,
        };
        let bounds = columns.iter().flat_map(|column| {
            let inner = std::iter::repeat_n(bound(column), column.rows.saturating_sub(2));
            std::iter::once(1.0).chain(inner).chain([1.0])
        });
        // Every column has a first and a last row.
        let rows = columns.iter().map(|column| column.rows.max(2)).sum();
        let weight = init.parameter([rows, width], |rng, _| {
            let bounds = bounds.flat_map(|bound| std::iter::repeat_n(bound, width));
            bounds.map(|bound| (rng.random::<f32>() * 2.0 - 1.0) * bound).collect()
        });
        Self { weight }
    }

    /// rows → [columns, batch, width]; zeros where a column is erased
    pub fn forward(&self, rows: &TableRows) -> Tensor<3> {
        column_embedding(self.weight.val(), rows.factors(), rows.spans().into())
    }
}
