//! Convolution, bias, ReLU and 2×2 max-pool as one operation.
//!
//! On the CPU backend the four are one pass over a few images at a time; elsewhere they are Burn's own
//! operations ([`conv_block_plain`]), which are also the reference in the tests.
//!
//! Images are stored pixel by pixel, [batch, h, w, channels]: every step treats all channels of a
//! pixel alike, so they are neighbours in memory.

use super::autodiff::{CustomOp, apply3};
use super::epilogue::PoolIndex;
use super::geometry::Geometry;
use super::kernel::Filters;
use super::packed_weights::PackedWeightCache;
use super::{PooledBuffer, Primitive, dims, is_supported, owned_tensor, slice, take_buffer};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::{conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use std::sync::Arc;

/// The filters of a block as prediction reads them.
pub(crate) type FilterCache = PackedWeightCache<Filters>;

/// The configuration of a block, without its weights.
#[derive(Debug, Clone)]
pub(crate) struct BlockOptions {
    /// Zeros around the image.
    pub padding: usize,
    /// Whether 2×2 windows are pooled; an odd last row or column is dropped.
    pub pool: bool,
    /// Keeps the filters in the layout that prediction reads.
    pub cache: FilterCache,
}

/// max-pool(ReLU(x ∗ W + b)), on any backend. NaN propagates.
///
/// x: [batch, h, w, channels], weight: [filters, channels, kh, kw], bias: `[filters]` →
/// [batch, h', w', filters], halved if `pool`
///
/// # Panics
/// If the kernel is larger than the padded image, or pooling leaves nothing of it.
pub(crate) fn conv_block(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    options: BlockOptions,
) -> Tensor<4> {
    if !is_supported(&x) {
        return conv_block_plain(x, weight, bias, options);
    }
    apply3(ConvBlockOp(options), x, weight, bias)
}

/// [`conv_block`] in Burn's own operations.
pub(crate) fn conv_block_plain(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    BlockOptions { padding, pool, .. }: BlockOptions,
) -> Tensor<4> {
    let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
    let h = relu(conv2d(x.permute([0, 3, 1, 2]), weight, Some(bias), options));
    let h = if pool { max_pool2d(h, MaxPoolOptions::new([2, 2])) } else { h };
    h.permute([0, 2, 3, 1])
}

#[derive(Debug)]
struct ConvBlockOp(BlockOptions);

impl CustomOp<3> for ConvBlockOp {
    /// The filters, x, and the index of each pooled value in its window.
    type Saved = (Arc<Filters>, Primitive, Arc<PooledBuffer<PoolIndex>>);

    fn infer(self, [x, weight, bias]: [Primitive; 3]) -> Primitive {
        let geometry = geometry(&x, &weight, &self.0);
        let fits = |filters: &Filters| *filters.geometry() == geometry;
        let pack = || Filters::new(geometry, slice(&weight), false);
        let filters = self.0.cache.get_or_pack(&weight, fits, pack);
        convolve(&filters, &x, &bias, None)
    }

    fn forward(
        self,
        [x, weight, bias]: [Primitive; 3],
        [want_x, want_weight, _]: [bool; 3],
    ) -> (Primitive, Self::Saved) {
        let geometry = geometry(&x, &weight, &self.0);
        let pack = || Filters::new(geometry, slice(&weight), want_x);
        let fits = |filters: &Filters| *filters.geometry() == geometry && filters.has_backward();
        // Frozen weights do not change, so their packed filters can be cached.
        let filters = match want_weight {
            true => Arc::new(pack()),
            false => self.0.cache.get_or_pack(&weight, fits, pack),
        };
        let [batch] = dims(&x);
        let mut indices = take_buffer(batch * filters.geometry().output_len());
        let output = convolve(&filters, &x, &bias, Some(&mut indices));
        (output, (filters, x, Arc::new(indices)))
    }

    fn backward(
        (filters, x, indices): Self::Saved,
        upstream: &[f32],
        [want_x, want_weight, want_bias]: [bool; 3],
    ) -> [Option<Primitive>; 3] {
        let found = filters.backward(slice(&x), upstream, &indices, [want_x, want_weight]);
        let g = filters.geometry();
        let kernel = [g.filters, g.input[2], g.kernel[0], g.kernel[1]];
        [
            found.x.map(|gradient| gradient.into_tensor::<4>(dims(&x))),
            found.weight.map(|gradient| owned_tensor(gradient, kernel)),
            want_bias.then(|| owned_tensor(found.bias, [g.filters])),
        ]
    }
}

fn geometry(x: &Primitive, weight: &Primitive, options: &BlockOptions) -> Geometry {
    let [batch, height, width, channels] = dims(x);
    let [filters, inputs, kh, kw] = dims(weight);
    assert!(batch > 0, "a batch holds at least one image");
    assert_eq!(channels, inputs, "images and filters have the same channels");
    let fits = |side: usize, kernel: usize| side + 2 * options.padding >= kernel;
    assert!(fits(height, kh) && fits(width, kw), "the kernel fits the padded image");
    Geometry {
        input: [height, width, channels],
        filters,
        kernel: [kh, kw],
        padding: options.padding,
        pool: options.pool,
    }
}

/// The forward pass and, if wanted, the index of each pooled value in its window.
fn convolve(
    filters: &Filters,
    x: &Primitive,
    bias: &Primitive,
    indices: Option<&mut [PoolIndex]>,
) -> Primitive {
    let g = filters.geometry();
    let ([batch], [height, width]) = (dims(x), g.output());
    let mut output = take_buffer(batch * g.output_len());
    filters.forward(slice(bias), slice(x), &mut output, indices);
    output.into_tensor([batch, height, width, g.filters])
}
