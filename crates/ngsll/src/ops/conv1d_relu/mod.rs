//! Convolution over time, bias and ReLU as one operation; with windows of one position, a dense layer, also
//! without ReLU.
//!
//! With zeros around a text, the window of a position is a contiguous run of numbers, so windows are
//! never copied: on the CPU backend the forward pass and both gradients are products that read them
//! in place. Elsewhere the operation is made of Burn's own ([`conv1d_relu_plain`]), which is also the
//! reference in the tests.

mod matrix;
mod passes;

use super::autodiff::{CustomOp, apply3};
use super::packed_weights::PackedWeightCache;
use super::{PooledBuffer, Primitive, dims, is_supported, owned_tensor, slice};
use burn::tensor::module::linear;
use burn::tensor::{Tensor, activation};
use matrix::{pad_columns, transposed, transposed_and_padded};
use passes::Sizes;
use std::sync::Arc;

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
    let op = Conv1dOp { relu: true, transposed: false, cache: cache.clone() };
    apply3(op, x, weight, bias)
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

/// x·W + b. Burn's own product uses another algorithm for few rows, whose sums have other bits: here a
/// row gives the same result beside any others, and so does a text or an image.
///
/// x: [rows, in], weight: [in, out], bias: `[out]` → [rows, out]
pub(crate) fn dense(
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    cache: &WeightCache,
) -> Tensor<2> {
    if !is_supported(&x) {
        return linear(x, weight, Some(bias));
    }
    let op = Conv1dOp { relu: false, transposed: false, cache: cache.clone() };
    apply3::<_, 3, 2, 1, 3>(op, x.unsqueeze_dim(0), weight, bias).squeeze_dim(0)
}

/// [`dense`] with a weight that lists its columns: x·Vᵀ + b.
///
/// x: [rows, in], weight: [out, in], bias: `[out]` → [rows, out]
pub(crate) fn dense_transposed(
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    cache: &WeightCache,
) -> Tensor<2> {
    if !is_supported(&x) {
        return linear(x, weight.transpose(), Some(bias));
    }
    let op = Conv1dOp { relu: false, transposed: true, cache: cache.clone() };
    apply3::<_, 3, 2, 1, 3>(op, x.unsqueeze_dim(0), weight, bias).squeeze_dim(0)
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
struct Conv1dOp {
    relu: bool,
    /// Whether the weight is [out, in], for windows of one position.
    transposed: bool,
    cache: WeightCache,
}

impl Conv1dOp {
    fn sizes(&self, x: &Primitive, weight: &Primitive) -> Sizes {
        let [rows, columns] = dims(weight);
        let weight = if self.transposed { [columns, rows] } else { [rows, columns] };
        Sizes::of(dims(x), weight)
    }

    /// [size · in, padded out]
    fn padded(&self, weight: &Primitive, sizes: Sizes) -> PooledBuffer {
        match self.transposed {
            false => pad_columns(slice(weight), sizes.outputs),
            true => transposed_and_padded(slice(weight), sizes.inputs),
        }
    }
}

impl CustomOp<3> for Conv1dOp {
    /// Itself, x, weight and, if ReLU set some of it to zero, the output.
    type Saved = (Arc<Self>, Primitive, Primitive, Option<Primitive>);

    fn infer(self, [x, weight, bias]: [Primitive; 3]) -> Primitive {
        let sizes = self.sizes(&x, &weight);
        let pack = || PaddedWeight(self.padded(&weight, sizes));
        let padded = self.cache.get_or_pack(&weight, |_| true, pack);
        sizes.forward(slice(&x), &padded.0, slice(&bias), self.relu)
    }

    fn forward(self, [x, weight, bias]: [Primitive; 3], _: [bool; 3]) -> (Primitive, Self::Saved) {
        let sizes = self.sizes(&x, &weight);
        let padded = self.padded(&weight, sizes);
        let output = sizes.forward(slice(&x), &padded, slice(&bias), self.relu);
        let kept = self.relu.then(|| output.clone());
        (output, (Arc::new(self), x, weight, kept))
    }

    fn backward(
        (op, x, weight, output): Self::Saved,
        upstream: &[f32],
        [want_x, want_weight, want_bias]: [bool; 3],
    ) -> [Option<Primitive>; 3] {
        let sizes = op.sizes(&x, &weight);
        let (through, sums) = sizes.relu_backward(upstream, output.as_ref().map(slice));
        let of_x = || {
            let back = match op.transposed {
                false => sizes.reversed(slice(&weight)),
                true => pad_columns(slice(&weight), sizes.inputs),
            };
            sizes.x_gradient(&through, &back)
        };
        let of_weight = || {
            let gradient = sizes.weight_gradient(slice(&x), &through);
            match op.transposed {
                false => owned_tensor(gradient, dims::<2>(&weight)),
                true => owned_tensor(transposed(&gradient, sizes.outputs), dims::<2>(&weight)),
            }
        };
        [
            want_x.then(of_x),
            want_weight.then(of_weight),
            want_bias.then(|| owned_tensor(sums, [sizes.outputs])),
        ]
    }
}
