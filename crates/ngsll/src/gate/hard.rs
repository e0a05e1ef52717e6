//! The hard gate: the K largest w² among the unmasked, ties to the lower index.
//!
//! The τ → 0, noise-free limit of the K-hot gate. Exactly K features (or all unmasked, if fewer)
//! are open, and finding them costs O(d) however large K is.

use super::InnerOrSelf;
use burn::tensor::{Tensor, TensorData};

/// The chosen features of one row, largest square first, ties to the lower index.
///
/// ```
/// use ngsll::gate::hard::top_k;
/// // Feature 1 is masked; 0 and 3 tie, so the lower index comes first.
/// assert_eq!(top_k(&[4.0_f32, 9.0, 1.0, 4.0], &[0.0, 1.0, 0.0, 0.0], 2), [0, 3]);
/// ```
pub fn top_k<T: Copy + Into<f64>>(squares: &[T], mask: &[f32], k: usize) -> Vec<usize> {
    let mut order = Vec::new();
    choose(&mut order, squares, mask, k);
    order.into_iter().map(|(_, j)| j as usize).collect()
}

/// [`top_k`] with the squares, in a buffer that serves many rows.
fn choose<T: Copy + Into<f64>>(order: &mut Vec<(f64, u32)>, squares: &[T], mask: &[f32], k: usize) {
    let open = (0..squares.len()).filter(|&j| mask[j] == 0.0);
    largest(order, open.map(|j| (squares[j].into(), j as u32)), k);
}

/// Above this K, features are collected and sorted instead of inserted in order.
const INSERTED: usize = 128;

/// Fills `order` with the `k` largest of `values`, which are given by rising index: largest first, of
/// equal ones the lower index first.
pub(super) fn largest(
    order: &mut Vec<(f64, u32)>,
    values: impl Iterator<Item = (f64, u32)>,
    k: usize,
) {
    order.clear();
    if k > INSERTED {
        order.extend(values);
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        order.truncate(k);
        return;
    }
    for value in values {
        // Nearly all end here: of d values in random order about K·log(d/K) go further.
        if order.len() == k && order.last().is_none_or(|least| value.0 <= least.0) {
            continue;
        }
        let position = order.partition_point(|other| other.0 >= value.0);
        order.truncate(k - 1);
        order.insert(position, value);
    }
}

/// The hard gate of every row, as a constant: gradients pass to the chosen weights only.
///
/// squares: [rows, active], mask: [rows, active] → gate: [rows, active] of 0 and 1
pub fn hard_gate(squares: Tensor<2>, mask: Tensor<2>, k: usize) -> Tensor<2> {
    let options = (&squares.device(), squares.dtype());
    let [rows, active] = squares.dims();
    // As f64, so that squares of either precision keep their order.
    let squares = squares.inner_or_self().into_data_as::<f64>();
    let squares: Vec<f64> = squares.try_into_vec().expect("the data were converted to f64");
    let mask = mask.inner_or_self().into_data_as::<f32>();
    let mask: Vec<f32> = mask.try_into_vec().expect("the data were converted to f32");
    let mut gate = vec![0.0_f32; rows * active];
    let mut order = Vec::new();
    for row in 0..rows {
        let span = row * active..(row + 1) * active;
        choose(&mut order, &squares[span.clone()], &mask[span.clone()], k);
        order.iter().for_each(|&(_, j)| gate[span.start + j as usize] = 1.0);
    }
    Tensor::from_data(TensorData::new(gate, [rows, active]), options)
}
