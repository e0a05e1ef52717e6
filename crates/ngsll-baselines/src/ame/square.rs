//! u = tanh(W c + b) with a square W, which holds nearly all of the weights and takes nearly all of the
//! time.
//!
//! W's gradient is as large as W; writing it to memory and reading it back would cost more than the
//! products. It is therefore computed from c and the gradient of W c + b, a few rows at a time, and
//! enters Adam's update while it is in the cache. The update is the same, but autodiff does not see W.

use super::network::glorot;
use burn::tensor::{Gradients, Tensor, TensorData};
use ngsll::generator::layers::Init;
use ngsll::train::Adam;
use rayon::prelude::*;

/// Rows of W whose gradient is computed at once: enough for a fast product, few enough for the cache.
const ROWS: usize = 96;

/// The layer's weights, without autodiff.
#[derive(Debug, Clone)]
pub(super) struct SquareLayer {
    /// [|c|, |c|]
    pub weight: Tensor<2>,
    /// `[|c|]`
    pub bias: Tensor<1>,
}

/// Intermediate results of the forward pass for an update.
#[derive(Debug)]
pub(super) struct Trace {
    /// c, without autodiff: [batch, |c|]
    c: Tensor<2>,
    /// b for each sample; its gradient is that of W c + b: [batch, |c|]
    biases: Tensor<2>,
}

/// Adam's state of the layer.
#[derive(Debug)]
pub(super) struct SquareAdamState {
    /// The number of updates.
    time: u32,
    /// m and v of each row of W.
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl SquareLayer {
    /// Glorot-uniform W, zero b; `init` is on a device without autodiff.
    pub fn new(size: usize, init: &mut Init<'_>) -> Self {
        let weight = init.uniform([size, size], glorot(size, size)).val().detach();
        Self { weight, bias: Tensor::zeros([size], init.device) }
    }

    /// c: [batch, |c|] → u: [batch, |c|], without autodiff
    pub fn forward(&self, c: Tensor<2>) -> Tensor<2> {
        (c.matmul(self.weight.clone()) + self.bias.clone().unsqueeze()).tanh()
    }

    /// The same with autodiff, and what [`SquareLayer::update`] needs.
    pub fn traced(&self, c: Tensor<2>) -> (Tensor<2>, Trace) {
        let shape = c.dims();
        let biases = self.bias.clone().unsqueeze::<2>().expand(shape);
        let biases = Tensor::from_inner(biases).require_grad();
        let trace = Trace { c: c.clone().inner(), biases: biases.clone() };
        let weight = Tensor::from_inner(self.weight.clone());
        ((c.matmul(weight) + biases).tanh(), trace)
    }

    /// One step of Adam; W is updated in place unless a clone of it is alive.
    pub fn update(
        self,
        trace: Trace,
        gradients: &mut Gradients,
        state: &mut SquareAdamState,
        adam: &Adam,
    ) -> Self {
        let outer = trace.biases.grad_remove(gradients).expect("the loss depends on the attention");
        let c = trace.c;
        let [batch, size] = c.dims();
        state.time += 1;
        let time = state.time;
        let bias = update_values(self.bias, |bias| {
            let gradient = numbers(outer.clone().sum_dim(0));
            adam.update(time, bias, &mut state.bias, slice(&gradient));
        });
        let weight = update_values(self.weight, |weight| {
            let blocks = weight.chunks_mut(ROWS * size);
            let blocks = blocks.zip(state.weight.chunks_mut(2 * ROWS * size)).enumerate();
            for (i, (weight, moments)) in blocks {
                let rows = i * ROWS..i * ROWS + weight.len() / size;
                let c = c.clone().slice([0..batch, rows]);
                let gradient = numbers(c.transpose().matmul(outer.clone()));
                weight
                    .par_chunks_mut(size)
                    .zip(moments.par_chunks_mut(2 * size))
                    .zip(slice(&gradient).par_chunks(size))
                    .for_each(|((weight, moments), gradient)| {
                        adam.update(time, weight, moments, gradient);
                    });
            }
        });
        Self { weight, bias }
    }
}

impl SquareAdamState {
    /// For a layer of this size, before the first update.
    pub fn new(size: usize) -> Self {
        Self { time: 0, weight: vec![0.0; 2 * size * size], bias: vec![0.0; 2 * size] }
    }
}

/// The values of a tensor as f32.
fn numbers<const D: usize>(tensor: Tensor<D>) -> TensorData {
    tensor.into_data_as::<f32>()
}

fn slice(data: &TensorData) -> &[f32] {
    data.as_slice().expect("the data were converted to f32")
}

/// Updates a tensor's values, in place unless a clone of it is alive.
pub(super) fn update_values<const D: usize>(
    tensor: Tensor<D>,
    update: impl FnOnce(&mut [f32]),
) -> Tensor<D> {
    let device = tensor.device();
    let mut data = numbers(tensor);
    update(data.as_mut_slice().expect("the data were converted to f32"));
    Tensor::from_data(data, &device)
}
