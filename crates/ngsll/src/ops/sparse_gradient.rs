//! The gradient of a table of which a step reads few rows: just those rows, at no cost per row
//! of the table.
//!
//! Burn's autodiff carries gradients as tensors and adds up those of a tensor that a graph uses
//! twice; it has no place for a custom type. So [`SparseGradient`] passes through the graph
//! encoded as a tensor ([`SparseGradient::into_tensor`]) and is taken out of it at the other end
//! ([`SparseGradient::from_gradient`]). This file alone knows the encoding, `[touched, width + 3]`: each
//! touched row once, in ascending order, as its summed gradient, its number (two columns, see
//! [`super::u32_pair`]) and a 1. Any other gradient of a table has the table's own width.
//!
//! A sum of two encodings would add the row numbers, too, so the table may be read **once per
//! graph**. The column of ones reveals a violation: a sum is refused.

use super::u32_pair::{join, split};
use super::{Primitive, owned_tensor};
use burn::tensor::TensorData;
use rayon::prelude::*;

/// Columns of an encoded row after its gradient.
const EXTRA: usize = 3;

/// The fewest rows that one thread sums.
const SHARE: usize = 128;

/// The gradients of some rows of a table, each row once, in ascending order.
#[derive(Debug)]
pub(crate) struct SparseGradient {
    /// Columns of the table.
    width: usize,
    encoded: Vec<f32>,
}

impl SparseGradient {
    /// The gradient of the rows that `ids` name, summed over the positions of each. The parts of a row
    /// are added in the order of their positions, so the bits do not depend on the number of threads.
    ///
    /// positions: (position in `upstream`, row), upstream: [positions, width]
    pub fn new(
        positions: impl Iterator<Item = (usize, usize)>,
        upstream: &[f32],
        width: usize,
    ) -> Self {
        let mut positions: Vec<(usize, usize)> =
            positions.map(|(position, row)| (row, position)).collect();
        positions.sort_unstable();
        let encoded = each_touched(
            &positions,
            |&(row, _)| row,
            width,
            |encoded, positions| {
                let (sum, extra) = encoded.split_at_mut(width);
                for (_, position) in positions {
                    add(sum, &upstream[position * width..][..width]);
                }
                let [high, low] = split(positions[0].0 as u32);
                extra.copy_from_slice(&[high, low, 1.0]);
            },
        );
        Self { width, encoded }
    }

    /// Each row with its gradient, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.encoded.chunks_exact(self.width + EXTRA).map(|row| {
            let (values, extra) = row.split_at(self.width);
            (join([extra[0], extra[1]]) as usize, values)
        })
    }

    /// The sum of the gradients of several graphs, added in their order.
    pub fn sum(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let (width, columns) = (parts[0].width, parts[0].width + EXTRA);
        // (row, part, place in the part)
        let positions = parts.iter().enumerate().flat_map(|(p, part)| {
            part.iter().enumerate().map(move |(position, (row, _))| (row, p, position))
        });
        let mut positions: Vec<(usize, usize, usize)> = positions.collect();
        positions.sort_unstable();
        let encoded = each_touched(
            &positions,
            |&(row, ..)| row,
            width,
            |sum, positions| {
                let part = |&(_, part, position): &(usize, usize, usize)| {
                    &parts[part].encoded[position * columns..][..columns]
                };
                sum.copy_from_slice(part(&positions[0]));
                positions[1..]
                    .iter()
                    .for_each(|position| add(&mut sum[..width], &part(position)[..width]));
            },
        );
        Self { width, encoded }
    }

    /// The encoding, for the graph.
    pub fn into_tensor(self) -> Primitive {
        let columns = self.width + EXTRA;
        let shape = [self.encoded.len() / columns, columns];
        owned_tensor(self.encoded, shape)
    }

    /// Takes an f32 gradient that comes out of the graph: for a parameter of this shape, it may be
    /// encoded rows or, returned as the error, an ordinary gradient.
    ///
    /// # Panics
    /// If it is a sum of several: the graph used the table twice.
    pub fn from_gradient(gradient: TensorData, parameter: &[usize]) -> Result<Self, TensorData> {
        match (parameter, &gradient.shape()[..]) {
            (&[_, width], &[_, columns]) if columns == width + EXTRA => {
                let encoded: Vec<f32> = gradient.try_into_vec().expect("the gradient is f32");
                let once = encoded.chunks_exact(columns).all(|row| row[columns - 1] == 1.0);
                assert!(once, "a table whose gradient is sparse was used twice in one graph");
                Ok(Self { width, encoded })
            }
            _ => Err(gradient),
        }
    }
}

/// Encoded rows, zero at first, that `write` fills, each from the positions of one row of the table;
/// `positions` are in the order of `row`.
fn each_touched<P: Sync>(
    positions: &[P],
    row: impl Fn(&P) -> usize,
    width: usize,
    write: impl Fn(&mut [f32], &[P]) + Sync + Send,
) -> Vec<f32> {
    let touched: Vec<&[P]> = positions.chunk_by(|a, b| row(a) == row(b)).collect();
    let mut encoded = vec![0.0; touched.len() * (width + EXTRA)];
    let rows = encoded.par_chunks_exact_mut(width + EXTRA).with_min_len(SHARE).zip(&touched);
    rows.for_each(|(encoded, positions)| write(encoded, positions));
    encoded
}

fn add(sum: &mut [f32], part: &[f32]) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
}
