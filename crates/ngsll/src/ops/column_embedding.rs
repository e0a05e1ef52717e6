//! A vector for the value of each column: numbers piecewise linearly over their bins, levels by
//! themselves.
//!
//! Every column owns some rows W of a table. An [`EmbeddingSpan`] gives those that a value reads: the vector is
//! m · (W₀ + Σ_{start ≤ i < row} W_i + part · W_row), with W₀ the column's own row and m = 1 where the
//! column is kept. A number in its k-th bin passes k whole bins and a part of the next; by sums over the
//! first rows of a column that costs two rows and not one for every bin.

use super::autodiff::{CustomOp, apply2};
use super::{Primitive, dims, is_supported, owned_tensor, slice, take_buffer};
use crate::representation::{EmbeddingSpan, EmbeddingSpans};
use burn::tensor::{Int, Tensor, TensorData};
use std::sync::Arc;

/// Vectors of the columns of each sample, on any backend.
///
/// table: [rows, width], kept: [batch, columns] → [columns, batch, width]
pub(crate) fn column_embedding(
    table: Tensor<2>,
    kept: Tensor<2>,
    spans: Arc<EmbeddingSpans>,
) -> Tensor<3> {
    if !is_supported(&table) {
        return column_embedding_plain(table, kept, &spans);
    }
    apply2(ColumnEmbeddingOp { spans }, table, kept)
}

/// [`column_embedding`] in Burn's own operations.
pub(crate) fn column_embedding_plain(
    table: Tensor<2>,
    kept: Tensor<2>,
    spans: &EmbeddingSpans,
) -> Tensor<3> {
    let device = table.device();
    let [batch, columns] = kept.dims();
    let [_, width] = table.dims();
    let n = batch * columns;
    let rows = |of: &dyn Fn(usize, &EmbeddingSpan) -> usize| {
        let rows: Vec<i64> =
            spans.spans.iter().enumerate().map(|(at, p)| of(at % columns, p) as i64).collect();
        Tensor::<1, Int>::from_data(TensorData::new(rows, [n]), &device)
    };
    let parts: Vec<f32> = spans.spans.iter().map(|span| span.part).collect();
    let parts = Tensor::<2>::from_data(TensorData::new(parts, [n, 1]), &device);
    // Sums of the rows before each.
    let before = table.clone().cumsum(0) - table.clone();
    let own = table.clone().select(0, rows(&|c, _| spans.firsts[c]));
    let passed = before.clone().select(0, rows(&|_, p| p.row as usize))
        - before.select(0, rows(&|_, p| p.start as usize));
    let last = table.select(0, rows(&|_, p| p.row as usize)) * parts;
    let vectors = (own + passed + last).reshape([batch, columns, width]);
    (vectors * kept.unsqueeze_dim(2)).swap_dims(0, 1)
}

#[derive(Debug)]
struct ColumnEmbeddingOp {
    spans: Arc<EmbeddingSpans>,
}

/// Values for the backward pass.
#[derive(Debug, Clone)]
struct SavedEmbedding {
    spans: Arc<EmbeddingSpans>,
    table: Primitive,
    kept: Primitive,
    /// The vectors before m: [columns, batch, width]; only where the gradient of m is wanted.
    vectors: Option<Vec<f32>>,
}

impl CustomOp<2> for ColumnEmbeddingOp {
    type Saved = SavedEmbedding;

    fn forward(
        self,
        [table, kept]: [Primitive; 2],
        [_, wants_kept]: [bool; 2],
    ) -> (Primitive, SavedEmbedding) {
        let ([batch, columns], [_, width]) = (dims(&kept), dims(&table));
        let (rows, marks) = (slice(&table), slice(&kept));
        let EmbeddingSpans { spans, firsts, numeric } = &*self.spans;
        let mut output = take_buffer(columns * batch * width);
        let mut vectors = wants_kept.then(|| vec![0.0; columns * batch * width]);
        let mut sums: Vec<f32> = Vec::new();
        for (c, output) in output.chunks_exact_mut(batch * width).enumerate() {
            let first = firsts[c];
            sums.clear();
            if numeric[c] {
                // Sums of the rows before each row of the column, the first bin's being zero.
                let bins = firsts[c + 1] - first - 1;
                sums.resize(bins * width, 0.0);
                for i in 1..bins {
                    for d in 0..width {
                        sums[i * width + d] =
                            sums[(i - 1) * width + d] + rows[(first + i) * width + d];
                    }
                }
            }
            for (b, output) in output.chunks_exact_mut(width).enumerate() {
                let mark = marks[b * columns + c];
                if mark == 0.0 && vectors.is_none() {
                    output.fill(0.0);
                    continue;
                }
                let EmbeddingSpan { start, row, part } = spans[b * columns + c];
                output.copy_from_slice(&rows[first * width..][..width]);
                if row > start {
                    add(output, &sums[(row as usize - first - 1) * width..][..width], 1.0);
                }
                add(output, &rows[row as usize * width..][..width], part);
                if let Some(vectors) = &mut vectors {
                    vectors[(c * batch + b) * width..][..width].copy_from_slice(output);
                }
                output.iter_mut().for_each(|value| *value *= mark);
            }
        }
        let saved = SavedEmbedding { spans: self.spans, table, kept, vectors };
        (output.into_tensor([columns, batch, width]), saved)
    }

    fn backward(
        saved: SavedEmbedding,
        upstream: &[f32],
        [wants_table, wants_kept]: [bool; 2],
    ) -> [Option<Primitive>; 2] {
        let SavedEmbedding { spans, table, kept, vectors } = saved;
        let ([batch, columns], [all_rows, width]) = (dims::<2>(&kept), dims::<2>(&table));
        let marks = slice(&kept);
        let by_table = wants_table.then(|| {
            let mut gradient = vec![0.0; all_rows * width];
            let mut passed: Vec<f32> = Vec::new();
            for (c, upstream) in upstream.chunks_exact(batch * width).enumerate() {
                let (first, end) = (spans.firsts[c], spans.firsts[c + 1]);
                // The gradient that reaches all rows between the first bin and this one.
                passed.clear();
                passed.resize((end - first) * width, 0.0);
                for (b, upstream) in upstream.chunks_exact(width).enumerate() {
                    let mark = marks[b * columns + c];
                    if mark == 0.0 {
                        continue;
                    }
                    let EmbeddingSpan { start, row, part } = spans.spans[b * columns + c];
                    let row = row as usize;
                    add(&mut gradient[first * width..][..width], upstream, mark);
                    add(&mut gradient[row * width..][..width], upstream, mark * part);
                    if row > start as usize {
                        add(&mut passed[(row - first) * width..][..width], upstream, mark);
                    }
                }
                if spans.numeric[c] {
                    let mut sum = vec![0.0; width];
                    for row in (first + 1..end).rev() {
                        add(&mut gradient[row * width..][..width], &sum, 1.0);
                        add(&mut sum, &passed[(row - first) * width..][..width], 1.0);
                    }
                }
            }
            owned_tensor(gradient, [all_rows, width])
        });
        let by_kept = wants_kept.then(|| {
            let vectors = vectors.expect("they are kept where this gradient is wanted");
            let mut gradient = take_buffer(batch * columns);
            for c in 0..columns {
                for b in 0..batch {
                    let at = (c * batch + b) * width;
                    let products = upstream[at..at + width].iter().zip(&vectors[at..at + width]);
                    gradient[b * columns + c] = products.map(|(u, v)| u * v).sum();
                }
            }
            gradient.into_tensor([batch, columns])
        });
        [by_table, by_kept]
    }
}

/// sum += factor · row
fn add(sum: &mut [f32], row: &[f32], factor: f32) {
    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
}
