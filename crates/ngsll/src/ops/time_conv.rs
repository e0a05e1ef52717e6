//! Convolution over time, bias and ReLU as one operation.
//!
//! With zeros around a text, the window of a position is a run of numbers as it stands in memory, so
//! windows are never copied: on the CPU backend the forward pass and both gradients are products
//! that read them in place. Elsewhere the operation is made of Burn's own ([`time_conv_plain`]),
//! which is also the reference in the tests.

use super::kept::Kept;
use super::product::{LANES, Left, Product, padded};
use super::scratch::{Lent, with_scratch};
use super::window::relu;
use super::{dispatch, is_ours, own_tensor, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::module::linear;
use burn::tensor::{Tensor, activation};
use rayon::prelude::*;

/// Rows of the weight's gradient that are one piece of work.
const ROWS: usize = 96;

/// Positions whose gradients go through ReLU as one piece of work.
const PIECE: usize = 256;

/// Positions that a product sums over at once: their gradients stay in cache.
const POSITIONS: usize = 1536;

/// A weight as the products read it: with room for whole vectors.
#[derive(Debug)]
pub struct Taps(Lent<f32>);

/// A weight as prediction reads it.
pub type KeptTaps = Kept<Taps>;

/// Multiplications that are worth a thread.
const SHARE: usize = 1 << 20;

/// Positions of a piece of work when windows hold one position: two blocks of the product.
const ALONE: usize = 12;

/// ReLU(x ∗ W + b), with zeros around each text so that its length stays; a window of even size
/// looks one further ahead than back.
///
/// x: [batch, time, in], weight: [size · in, out], bias: `[out]` → [batch, time, out]
pub fn time_conv(x: Tensor<3>, weight: Tensor<2>, bias: Tensor<1>, kept: &KeptTaps) -> Tensor<3> {
    if !is_ours(&x) {
        return time_conv_plain(x, weight, bias);
    }
    Tensor::from_dispatch(<Dispatch as TimeConvOps>::time_conv(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        kept.clone(),
    ))
}

/// [`time_conv`] in Burn's own operations: a linear layer over each position's window.
pub fn time_conv_plain(x: Tensor<3>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<3> {
    let [batch, time, inputs] = x.dims();
    let size = weight.dims()[0] / inputs;
    let zeros = |n: usize| Tensor::zeros([batch, n, inputs], &x.device());
    let parts = [((size - 1) / 2, None), (0, Some(x.clone())), (size / 2, None)];
    let parts = parts.into_iter().filter(|(n, x)| *n > 0 || x.is_some());
    let all = Tensor::cat(parts.map(|(n, x)| x.unwrap_or_else(|| zeros(n))).collect(), 1);
    let shifted = |s: usize| all.clone().slice_dim(1, s..s + time);
    activation::relu(linear(Tensor::cat((0..size).map(shifted).collect(), 2), weight, Some(bias)))
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait TimeConvOps: Backend {
    /// See [`time_conv`].
    fn time_conv(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        kept: KeptTaps,
    ) -> FloatTensor<Self>;
}

impl TimeConvOps for Flex {
    fn time_conv(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        kept: KeptTaps,
    ) -> FloatTensor<Self> {
        let (x, weight) = (x.to_contiguous(), weight.to_contiguous());
        let sizes = Sizes::of(&x, &weight);
        let make = || Taps(with_room(slice(&weight), sizes.outputs));
        let taps = kept.of(&weight, |_| true, make);
        sizes.forward(slice(&x), &taps.0, slice(&bias.to_contiguous()))
    }
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    batch: usize,
    time: usize,
    /// Positions in a window.
    size: usize,
    inputs: usize,
    outputs: usize,
}

impl Sizes {
    fn of(x: &FloatTensor<Flex>, weight: &FloatTensor<Flex>) -> Self {
        let (x, weight) = (x.layout().shape(), weight.layout().shape());
        let (inputs, outputs) = (x[2], weight[1]);
        assert!(inputs > 0 && x[0] * x[1] > 0, "there is something to convolve");
        assert!(weight[0] > 0 && weight[0] % inputs == 0, "the weight has whole windows");
        Self { batch: x[0], time: x[1], size: weight[0] / inputs, inputs, outputs }
    }

    /// Positions of a window before and after its own.
    fn around(&self) -> (usize, usize) {
        ((self.size - 1) / 2, self.size / 2)
    }

    /// Positions that are one piece of work: a text, or a few positions where each stands alone.
    fn piece(&self) -> usize {
        if self.size == 1 { ALONE } else { self.time }
    }

    /// Runs `work` on each piece; a few multiplications are not worth another thread.
    fn each_text(
        &self,
        (from, from_width): (&[f32], usize),
        (to, to_width): (&mut [f32], usize),
        work: impl Fn((&[f32], &mut [f32])) + Sync + Send,
    ) {
        let work_of_piece = self.piece() * self.size * self.inputs * self.outputs;
        let from = from.par_chunks(self.piece() * from_width);
        let pieces = from.zip(to.par_chunks_mut(self.piece() * to_width));
        pieces.with_min_len(SHARE.div_ceil(work_of_piece)).for_each(work);
    }

    /// x: [batch, time, in], taps: [size · in, padded out] → [batch, time, out]
    fn forward(&self, x: &[f32], taps: &[f32], bias: &[f32]) -> FloatTensor<Flex> {
        let Self { batch, time, inputs, outputs, .. } = *self;
        let n = padded(outputs);
        let left = Left::rows(inputs, self.size * inputs);
        let text = |(x, output): (&[f32], &mut [f32])| {
            let m = x.len() / inputs;
            with_scratch([(m + self.size - 1) * inputs, m * n], |[text, lines]| {
                pad(x, text, self.around().0 * inputs);
                let c = &mut *lines;
                Product { c, a: text, b: taps, m, n, left, add: false }.run();
                dispatch(
                    #[inline(always)]
                    || close(lines, bias, output),
                );
            });
        };
        let mut output = room(batch * time * outputs);
        self.each_text((x, inputs), (&mut output, outputs), text);
        tensor(output, [batch, time, outputs])
    }

    /// What came from above, where ReLU let it through: [batch, time, padded out], and its sum over
    /// all positions, which is added up in pieces of a fixed size: the same bits on all threads.
    fn through_relu(&self, upstream: &[f32], output: &[f32]) -> (Lent<f32>, Vec<f32>) {
        let (outputs, n) = (self.outputs, padded(self.outputs));
        let mut open = Lent::zeros(self.batch * self.time * n);
        let pieces = open.par_chunks_mut(PIECE * n).zip(upstream.par_chunks(PIECE * outputs));
        let pieces = pieces.zip(output.par_chunks(PIECE * outputs));
        let parts: Vec<Vec<f32>> = pieces
            .map(|((open, upstream), output)| {
                let mut sums = vec![0.0; outputs];
                dispatch(
                    #[inline(always)]
                    || reopen(upstream, output, open, &mut sums),
                );
                sums
            })
            .collect();
        let mut sums = vec![0.0; outputs];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        (open, sums)
    }

    /// The gradient of x: a convolution of `open` with the weights turned around.
    fn x_gradient(&self, open: &[f32], weight: &[f32]) -> FloatTensor<Flex> {
        let Self { batch, time, size, inputs, outputs } = *self;
        let (step, n) = (padded(outputs), padded(inputs));
        let mut turned = Lent::zeros(size * outputs * n);
        let taps = weight.par_chunks_exact(inputs * outputs).rev();
        let taps = turned.par_chunks_exact_mut(outputs * n).zip(taps);
        taps.for_each(|(turned, taps)| transpose(taps, outputs, turned));
        let left = Left { row: step, segments: size, segment: step, run: outputs, step: 1 };
        let text = |(open, gradient): (&[f32], &mut [f32])| {
            let m = open.len() / step;
            with_scratch([(m + size - 1) * step, m * n], |[text, lines]| {
                pad(open, text, self.around().1 * step);
                let c = &mut *lines;
                Product { c, a: text, b: &turned, m, n, left, add: false }.run();
                for (line, row) in lines.chunks_exact(n).zip(gradient.chunks_exact_mut(inputs)) {
                    row.copy_from_slice(&line[..inputs]);
                }
            });
        };
        let mut gradient = room(batch * time * inputs);
        self.each_text((open, step), (&mut gradient, inputs), text);
        tensor(gradient, [batch, time, inputs])
    }

    /// The gradient of the weight: transposed windows times `open`. Each row is summed by one
    /// thread, over the positions in their order: the bits do not depend on the number of threads.
    fn weight_gradient(&self, x: &[f32], open: &[f32]) -> FloatTensor<Flex> {
        let Self { batch, time, size, inputs, outputs } = *self;
        let (text, n) = ((time + size - 1) * inputs, padded(outputs));
        let mut texts = Lent::left_over(batch * text);
        let pairs = texts.par_chunks_exact_mut(text).zip(x.par_chunks_exact(time * inputs));
        pairs.for_each(|(text, x)| pad(x, text, self.around().0 * inputs));
        let mut gradient = Lent::zeros(size * inputs * n);
        let group = (POSITIONS / time).max(1);
        gradient.par_chunks_mut(ROWS * n).enumerate().for_each(|(i, rows)| {
            for (texts, open) in texts.chunks(group * text).zip(open.chunks(group * time * n)) {
                let segments = texts.len() / text;
                let left = Left { row: 1, segments, segment: text, run: time, step: inputs };
                let m = rows.len() / n;
                let (c, a) = (&mut *rows, &texts[i * ROWS..]);
                Product { c, a, b: open, m, n, left, add: true }.run();
            }
        });
        own_tensor(without_room(&gradient, outputs), [size * inputs, outputs])
    }
}

/// lines: [time, padded out], bias: `[out]` → output: [time, out]
#[inline(always)]
fn close(lines: &[f32], bias: &[f32], output: &mut [f32]) {
    let lines = lines.chunks_exact(padded(bias.len()));
    for (line, output) in lines.zip(output.chunks_exact_mut(bias.len())) {
        let sums = line.iter().zip(bias);
        output.iter_mut().zip(sums).for_each(|(o, (x, b))| *o = relu(x + b));
    }
}

/// upstream, output: [positions, out] → open: [positions, padded out], sums: `[out]`
#[inline(always)]
fn reopen(upstream: &[f32], output: &[f32], open: &mut [f32], sums: &mut [f32]) {
    let n = sums.len();
    let rows = upstream.chunks_exact(n).zip(output.chunks_exact(n));
    for (open, (upstream, output)) in open.chunks_exact_mut(padded(n)).zip(rows) {
        for (open, (upstream, output)) in open.iter_mut().zip(upstream.iter().zip(output)) {
            *open = if *output == 0.0 { 0.0 } else { *upstream };
        }
        sums.iter_mut().zip(open).for_each(|(sum, open)| *sum += *open);
    }
}

/// Zeros, with x from place `at` on.
fn pad(x: &[f32], text: &mut [f32], at: usize) {
    text.fill(0.0);
    text[at..][..x.len()].copy_from_slice(x);
}

/// matrix: [rows, columns] → [rows, padded columns]
fn with_room(matrix: &[f32], columns: usize) -> Lent<f32> {
    let mut roomy = Lent::zeros(matrix.len() / columns * padded(columns));
    let rows = roomy.chunks_exact_mut(padded(columns)).zip(matrix.chunks_exact(columns));
    rows.for_each(|(roomy, row)| roomy[..columns].copy_from_slice(row));
    roomy
}

/// matrix: [rows, columns] → turned: [columns, padded rows], zero where there is no row
fn transpose(matrix: &[f32], columns: usize, turned: &mut [f32]) {
    let n = turned.len() / columns;
    // A few rows at a time: they stay in cache while each column takes its numbers from them.
    for (i, rows) in matrix.chunks(LANES * columns).enumerate() {
        for (column, turned) in turned.chunks_exact_mut(n).enumerate() {
            let numbers = rows.iter().skip(column).step_by(columns);
            turned[i * LANES..].iter_mut().zip(numbers).for_each(|(to, from)| *to = *from);
        }
    }
}

/// matrix: [rows, padded columns] → [rows, columns]
fn without_room(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.chunks_exact(padded(columns));
    let mut dense = Vec::with_capacity(rows.len() * columns);
    rows.for_each(|row| dense.extend_from_slice(&row[..columns]));
    dense
}

impl<C: CheckpointStrategy> TimeConvOps for Autodiff<Flex, C> {
    fn time_conv(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        _kept: KeptTaps,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct TimeConvBackward;

        impl Backward<Flex, 3> for TimeConvBackward {
            /// x, weight and the output.
            type State = [FloatTensor<Flex>; 3];

            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let ([x, weight, output], nodes) = (ops.state, ops.parents);
                let sizes = Sizes::of(&x, &weight);
                let (open, sums) = sizes.through_relu(slice(&upstream), slice(&output));
                let [x_node, weight_node, bias_node] = nodes;
                if let Some(node) = x_node {
                    grads.register::<Flex>(node.id, sizes.x_gradient(&open, slice(&weight)));
                }
                if let Some(node) = weight_node {
                    grads.register::<Flex>(node.id, sizes.weight_gradient(slice(&x), &open));
                }
                if let Some(node) = bias_node {
                    grads.register::<Flex>(node.id, own_tensor(sums, [sizes.outputs]));
                }
            }
        }

        let nodes = [x.node(), weight.node(), bias.node()];
        let prepared = TimeConvBackward.prepare::<C>(nodes).compute_bound().stateful();
        let (x, weight) =
            (x.into_primitive().to_contiguous(), weight.into_primitive().to_contiguous());
        let bias = bias.into_primitive().to_contiguous();
        let sizes = Sizes::of(&x, &weight);
        let taps = with_room(slice(&weight), sizes.outputs);
        let output = sizes.forward(slice(&x), &taps, slice(&bias));
        match prepared {
            OpsKind::Tracked(prep) => prep.finish([x, weight, output.clone()], output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
}
