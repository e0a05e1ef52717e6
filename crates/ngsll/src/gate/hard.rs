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
    let mut open: Vec<usize> = (0..squares.len()).filter(|&j| mask[j] == 0.0).collect();
    let square = |j: usize| -> f64 { squares[j].into() };
    let larger_first = |a: &usize, b: &usize| square(*b).total_cmp(&square(*a)).then(a.cmp(b));
    if k < open.len() {
        if k > 0 {
            open.select_nth_unstable_by(k - 1, larger_first);
        }
        open.truncate(k);
    }
    open.sort_unstable_by(larger_first);
    open
}

/// The hard gate of every row, as a constant: gradients pass to the chosen weights only.
///
/// squares: [rows, active], mask: [rows, active] → gate: [rows, active] of 0 and 1
pub fn hard_gate(squares: Tensor<2>, mask: Tensor<2>, k: usize) -> Tensor<2> {
    let options = (&squares.device(), squares.dtype());
    let [rows, active] = squares.dims();
    // As f64, so that squares of either precision keep their order.
    let squares = squares.inner_or_self().into_data_as::<f64>();
    let squares: Vec<f64> = squares.try_into_vec().expect("the data was converted to f64");
    let mask = mask.inner_or_self().into_data_as::<f32>();
    let mask: Vec<f32> = mask.try_into_vec().expect("the data was converted to f32");
    let mut gate = vec![0.0_f32; rows * active];
    for row in 0..rows {
        let span = row * active..(row + 1) * active;
        for j in top_k(&squares[span.clone()], &mask[span.clone()], k) {
            gate[span.start + j] = 1.0;
        }
    }
    Tensor::from_data(TensorData::new(gate, [rows, active]), options)
}
