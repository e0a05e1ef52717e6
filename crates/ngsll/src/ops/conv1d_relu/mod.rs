//! Convolution over time, bias and ReLU as one operation; with windows of one position, a dense layer.
//!
//! With zeros around a text, the window of a position is a contiguous run of numbers, so windows are
//! never copied: on the CPU backend the forward pass and both gradients are products that read them
//! in place. Elsewhere the operation is made of Burn's own ([`conv1d_relu_plain`]), which is also the
//! reference in the tests.

mod matrix;
mod passes;

use super::autodiff::{CustomOp, apply3};
use super::packed_weights::PackedWeightCache;
use super::{PooledBuffer, Primitive, is_supported, owned_tensor, slice};
use burn::tensor::module::linear;
use burn::tensor::{Tensor, activation};
use matrix::pad_columns;
use passes::Sizes;

/// A weight as the products read it: its columns padded to whole vectors.
#[derive(Debug)]
pub(crate) struct PaddedWeight(PooledBuffer);

/// A weight as prediction reads it.
pub(crate) type WeightCache = PackedWeightCache<PaddedWeight>;

/// ReLU(x ∗ W + b), with zeros around each text so that its length stays; a window of even size
/// looks one further ahead than back. NaN propagates.
///
/// x: [batch, time, in], weight: [size · in, out], bias: `[out]` → [batch, time, out]
pub(crate) fn conv1d_relu(
    x: Tensor<3>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    cache: &WeightCache,
) -> Tensor<3> {
    if !is_supported(&x) {
        return conv1d_relu_plain(x, weight, bias);
    }
    apply3(Conv1dRelu(cache.clone()), x, weight, bias)
}

/// ReLU(x·W + b): a convolution with windows of one position, over one text whose positions are the
/// samples.
///
/// x: [batch, in], weight: [in, out], bias: `[out]` → [batch, out]
pub(crate) fn linear_relu(
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    cache: &WeightCache,
) -> Tensor<2> {
    conv1d_relu(x.unsqueeze_dim(0), weight, bias, cache).squeeze_dim(0)
}

/// [`conv1d_relu`] in Burn's own operations: a linear layer over each position's window.
pub(crate) fn conv1d_relu_plain(x: Tensor<3>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<3> {
    let [batch, time, inputs] = x.dims();
    let size = weight.dims()[0] / inputs;
    let zeros = |n: usize| Tensor::zeros([batch, n, inputs], &x.device());
    let parts = [((size - 1) / 2, None), (0, Some(x.clone())), (size / 2, None)];
    let parts = parts.into_iter().filter(|(n, x)| *n > 0 || x.is_some());
    let all = Tensor::cat(parts.map(|(n, x)| x.unwrap_or_else(|| zeros(n))).collect(), 1);
    let shifted = |s: usize| all.clone().slice_dim(1, s..s + time);
    activation::relu(linear(Tensor::cat((0..size).map(shifted).collect(), 2), weight, Some(bias)))
}

#[derive(Debug)]
struct Conv1dRelu(WeightCache);

impl CustomOp<3> for Conv1dRelu {
    /// x, weight and the output.
    type Saved = [Primitive; 3];

    fn infer(self, [x, weight, bias]: [Primitive; 3]) -> Primitive {
        let sizes = Sizes::of(&x, &weight);
        let pack = || PaddedWeight(pad_columns(slice(&weight), sizes.outputs));
        let padded = self.0.get_or_pack(&weight, |_| true, pack);
        sizes.forward(slice(&x), &padded.0, slice(&bias))
    }

    fn forward(self, [x, weight, bias]: [Primitive; 3], _: [bool; 3]) -> (Primitive, Self::Saved) {
        let sizes = Sizes::of(&x, &weight);
        let padded = pad_columns(slice(&weight), sizes.outputs);
        let output = sizes.forward(slice(&x), &padded, slice(&bias));
        (output.clone(), [x, weight, output])
    }

    fn backward(
        [x, weight, output]: Self::Saved,
        upstream: &[f32],
        [want_x, want_weight, want_bias]: [bool; 3],
    ) -> [Option<Primitive>; 3] {
        let sizes = Sizes::of(&x, &weight);
        let (through, sums) = sizes.relu_backward(upstream, slice(&output));
        [
            want_x.then(|| sizes.x_gradient(&through, slice(&weight))),
            want_weight.then(|| sizes.weight_gradient(slice(&x), &through)),
            want_bias.then(|| owned_tensor(sums, [sizes.outputs])),
        ]
    }
}
