//! Convolution, bias, ReLU and 2×2 max-pool as one operation.
//!
//! On the CPU backend the four are one pass over each image, images in parallel; elsewhere they are
//! Burn's own operations ([`conv_block_plain`]), which are also the reference in the tests.

use super::conv_kernel::{Code, Geometry, Scratch, backward, forward};
use super::is_flex;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::activation::relu;
use burn::tensor::module::{conv2d, max_pool2d};
use burn::tensor::ops::{ConvOptions, MaxPoolOptions};
use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;
use std::cell::RefCell;

/// Gradients of the weights are summed in this many parts, whatever the number of threads, so that
/// the order of additions, and so every bit, is the same on one thread as on many.
const PARTS: usize = 8;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// max-pool(ReLU(x ∗ W + b)), on any backend.
///
/// x: [batch, channels, h, w], weight: [filters, channels, kh, kw], bias: `[filters]` →
/// [batch, filters, h', w'], halved (an odd last row or column is dropped) if `pool`
///
/// # Panics
/// If the kernel is larger than the padded image, or pooling leaves nothing of it.
pub fn conv_block(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    padding: usize,
    pool: bool,
) -> Tensor<4> {
    if !is_flex(&x.device()) {
        return conv_block_plain(x, weight, bias, padding, pool);
    }
    Tensor::from_dispatch(<Dispatch as ConvBlockOps>::conv_block(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        padding,
        pool,
    ))
}

/// [`conv_block`] in Burn's own operations.
pub fn conv_block_plain(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    padding: usize,
    pool: bool,
) -> Tensor<4> {
    let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
    let h = relu(conv2d(x, weight, Some(bias), options));
    if pool { max_pool2d(h, MaxPoolOptions::new([2, 2])) } else { h }
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait ConvBlockOps: Backend {
    /// See [`conv_block`].
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        padding: usize,
        pool: bool,
    ) -> FloatTensor<Self>;
}

impl ConvBlockOps for Flex {
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        padding: usize,
        pool: bool,
    ) -> FloatTensor<Self> {
        run(&Inputs::new(x, weight, padding, pool), &bias.to_contiguous(), None)
    }
}

/// The image batch and the filters as contiguous numbers.
#[derive(Debug, Clone)]
struct Inputs {
    x: FloatTensor<Flex>,
    weight: FloatTensor<Flex>,
    batch: usize,
    geometry: Geometry,
}

impl Inputs {
    fn new(x: FloatTensor<Flex>, weight: FloatTensor<Flex>, padding: usize, pool: bool) -> Self {
        let (x, weight) = (x.to_contiguous(), weight.to_contiguous());
        let (image, kernel) = (x.layout().shape().clone(), weight.layout().shape().clone());
        let geometry = Geometry {
            input: [image[1], image[2], image[3]],
            filters: kernel[0],
            kernel: [kernel[2], kernel[3]],
            padding,
            pool: if pool { 2 } else { 1 },
        };
        Self { batch: image[0], geometry, x, weight }
    }
}

fn slice(tensor: &FloatTensor<Flex>) -> &[f32] {
    tensor.as_slice::<f32>().expect("the tensor is contiguous f32")
}

/// The forward pass; with `codes`, also where each pooled value came from.
fn run(
    inputs: &Inputs,
    bias: &FloatTensor<Flex>,
    codes: Option<&mut Vec<Code>>,
) -> FloatTensor<Flex> {
    let Inputs { batch, geometry: g, .. } = inputs;
    let (x, weight, bias) = (slice(&inputs.x), slice(&inputs.weight), slice(bias));
    let image = |b: usize| &x[b * g.input_len()..(b + 1) * g.input_len()];
    let mut output = vec![0.0; batch * g.output_len()];
    let planes = output.par_chunks_exact_mut(g.output_len());
    match codes {
        Some(codes) => {
            codes.resize(batch * g.output_len(), 0);
            let codes = codes.par_chunks_exact_mut(g.output_len());
            planes.zip(codes).enumerate().for_each(|(b, (out, codes))| {
                with_scratch(|s| forward(g, image(b), weight, bias, s, out, Some(codes)));
            });
        }
        None => planes.enumerate().for_each(|(b, out)| {
            with_scratch(|s| forward(g, image(b), weight, bias, s, out, None));
        }),
    }
    let [height, width] = g.pooled();
    FloatTensor::<Flex>::from_data(TensorData::new(output, [*batch, g.filters, height, width]))
}

fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with_borrow_mut(work)
}

/// Gradients of x (if wanted), weight and bias.
fn gradients(
    inputs: &Inputs,
    upstream: &FloatTensor<Flex>,
    codes: &[Code],
    want_x: bool,
) -> (Option<Vec<f32>>, Vec<f32>, Vec<f32>) {
    let Inputs { batch, geometry: g, .. } = inputs;
    let (x, weight, upstream) = (slice(&inputs.x), slice(&inputs.weight), slice(upstream));
    let mut x_gradient = vec![0.0; if want_x { x.len() } else { 0 }];
    let images = batch.div_ceil(PARTS).max(1);
    let span = |part: usize| part * images..((part + 1) * images).min(*batch);
    let parts = batch.div_ceil(images);
    // One slice of x's gradient per part, empty where none is wanted.
    let mut own_x: Vec<&mut [f32]> = if want_x {
        x_gradient.chunks_mut(images * g.input_len()).collect()
    } else {
        (0..parts).map(|_| Default::default()).collect()
    };
    let sums: Vec<(Vec<f32>, Vec<f32>)> = own_x
        .par_iter_mut()
        .enumerate()
        .map(|(part, own_x)| {
            let (mut w, mut b) = (vec![0.0; weight.len()], vec![0.0; g.filters]);
            for (i, image) in span(part).enumerate() {
                let x = &x[image * g.input_len()..][..g.input_len()];
                let out = image * g.output_len()..(image + 1) * g.output_len();
                let own = want_x.then(|| &mut own_x[i * g.input_len()..][..g.input_len()]);
                let given = (&upstream[out.clone()], &codes[out]);
                with_scratch(|s| backward(g, x, weight, given, s, (&mut w, &mut b), own));
            }
            (w, b)
        })
        .collect();
    let (mut w, mut b) = (vec![0.0; weight.len()], vec![0.0; g.filters]);
    for (part_w, part_b) in sums {
        w.iter_mut().zip(part_w).for_each(|(sum, part)| *sum += part);
        b.iter_mut().zip(part_b).for_each(|(sum, part)| *sum += part);
    }
    (want_x.then_some(x_gradient), w, b)
}

impl<C: CheckpointStrategy> ConvBlockOps for Autodiff<Flex, C> {
    fn conv_block(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        padding: usize,
        pool: bool,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct ConvBlockBackward;

        impl Backward<Flex, 3> for ConvBlockBackward {
            type State = (Inputs, Vec<Code>);

            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let [x, weight, bias] = ops.parents;
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let (inputs, codes) = ops.state;
                let (dx, dw, db) = gradients(&inputs, &upstream, &codes, x.is_some());
                let tensor = |values: Vec<f32>, like: &FloatTensor<Flex>| {
                    FloatTensor::<Flex>::from_data(TensorData::new(
                        values,
                        like.layout().shape().clone(),
                    ))
                };
                if let (Some(node), Some(dx)) = (x, dx) {
                    grads.register::<Flex>(node.id, tensor(dx, &inputs.x));
                }
                if let Some(node) = weight {
                    grads.register::<Flex>(node.id, tensor(dw, &inputs.weight));
                }
                if let Some(node) = bias {
                    let len = db.len();
                    let db = FloatTensor::<Flex>::from_data(TensorData::new(db, [len]));
                    grads.register::<Flex>(node.id, db);
                }
            }
        }

        let nodes = [x.node(), weight.node(), bias.node()];
        let prepared = ConvBlockBackward.prepare::<C>(nodes).compute_bound().stateful();
        let inputs = Inputs::new(x.into_primitive(), weight.into_primitive(), padding, pool);
        let bias = bias.into_primitive().to_contiguous();
        match prepared {
            OpsKind::Tracked(prep) => {
                let mut codes = Vec::new();
                let output = run(&inputs, &bias, Some(&mut codes));
                prep.finish((inputs, codes), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(run(&inputs, &bias, None)),
        }
    }
}
