//! Rows of a table by their numbers, with a gradient that lists the rows it touches.
//!
//! A batch of texts reads a few hundred rows of a table that may hold a million. Burn's own
//! operation gives the table a gradient of its full size; this one gives `[touched, width + 3]`:
//! each touched row once, in ascending order, as its summed gradient, its number (two columns of 16
//! bits, exact in f32) and a 1. Nothing is left that costs per row of the table.
//!
//! Burn adds the gradients of a tensor that a graph uses twice, which would add the row numbers,
//! too. So the table may be read **once per graph**, by this operation alone. The 1 shows where it
//! was not: [`rows`] refuses a sum.

use super::{is_ours, own_tensor, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Int, Tensor};
use rayon::prelude::*;

/// The id of a place without a word: its vector is zero, so that a sample's result does not depend
/// on the others of its batch, and its row of the table is never read.
const PADDING: usize = 0;

/// Columns of a gradient after those of the table.
const EXTRA: usize = 3;

/// Rows that one thread copies or sums at least.
const SHARE: usize = 128;

/// The rows of `table` that `ids` name, zeros where the id is 0 (padding), on any backend.
///
/// On the CPU backend the gradient of `table` is sparse (see the module's text); elsewhere it is
/// Burn's own, of the table's size. Training knows beforehand which rows a batch of texts reads if
/// `ids` are its tokens ([`crate::representation::X::Tokens`]); with other numbers it is right as
/// well from the second step that reads a row on, but costs per row of the table.
///
/// table: [rows, width], ids: [batch, time] → [batch, time, width]
///
/// # Panics
/// If an id is not a row of the table; in the backward pass, if the graph uses the table twice.
pub fn embedding(table: Tensor<2>, ids: Tensor<2, Int>) -> Tensor<3> {
    if !is_ours(&table) {
        return embedding_plain(table, ids);
    }
    Tensor::from_dispatch(<Dispatch as EmbeddingOps>::embedding_rows(
        table.into_dispatch(),
        ids.into_dispatch(),
    ))
}

/// [`embedding`] in Burn's own operations; its gradient is of the table's size.
pub fn embedding_plain(table: Tensor<2>, ids: Tensor<2, Int>) -> Tensor<3> {
    let present = ids.clone().not_equal_elem(PADDING as i64).float().unsqueeze_dim(2);
    burn::tensor::module::embedding(table, ids) * present
}

/// The rows in a sparse gradient of a table of `width` columns, ascending, each with its values.
///
/// # Panics
/// If `gradient` is a sum of several.
pub fn rows(gradient: &[f32], width: usize) -> impl Iterator<Item = (usize, &[f32])> {
    gradient.chunks_exact(width + EXTRA).map(move |row| {
        let (values, extra) = row.split_at(width);
        assert!(extra[2] == 1.0, "a table whose gradient is sparse was used twice in one graph");
        (join([extra[0], extra[1]]) as usize, values)
    })
}

/// One sparse gradient from those of several graphs, added in their order: each row once, ascending.
pub(crate) fn merged(mut parts: Vec<Vec<f32>>, width: usize) -> Vec<f32> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let listed = |part: &'_ Vec<f32>| rows(part, width).map(|(row, _)| row).collect::<Vec<_>>();
    let listed: Vec<Vec<usize>> = parts.iter().map(listed).collect();
    // (row, part, place in the part)
    let places = listed.iter().enumerate();
    let places = places.flat_map(|(p, rows)| rows.iter().enumerate().map(move |(i, r)| (*r, p, i)));
    let mut places: Vec<(usize, usize, usize)> = places.collect();
    places.sort_unstable();
    let touched: Vec<&[(usize, usize, usize)]> = places.chunk_by(|a, b| a.0 == b.0).collect();
    let columns = width + EXTRA;
    let mut output = vec![0.0; touched.len() * columns];
    let pairs = output.par_chunks_exact_mut(columns).with_min_len(SHARE).zip(&touched);
    pairs.for_each(|(row, places)| {
        let part = |place: &(usize, usize, usize)| &parts[place.1][place.2 * columns..][..columns];
        row.copy_from_slice(part(&places[0]));
        for place in &places[1..] {
            let values = part(place)[..width].iter();
            row.iter_mut().zip(values).for_each(|(sum, part)| *sum += part);
        }
    });
    output
}

/// Whether a gradient of this many columns, of a table of `width` columns, is sparse.
pub fn is_sparse(columns: usize, width: usize) -> bool {
    columns == width + EXTRA
}

/// A whole number as two that f32 holds exactly.
pub(crate) fn split(number: u32) -> [f32; 2] {
    [(number >> 16) as f32, (number & 0xffff) as f32]
}

/// The number that [`split`] took apart.
pub(crate) fn join([high, low]: [f32; 2]) -> u32 {
    (high as u32) << 16 | low as u32
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait EmbeddingOps: Backend {
    /// See [`embedding`].
    fn embedding_rows(table: FloatTensor<Self>, ids: IntTensor<Self>) -> FloatTensor<Self>;
}

impl EmbeddingOps for Flex {
    fn embedding_rows(table: FloatTensor<Self>, ids: IntTensor<Self>) -> FloatTensor<Self> {
        let shape = ids.layout().shape().clone();
        gather(&table, &numbers(ids), [shape[0], shape[1]])
    }
}

fn numbers(ids: IntTensor<Flex>) -> Vec<usize> {
    let row = |id: i64| usize::try_from(id).expect("a row's number is not negative");
    ids.into_data().iter::<i64>().map(row).collect()
}

fn gather(
    table: &FloatTensor<Flex>,
    ids: &[usize],
    [batch, time]: [usize; 2],
) -> FloatTensor<Flex> {
    let table = table.to_contiguous();
    let width = table.layout().shape()[1];
    let values = slice(&table);
    let mut output = room(ids.len() * width);
    output.par_chunks_exact_mut(width).with_min_len(SHARE).zip(ids).for_each(
        |(row, &id)| match id {
            PADDING => row.fill(0.0),
            id => row.copy_from_slice(&values[id * width..][..width]),
        },
    );
    tensor(output, [batch, time, width])
}

/// The sparse gradient. A row's parts are added in the order of their places, so the bits do not
/// depend on the number of threads.
///
/// upstream: [places, width] → [touched, width + 3]
fn gradient(upstream: &[f32], ids: &[usize], width: usize) -> FloatTensor<Flex> {
    let mut places: Vec<usize> = (0..ids.len()).filter(|&i| ids[i] != PADDING).collect();
    places.sort_unstable_by_key(|&place| (ids[place], place));
    let touched: Vec<&[usize]> = places.chunk_by(|&a, &b| ids[a] == ids[b]).collect();
    let columns = width + EXTRA;
    let mut output = vec![0.0; touched.len() * columns];
    output.par_chunks_exact_mut(columns).with_min_len(SHARE).zip(&touched).for_each(
        |(row, places)| {
            let (sum, extra) = row.split_at_mut(width);
            for place in *places {
                let part = &upstream[place * width..][..width];
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
            let [high, low] = split(ids[places[0]] as u32);
            extra.copy_from_slice(&[high, low, 1.0]);
        },
    );
    own_tensor(output, [touched.len(), columns])
}

impl<C: CheckpointStrategy> EmbeddingOps for Autodiff<Flex, C> {
    fn embedding_rows(table: FloatTensor<Self>, ids: IntTensor<Self>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct EmbeddingBackward;

        impl Backward<Flex, 1> for EmbeddingBackward {
            /// The ids, and the width of the table.
            type State = (Vec<usize>, usize);

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let (ids, width) = ops.state;
                if let [Some(table)] = ops.parents {
                    grads.register::<Flex>(table.id, gradient(slice(&upstream), &ids, width));
                }
            }
        }

        let prepared = EmbeddingBackward.prepare::<C>([table.node()]).compute_bound().stateful();
        let table = table.into_primitive();
        let (shape, width) = (ids.layout().shape().clone(), table.layout().shape()[1]);
        let ids = numbers(ids);
        let output = gather(&table, &ids, [shape[0], shape[1]]);
        match prepared {
            OpsKind::Tracked(prep) => prep.finish((ids, width), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
}
