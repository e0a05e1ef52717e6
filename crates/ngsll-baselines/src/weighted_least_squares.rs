//! Weighted least squares over a few dense columns.

use crate::cholesky::{factor, substitute};

/// Σ weight · row rowᵀ, lower triangle only: `rows: [n, d], weights: [n] → [d, d]`.
pub(crate) fn weighted_gram(rows: &[f64], d: usize, weights: &[f64]) -> Vec<f64> {
    // Rows added per pass over the matrix, so that it is read and written less often.
    const BLOCK: usize = 4;
    let mut gram = vec![0.0; d * d];
    let whole = weights.len() / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        add_rows::<BLOCK>(&mut gram, &rows[start * d..], d, &weights[start..]);
    }
    for start in whole..weights.len() {
        add_rows::<1>(&mut gram, &rows[start * d..], d, &weights[start..]);
    }
    gram
}

/// Adds the first N rows to the lower triangle.
fn add_rows<const N: usize>(gram: &mut [f64], rows: &[f64], d: usize, weights: &[f64]) {
    let rows: [&[f64]; N] = std::array::from_fn(|n| &rows[n * d..][..d]);
    for i in 0..d {
        let factors: [f64; N] = std::array::from_fn(|n| weights[n] * rows[n][i]);
        let rows: [&[f64]; N] = std::array::from_fn(|n| &rows[n][..=i]);
        for (j, sum) in gram[i * d..][..=i].iter_mut().enumerate() {
            *sum += (0..N).map(|n| factors[n] * rows[n][j]).sum::<f64>();
        }
    }
}

/// Σ weight · target · row: `rows: [n, d], weights: [n], targets: [n] → [d]`.
pub(crate) fn weighted_products(
    rows: &[f64],
    d: usize,
    weights: &[f64],
    targets: &[f64],
) -> Vec<f64> {
    let mut products = vec![0.0; d];
    for ((row, weight), target) in rows.chunks_exact(d).zip(weights).zip(targets) {
        let factor = weight * target;
        for (sum, value) in products.iter_mut().zip(row) {
            *sum += factor * value;
        }
    }
    products
}

/// Entry (i, j) of a symmetric matrix stored as its lower triangle.
pub(crate) fn entry(gram: &[f64], d: usize, i: usize, j: usize) -> f64 {
    gram[i.max(j) * d + i.min(j)]
}

/// Solves matrix · x = right, where `entry(i, j)`, j ≤ i, gives the lower triangle; None if the matrix
/// is not positive definite to working precision.
pub(crate) fn solve(entry: impl Fn(usize, usize) -> f64, right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    let mut matrix = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..=i {
            matrix[i * size + j] = entry(i, j);
        }
    }
    factor(&mut matrix, size)?;
    Some(substitute(&matrix, right))
}
