//! Convolution, bias, ReLU and 2×2 max-pool as one operation.
//!
//! On the CPU backend the four are one pass over a few images at a time; elsewhere they are Burn's own
//! operations ([`conv_block_plain`]), which are also the reference in the tests.
//!
//! Images are stored pixel by pixel, [batch, h, w, channels]: what is done to a pixel is done to
//! all its channels, so they belong side by side.

use super::geometry::Geometry;
use super::kept::Kept;
pub use super::kernel::Filters;
use super::scratch::Lent;
use super::window::Code;
use super::{is_ours, own_tensor, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::{conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use std::sync::Arc;

/// How a block is computed, besides its weights.
#[derive(Debug, Clone)]
pub struct BlockOptions {
    /// Zeros around the image.
    pub padding: usize,
    /// Whether 2×2 windows are pooled; an odd last row or column is dropped.
    pub pool: bool,
    /// Keeps the filters in the form that prediction reads.
    pub kept: KeptFilters,
}

/// max-pool(ReLU(x ∗ W + b)), on any backend.
///
/// x: [batch, h, w, channels], weight: [filters, channels, kh, kw], bias: `[filters]` →
/// [batch, h', w', filters], halved if `pool`
///
/// # Panics
/// If the kernel is larger than the padded image, or pooling leaves nothing of it.
pub fn conv_block(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    options: BlockOptions,
) -> Tensor<4> {
    if !is_ours(&x) {
        return conv_block_plain(x, weight, bias, options);
    }
    Tensor::from_dispatch(<Dispatch as ConvBlockOps>::conv_block(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        options,
    ))
}

/// [`conv_block`] in Burn's own operations.
pub fn conv_block_plain(
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

/// The filters of a block as prediction reads them.
pub type KeptFilters = Kept<Filters>;

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait ConvBlockOps: Backend {
    /// See [`conv_block`].
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        options: BlockOptions,
    ) -> FloatTensor<Self>;
}

impl ConvBlockOps for Flex {
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        options: BlockOptions,
    ) -> FloatTensor<Self> {
        let (x, weight) = (x.to_contiguous(), weight.to_contiguous());
        let geometry = geometry(&x, &weight, &options);
        let fits = |filters: &Filters| *filters.geometry() == geometry;
        let make = || Filters::new(geometry, slice(&weight), false);
        let filters = options.kept.of(&weight, fits, make);
        run(&filters, &x, &bias.to_contiguous(), None)
    }
}

fn geometry(x: &FloatTensor<Flex>, weight: &FloatTensor<Flex>, options: &BlockOptions) -> Geometry {
    let (image, kernel) = (x.layout().shape(), weight.layout().shape());
    assert!(image[0] > 0, "a batch holds at least one image");
    assert_eq!(image[3], kernel[1], "images and filters have the same channels");
    let fits = |side: usize| image[1 + side] + 2 * options.padding >= kernel[2 + side];
    assert!(fits(0) && fits(1), "the kernel fits the padded image");
    Geometry {
        input: [image[1], image[2], image[3]],
        filters: kernel[0],
        kernel: [kernel[2], kernel[3]],
        padding: options.padding,
        pool: options.pool,
    }
}

/// The forward pass; with `codes`, also where each pooled value came from.
fn run(
    filters: &Filters,
    x: &FloatTensor<Flex>,
    bias: &FloatTensor<Flex>,
    codes: Option<&mut [Code]>,
) -> FloatTensor<Flex> {
    let g = filters.geometry();
    let (batch, [height, width]) = (x.layout().shape()[0], g.output());
    let mut output = room(batch * g.output_len());
    filters.forward(slice(bias), slice(x), &mut output, codes);
    tensor(output, [batch, height, width, g.filters])
}

impl<C: CheckpointStrategy> ConvBlockOps for Autodiff<Flex, C> {
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        options: BlockOptions,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct ConvBlockBackward;

        impl Backward<Flex, 3> for ConvBlockBackward {
            type State = (Arc<Filters>, FloatTensor<Flex>, Arc<Lent<Code>>);

            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let (filters, input, codes) = ops.state;
                let [x, weight, bias] = ops.parents;
                let found = filters.backward(slice(&input), slice(&upstream), &codes, x.is_some());
                let g = filters.geometry();
                if let (Some(node), Some(values)) = (x, found.x) {
                    let [height, width, channels] = g.input;
                    let batch = input.layout().shape()[0];
                    let shape = [batch, height, width, channels];
                    grads.register::<Flex>(node.id, tensor(values, shape));
                }
                if let Some(node) = weight {
                    let shape = [g.filters, g.input[2], g.kernel[0], g.kernel[1]];
                    grads.register::<Flex>(node.id, own_tensor(found.weight, shape));
                }
                if let Some(node) = bias {
                    grads.register::<Flex>(node.id, own_tensor(found.bias, [g.filters]));
                }
            }
        }

        let nodes = [x.node(), weight.node(), bias.node()];
        let prepared = ConvBlockBackward.prepare::<C>(nodes).compute_bound().stateful();
        let want_x = x.is_tracked();
        let (x, weight) =
            (x.into_primitive().to_contiguous(), weight.into_primitive().to_contiguous());
        let bias = bias.into_primitive().to_contiguous();
        let filters = Filters::new(geometry(&x, &weight, &options), slice(&weight), want_x);
        match prepared {
            OpsKind::Tracked(prep) => {
                let batch = x.layout().shape()[0];
                let mut codes = Lent::left_over(batch * filters.geometry().output_len());
                let output = run(&filters, &x, &bias, Some(&mut codes));
                prep.finish((Arc::new(filters), x, Arc::new(codes)), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(run(&filters, &x, &bias, None)),
        }
    }
}
