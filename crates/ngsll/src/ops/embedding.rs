//! Rows of a table by their numbers, with a gradient that lists the rows it touches.
//!
//! A batch of texts reads a few hundred rows of a table that may hold a million. Burn's own
//! operation gives the table a gradient of its full size, this one gives [`SparseGradient`].

use super::autodiff::{CustomOp, apply1};
use super::sparse_gradient::SparseGradient;
use super::{Primitive, dims, is_supported, slice, take_buffer};
use burn::tensor::{Int, Tensor};
use rayon::prelude::*;

/// The id of a position without a word: its vector is zero, so that a sample's result does not depend
/// on the others of its batch, and its row of the table is never read.
const PADDING: usize = 0;

/// The fewest rows that one thread copies.
const SHARE: usize = 128;

/// The rows of `table` that `ids` name, zeros where the id is 0 (padding), on any backend.
///
/// On the CPU backend the gradient of `table` is sparse ([`SparseGradient`]); elsewhere it is Burn's own,
/// of the table's size. Training knows in advance which rows a batch of texts reads if `ids` are its
/// tokens ([`crate::representation::X::Tokens`]); with other ids the result is also right from the
/// second step that reads a row on, but costs time per row of the table.
///
/// table: [rows, width], ids: [batch, time] → [batch, time, width]
///
/// # Panics
/// If an id is not a row of the table; or, when the gradients of a step are collected, if the graph used
/// the table twice.
pub(crate) fn embedding(table: Tensor<2>, ids: Tensor<2, Int>) -> Tensor<3> {
    if !is_supported(&table) {
        return embedding_plain(table, ids);
    }
    let shape = ids.dims();
    let row = |id: i64| usize::try_from(id).expect("a row's number is not negative");
    let ids = ids.into_data().iter::<i64>().map(row).collect();
    apply1(EmbeddingOp { ids, shape }, table)
}

/// [`embedding`] in Burn's own operations; its gradient is of the table's size.
pub(crate) fn embedding_plain(table: Tensor<2>, ids: Tensor<2, Int>) -> Tensor<3> {
    let present = ids.clone().not_equal_elem(PADDING as i64).float().unsqueeze_dim(2);
    burn::tensor::module::embedding(table, ids) * present
}

#[derive(Debug)]
struct EmbeddingOp {
    ids: Vec<usize>,
    /// Batch and time.
    shape: [usize; 2],
}

impl CustomOp<1> for EmbeddingOp {
    /// The ids, and the width of the table.
    type Saved = (Vec<usize>, usize);

    fn forward(self, [table]: [Primitive; 1], _: [bool; 1]) -> (Primitive, Self::Saved) {
        let Self { ids, shape: [batch, time] } = self;
        let ([_, width], values) = (dims(&table), slice(&table));
        let mut output = take_buffer(ids.len() * width);
        let rows = output.par_chunks_exact_mut(width).with_min_len(SHARE).zip(&ids);
        rows.for_each(|(row, &id)| match id {
            PADDING => row.fill(0.0),
            id => row.copy_from_slice(&values[id * width..][..width]),
        });
        (output.into_tensor([batch, time, width]), (ids, width))
    }

    fn backward(
        (ids, width): Self::Saved,
        upstream: &[f32],
        [wanted]: [bool; 1],
    ) -> [Option<Primitive>; 1] {
        let positions = || ids.iter().copied().enumerate().filter(|&(_, row)| row != PADDING);
        [wanted.then(|| SparseGradient::new(positions(), upstream, width).into_tensor())]
    }
}
