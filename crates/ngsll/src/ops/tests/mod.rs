//! Each operation against its plain form in Burn's own operations: values and gradients.

mod column_embedding;
mod conv1d_relu;
mod conv_block;
mod dropout;
mod embedding;
mod inner_product;
mod max_over_cells;
mod max_over_time;

use crate::random::{Purpose, stream};
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

/// Random tensors with autodiff.
struct Draw {
    rng: ChaCha8Rng,
    device: Device,
    /// Small multiples of 1/4 instead of any numbers: every sum is exact in f32, in whatever order and
    /// through whatever transform.
    exact: bool,
}

impl Draw {
    fn new(seed: u64, exact: bool) -> Self {
        let rng = stream(seed, Purpose::Sample, 0, 0);
        Self { rng, device: Device::default().autodiff(), exact }
    }

    fn tensor<const D: usize>(&mut self, shape: [usize; D]) -> Tensor<D> {
        let mut value = || {
            let value: f32 = self.rng.random_range(-1.0..1.0);
            if self.exact { (value * 4.0).round() / 4.0 } else { value }
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| value()).collect();
        Tensor::from_data(TensorData::new(values, shape), &self.device)
    }
}

/// A layer on random numbers: the shapes of x and of the weight, whose outputs have a bias each.
struct Layer<const D: usize, const W: usize> {
    x: [usize; D],
    weight: [usize; W],
    outputs: usize,
    /// Whether the gradient of x is computed.
    want_x: bool,
    seed: u64,
    /// See [`Draw::exact`].
    exact: bool,
}

impl<const D: usize, const W: usize> Layer<D, W> {
    /// The output with and without autodiff, and the gradients of x, weight and bias.
    fn run(&self, forward: impl Fn(Tensor<D>, Tensor<W>, Tensor<1>) -> Tensor<D>) -> [Vec<f32>; 5] {
        let mut draw = Draw::new(self.seed, self.exact);
        let x = draw.tensor(self.x).set_require_grad(self.want_x);
        let weight = draw.tensor(self.weight).require_grad();
        let bias = draw.tensor([self.outputs]).require_grad();
        let output = forward(x.clone(), weight.clone(), bias.clone());
        let predicted = forward(x.clone().inner(), weight.clone().inner(), bias.clone().inner());
        let upstream = draw.tensor(output.dims());
        let gradients = (output.clone() * upstream).sum().backward();
        [
            numbers(output),
            numbers(predicted),
            x.grad(&gradients).map_or(Vec::new(), numbers),
            numbers(weight.grad(&gradients).unwrap()),
            numbers(bias.grad(&gradients).unwrap()),
        ]
    }
}
