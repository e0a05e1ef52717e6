//! Positive definite systems by factoring.

use crate::problem::dot;

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor; None where
/// there is none in this precision.
pub(crate) fn factor(matrix: &mut [f64], size: usize) -> Option<()> {
    for i in 0..size {
        let (done, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        for j in 0..i {
            let above = &done[j * size..][..=j];
            row[j] = (row[j] - dot(&row[..j], &above[..j])) / above[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // Below this the pivot is what rounding has left over, and the solution would be noise.
        if !(pivot > size as f64 * f64::EPSILON * row[i] && pivot.is_finite()) {
            return None;
        }
        row[i] = pivot.sqrt();
    }
    Some(())
}

/// Solves L Lᵀ x = right.
pub(crate) fn substitute(factor: &[f64], right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    let mut x = right;
    for i in 0..size {
        let row = &factor[i * size..][..=i];
        x[i] = (x[i] - dot(&x[..i], &row[..i])) / row[i];
    }
    for i in (0..size).rev() {
        let row = &factor[i * size..][..=i];
        x[i] /= row[i];
        let value = x[i];
        for (x, l) in x[..i].iter_mut().zip(row) {
            *x -= value * l;
        }
    }
    x
}
