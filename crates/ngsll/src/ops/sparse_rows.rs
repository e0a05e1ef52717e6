//! The gradient of a table of which a step reads few rows: those rows, and nothing that costs per row
//! of the table.
//!
//! Burn's autodiff carries gradients as tensors and adds up those of a tensor that a graph uses
//! twice; it has no place for a type of our own. So [`SparseRows`] passes through the graph
//! encoded as a tensor ([`SparseRows::into_tensor`]) and is taken out of it at the other end
//! ([`SparseRows::from_gradient`]). This file alone knows the encoding, `[touched, width + 3]`: each
//! touched row once, in ascending order, as its summed gradient, its number (two columns, see
//! [`super::u32_pair`]) and a 1. Any other gradient of a table has the table's own width.
//!
//! A sum of two encodings would add the row numbers, too, so the table may be read **once per
//! graph**. The column of ones shows where it was not: a sum is refused.

use super::u32_pair::{join, split};
use super::{Primitive, owned_tensor};
use burn::tensor::TensorData;
use rayon::prelude::*;

/// Columns of an encoded row after its gradient.
const EXTRA: usize = 3;

/// Rows that one thread sums at least.
const SHARE: usize = 128;

/// The gradients of some rows of a table, each row once, in ascending order.
#[derive(Debug)]
pub(crate) struct SparseRows {
    /// Columns of the table.
    width: usize,
    encoded: Vec<f32>,
}

impl SparseRows {
    /// The gradient of the rows that `ids` name, summed over the places of each. The parts of a row
    /// are added in the order of their places, so the bits do not depend on the number of threads.
    ///
    /// places: (place in `upstream`, row), upstream: [places, width]
    pub fn new(
        places: impl Iterator<Item = (usize, usize)>,
        upstream: &[f32],
        width: usize,
    ) -> Self {
        let mut places: Vec<(usize, usize)> = places.map(|(place, row)| (row, place)).collect();
        places.sort_unstable();
        let encoded = each_touched(
            &places,
            |&(row, _)| row,
            width,
            |encoded, places| {
                let (sum, extra) = encoded.split_at_mut(width);
                for (_, place) in places {
                    add(sum, &upstream[place * width..][..width]);
                }
                let [high, low] = split(places[0].0 as u32);
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
        let places = parts.iter().enumerate().flat_map(|(p, part)| {
            part.iter().enumerate().map(move |(place, (row, _))| (row, p, place))
        });
        let mut places: Vec<(usize, usize, usize)> = places.collect();
        places.sort_unstable();
        let encoded = each_touched(
            &places,
            |&(row, ..)| row,
            width,
            |sum, places| {
                let part = |&(_, part, place): &(usize, usize, usize)| {
                    &parts[part].encoded[place * columns..][..columns]
                };
                sum.copy_from_slice(part(&places[0]));
                places[1..].iter().for_each(|place| add(&mut sum[..width], &part(place)[..width]));
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

    /// Takes a gradient of f32 that comes out of the graph: of a parameter of this shape, it may be
    /// encoded rows or, given back, an ordinary gradient.
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

/// Encoded rows, zero at first, that `write` fills, each from the places of one row of the table;
/// `places` are in the order of `row`.
fn each_touched<P: Sync>(
    places: &[P],
    row: impl Fn(&P) -> usize,
    width: usize,
    write: impl Fn(&mut [f32], &[P]) + Sync + Send,
) -> Vec<f32> {
    let touched: Vec<&[P]> = places.chunk_by(|a, b| row(a) == row(b)).collect();
    let mut encoded = vec![0.0; touched.len() * (width + EXTRA)];
    let rows = encoded.par_chunks_exact_mut(width + EXTRA).with_min_len(SHARE).zip(&touched);
    rows.for_each(|(encoded, places)| write(encoded, places));
    encoded
}

fn add(sum: &mut [f32], part: &[f32]) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
}
