//! The experts, their attention and the auxiliary heads: everything but the square layer
//! ([`super::square`]).

use super::patches::FOUR;
use burn::module::{Module, Param};
use burn::tensor::activation::{log_softmax, relu};
use burn::tensor::module::linear;
use burn::tensor::{Tensor, TensorData};
use ngsll::generator::Dropout;
use ngsll::generator::layers::{Init, Linear};

/// The dropout rate of hidden units and of attention weights.
const DROPOUT: f64 = 0.2;

/// Keeps the sum of the attention weights, and the argument of a logarithm, above zero.
pub(super) const EPSILON: f64 = 1e-7;

/// The sizes that determine the parameters of a network.
#[derive(Debug, Clone, Copy)]
pub(super) struct NetworkShape {
    pub experts: usize,
    pub channels: usize,
    pub filters: [usize; 2],
    pub classes: usize,
}

impl NetworkShape {
    /// |c|, the size of all h and all p.
    pub fn joined(&self) -> usize {
        self.experts * (self.filters[1] + self.classes)
    }
}

/// The parameters that Burn's autodiff trains.
#[derive(Module, Debug)]
pub(super) struct MixtureNetwork {
    /// The first convolution: [4 · channels, filters]
    pub first: Linear,
    /// The second one: [4 · filters, width]
    pub second: Linear,
    /// W_i of each expert's own softmax: [experts, width, classes]
    pub own: Param<Tensor<3>>,
    /// b_i: [experts, classes]
    pub own_bias: Param<Tensor<2>>,
    /// U: [|c|, experts]
    pub context: Param<Tensor<2>>,
    /// s: `[experts]`
    pub scale: Param<Tensor<1>>,
    /// The auxiliary heads on several h: [experts, width, heads · classes]. Head i < experts is the
    /// one without expert i, the last one reads all.
    pub auxiliary: Param<Tensor<3>>,
    /// [heads · classes]
    pub auxiliary_bias: Param<Tensor<1>>,
}

/// The result of a forward pass.
#[derive(Debug)]
pub(super) struct NetworkOutput {
    /// [batch, experts, width]
    pub h: Tensor<3>,
    /// log p_i: [batch, experts, classes]
    pub log_p: Tensor<3>,
    /// a: [batch, experts]
    pub attention: Tensor<2>,
    /// ŷ = Σ a_i p_i: [batch, classes]
    pub prediction: Tensor<2>,
}

impl MixtureNetwork {
    /// Glorot-uniform weights, zero biases.
    pub fn new(shape: NetworkShape, init: &mut Init<'_>) -> Self {
        let NetworkShape { experts, channels, filters: [first, width], classes } = shape;
        let convolution = |inputs: usize, outputs: usize, init: &mut Init<'_>| {
            let bound = glorot(FOUR * inputs, FOUR * outputs);
            let bias = Param::from_tensor(Tensor::zeros([outputs], init.device));
            Linear::of(init.uniform([FOUR * inputs, outputs], bound), bias)
        };
        let joined = shape.joined();
        let heads = (experts + 1) * classes;
        let scale = (1.0 / joined as f64).sqrt();
        Self {
            first: convolution(channels, first, init),
            second: convolution(first, width, init),
            own: init.uniform([experts, width, classes], glorot(width, classes)),
            own_bias: Param::from_tensor(Tensor::zeros([experts, classes], init.device)),
            context: init.uniform([joined, experts], glorot(joined, experts)),
            scale: Param::from_tensor(Tensor::full([experts], scale, init.device)),
            auxiliary: init.uniform([experts, width, heads], glorot(experts * width, classes)),
            auxiliary_bias: Param::from_tensor(Tensor::zeros([heads], init.device)),
        }
    }

    /// x: [batch · experts · 4, 4 · channels]; `square` is u = tanh(W c + b), [batch, |c|] each way
    pub fn forward(
        &self,
        x: Tensor<2>,
        dropout: &mut Dropout,
        square: impl FnOnce(Tensor<2>) -> Tensor<2>,
    ) -> NetworkOutput {
        let h = self.hidden(x, dropout);
        let log_p = self.own(h.clone());
        let p = log_p.clone().exp();
        let joined = Tensor::cat(vec![h.clone().flatten::<2>(1, 2), p.clone().flatten(1, 2)], 1);
        let attention = self.attention(square(joined), dropout);
        let prediction = (attention.clone().unsqueeze_dim::<3>(2) * p).sum_dim(1).squeeze_dim(1);
        NetworkOutput { h, log_p, attention, prediction }
    }

    /// x: [batch · experts · 4, 4 · channels] → h: [batch, experts, width]
    fn hidden(&self, x: Tensor<2>, dropout: &mut Dropout) -> Tensor<3> {
        let experts = self.own_bias.dims()[0];
        let windows = dropout.apply(elu(self.first.forward(x)), DROPOUT);
        let [rows, filters] = windows.dims();
        let patches = windows.reshape([rows / FOUR, FOUR * filters]);
        let h = dropout.apply(elu(self.second.forward(patches)), DROPOUT);
        let [rows, width] = h.dims();
        h.reshape([rows / experts, experts, width])
    }

    /// h: [batch, experts, width] → log softmax(W_i h_i + b_i): [batch, experts, classes]
    fn own(&self, h: Tensor<3>) -> Tensor<3> {
        let scores = h.swap_dims(0, 1).matmul(self.own.val()).swap_dims(0, 1);
        log_softmax(scores + self.own_bias.val().unsqueeze(), 2)
    }

    /// u: [batch, |c|] → a: [batch, experts], which sums to 1
    fn attention(&self, u: Tensor<2>, dropout: &mut Dropout) -> Tensor<2> {
        let context = self.context.val();
        let norm = context.clone().powi_scalar(2).sum().sqrt();
        let logits = u.matmul(context) * (self.scale.val() / norm).unsqueeze();
        let a = dropout.apply(logits.exp(), DROPOUT);
        let sum = a.clone().sum_dim(1).add_scalar(EPSILON);
        a / sum
    }

    /// The heads without expert i, and the one on all: h: [batch, experts, width] →
    /// log softmax: [batch, experts + 1, classes]
    pub fn auxiliary(&self, h: Tensor<3>) -> Tensor<3> {
        let [batch, experts, width] = h.dims();
        let [_, classes] = self.own_bias.dims();
        let heads = (experts + 1) * classes;
        // All heads are one product; the weights of experts a head must not read are masked by zeros, so
        // they get no gradient either.
        let reads = (0..experts).flat_map(|expert| {
            (0..heads).map(move |at| if at / classes == expert { 0.0_f32 } else { 1.0 })
        });
        let reads = TensorData::new(reads.collect::<Vec<_>>(), [experts, 1, heads]);
        let weight = self.auxiliary.val() * Tensor::from_data(reads, &h.device());
        let weight = weight.reshape([experts * width, heads]);
        let scores = linear(h.flatten::<2>(1, 2), weight, Some(self.auxiliary_bias.val()));
        log_softmax(scores.reshape([batch, experts + 1, classes]), 2)
    }

    /// Σ of the squares of both convolutions' kernels.
    pub fn kernel_squares(&self) -> Tensor<1> {
        let squares = |layer: &Linear| layer.weight.val().powi_scalar(2).sum();
        squares(&self.first) + squares(&self.second)
    }
}

/// The bound of Glorot's uniform distribution.
pub(super) fn glorot(inputs: usize, outputs: usize) -> f64 {
    (6.0 / (inputs + outputs) as f64).sqrt()
}

/// x if positive, else eˣ − 1; the exponential of a large x, whose gradient would not be finite, is never
/// taken.
fn elu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    relu(x.clone()) + x.clamp_max(0.0).exp().sub_scalar(1.0)
}
