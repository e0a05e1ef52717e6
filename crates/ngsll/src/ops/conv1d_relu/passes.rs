//! The forward pass and the gradients, text by text.

use super::matrix::{drop_padding, pad, transpose};
use crate::ops::buffer_pool::Scratch;
use crate::ops::epilogue::relu;
use crate::ops::gemm::{AStrides, Gemm, padded};
use crate::ops::{PooledBuffer, Primitive, dispatch, take_buffer, take_zeroed};
use rayon::prelude::*;

/// Rows of the weight's gradient that are one piece of work.
const ROWS: usize = 96;

/// Positions whose gradients go through ReLU as one piece of work.
const PIECE: usize = 256;

/// Positions that a product sums over at once: their gradients stay in cache.
const POSITIONS: usize = 1536;

/// Minimum multiplications per parallel task.
const SHARE: usize = 1 << 20;

/// Positions of a piece of work when windows hold one position: two blocks of the product.
const ALONE: usize = 12;

/// The sizes of a convolution over time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    batch: usize,
    time: usize,
    /// Positions in a window.
    size: usize,
    pub inputs: usize,
    pub outputs: usize,
}

impl Sizes {
    /// Of x, [batch, time, in], and a weight, [size · in, out].
    pub fn of([batch, time, inputs]: [usize; 3], [rows, outputs]: [usize; 2]) -> Self {
        assert!(inputs > 0 && batch * time > 0, "there is something to convolve");
        assert!(rows > 0 && rows % inputs == 0, "the weight has whole windows");
        Self { batch, time, size: rows / inputs, inputs, outputs }
    }

    /// Positions of a window before and after its own.
    fn around(&self) -> (usize, usize) {
        ((self.size - 1) / 2, self.size / 2)
    }

    /// Positions that are one piece of work: a text, or a few positions where windows hold one.
    fn piece(&self) -> usize {
        if self.size == 1 { ALONE } else { self.time }
    }

    /// Runs `work` on each piece; a few multiplications are not worth another thread.
    fn each_piece(
        &self,
        (from, from_width): (&[f32], usize),
        (to, to_width): (&mut [f32], usize),
        work: impl Fn(&mut Scratch, (&[f32], &mut [f32])) + Sync + Send,
    ) {
        let work_of_piece = self.piece() * self.size * self.inputs * self.outputs;
        let from = from.par_chunks(self.piece() * from_width);
        let pieces = from.zip(to.par_chunks_mut(self.piece() * to_width));
        let pieces = pieces.with_min_len(SHARE.div_ceil(work_of_piece));
        pieces.for_each_init(Scratch::default, work);
    }

    /// x: [batch, time, in], weight: [size · in, padded out] → [batch, time, out]
    pub fn forward(&self, x: &[f32], weight: &[f32], bias: &[f32], with_relu: bool) -> Primitive {
        let Self { batch, time, inputs, outputs, .. } = *self;
        let n = padded(outputs);
        let a_strides = AStrides::rows(inputs, self.size * inputs);
        let convolve = |scratch: &mut Scratch, (x, output): (&[f32], &mut [f32])| {
            let m = x.len() / inputs;
            let [text, lines] = scratch.split([(m + self.size - 1) * inputs, m * n]);
            pad(x, text, self.around().0 * inputs);
            let c = &mut *lines;
            Gemm { c, a: text, b: weight, m, n, a_strides, accumulate: false }.run();
            dispatch(
                #[inline(always)]
                || match with_relu {
                    true => add_bias(lines, bias, output, relu),
                    false => add_bias(lines, bias, output, |sum| sum),
                },
            );
        };
        let mut output = take_buffer(batch * time * outputs);
        self.each_piece((x, inputs), (&mut output, outputs), convolve);
        output.into_tensor([batch, time, outputs])
    }

    /// The upstream gradient where ReLU passed the value on, everywhere without an `output` of it,
    /// [batch, time, padded out], and its sum over all positions, which is added up in pieces of a fixed
    /// size: the bits do not depend on the number of threads.
    pub fn relu_backward(
        &self,
        upstream: &[f32],
        output: Option<&[f32]>,
    ) -> (PooledBuffer, Vec<f32>) {
        let (outputs, n) = (self.outputs, padded(self.outputs));
        let mut through = take_zeroed(self.batch * self.time * n);
        let pieces = through.par_chunks_mut(PIECE * n).zip(upstream.par_chunks(PIECE * outputs));
        let parts: Vec<Vec<f32>> = pieces
            .enumerate()
            .map(|(i, (through, upstream))| {
                let mut sums = vec![0.0; outputs];
                let output = output.map(|output| &output[i * PIECE * outputs..][..upstream.len()]);
                dispatch(
                    #[inline(always)]
                    || mask_by_relu(upstream, output, through, &mut sums),
                );
                sums
            })
            .collect();
        let mut sums = vec![0.0; outputs];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        (through, sums)
    }

    /// The weights of each position of a window, transposed, in reverse order: [size · out, padded in]
    pub fn reversed(&self, weight: &[f32]) -> PooledBuffer {
        let Self { size, inputs, outputs, .. } = *self;
        let n = padded(inputs);
        let mut transposed = take_zeroed(size * outputs * n);
        let taps = weight.par_chunks_exact(inputs * outputs).rev();
        let taps = transposed.par_chunks_exact_mut(outputs * n).zip(taps);
        taps.for_each(|(transposed, taps)| transpose(taps, outputs, transposed));
        transposed
    }

    /// The gradient of x: a convolution of `through`, the gradient that ReLU passed on, with the
    /// transposed weights in reverse order.
    pub fn x_gradient(&self, through: &[f32], reversed: &[f32]) -> Primitive {
        let Self { batch, time, size, inputs, outputs } = *self;
        let (step, n) = (padded(outputs), padded(inputs));
        let a_strides =
            AStrides { row: step, segments: size, segment: step, run: outputs, step: 1 };
        let convolve = |scratch: &mut Scratch, (through, gradient): (&[f32], &mut [f32])| {
            let m = through.len() / step;
            let [text, lines] = scratch.split([(m + size - 1) * step, m * n]);
            pad(through, text, self.around().1 * step);
            let c = &mut *lines;
            Gemm { c, a: text, b: reversed, m, n, a_strides, accumulate: false }.run();
            for (line, row) in lines.chunks_exact(n).zip(gradient.chunks_exact_mut(inputs)) {
                row.copy_from_slice(&line[..inputs]);
            }
        };
        let mut gradient = take_buffer(batch * time * inputs);
        self.each_piece((through, step), (&mut gradient, inputs), convolve);
        gradient.into_tensor([batch, time, inputs])
    }

    /// The gradient of the weight: transposed windows times `through`. Each row is summed by one
    /// thread, over the positions in their order: the bits do not depend on the number of threads.
    ///
    /// → [size · in, out]
    pub fn weight_gradient(&self, x: &[f32], through: &[f32]) -> Vec<f32> {
        let Self { batch, time, size, inputs, outputs } = *self;
        let (text, n) = ((time + size - 1) * inputs, padded(outputs));
        let mut texts = take_buffer::<f32>(batch * text);
        let pairs = texts.par_chunks_exact_mut(text).zip(x.par_chunks_exact(time * inputs));
        pairs.for_each(|(text, x)| pad(x, text, self.around().0 * inputs));
        let mut gradient = take_zeroed::<f32>(size * inputs * n);
        let group = (POSITIONS / time).max(1);
        gradient.par_chunks_mut(ROWS * n).enumerate().for_each(|(i, rows)| {
            let groups = texts.chunks(group * text).zip(through.chunks(group * time * n));
            for (texts, through) in groups {
                let segments = texts.len() / text;
                let a_strides =
                    AStrides { row: 1, segments, segment: text, run: time, step: inputs };
                let m = rows.len() / n;
                let (c, a) = (&mut *rows, &texts[i * ROWS..]);
                Gemm { c, a, b: through, m, n, a_strides, accumulate: true }.run();
            }
        });
        drop_padding(&gradient, outputs)
    }
}

/// lines: [time, padded out], bias: `[out]` → output: [time, out]
#[inline(always)]
fn add_bias(lines: &[f32], bias: &[f32], output: &mut [f32], activation: impl Fn(f32) -> f32) {
    let lines = lines.chunks_exact(padded(bias.len()));
    for (line, output) in lines.zip(output.chunks_exact_mut(bias.len())) {
        let sums = line.iter().zip(bias);
        output.iter_mut().zip(sums).for_each(|(o, (x, b))| *o = activation(x + b));
    }
}

/// upstream, output: [positions, out] → through: [positions, padded out], sums: `[out]`
#[inline(always)]
fn mask_by_relu(upstream: &[f32], output: Option<&[f32]>, through: &mut [f32], sums: &mut [f32]) {
    let n = sums.len();
    let rows = through.chunks_exact_mut(padded(n)).zip(upstream.chunks_exact(n));
    for (i, (through, upstream)) in rows.enumerate() {
        through[..n].copy_from_slice(upstream);
        if let Some(output) = output {
            let passed = through.iter_mut().zip(&output[i * n..][..n]);
            passed.for_each(|(through, output)| {
                *through = if *output == 0.0 { 0.0 } else { *through };
            });
        }
        sums.iter_mut().zip(through).for_each(|(sum, through)| *sum += *through);
    }
}
