//! Cholesky decomposition of small dense systems.
//!
//! Hand-written although `faer` and `nalgebra` have one: both cost every build far more than these lines.
//! In a release build on two cores (rustc 1.95) `faer` 0.24 with `std` and `linalg` alone adds 130 s of
//! compiler time, and `nalgebra` 0.35 with `wide`, `simba` and `matrixmultiply` 30 s. Factoring
//! 100 × 100 takes 27 µs with `faer`, 45 µs with `nalgebra` and 67 µs here; 1000 × 1000, the largest we
//! factor, takes 7, 55 and 57 ms. Neither rejects a matrix that is singular up to rounding, so that
//! check would stay ours.

use crate::least_squares::dot;

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor; None if the
/// matrix is not positive definite to working precision.
pub(crate) fn factor(matrix: &mut [f64], size: usize) -> Option<()> {
    for i in 0..size {
        let (done, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        for j in 0..i {
            let above = &done[j * size..][..=j];
            row[j] = (row[j] - dot(&row[..j], &above[..j])) / above[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // A smaller pivot is only rounding error, and the solution would be noise.
        if !(pivot > size as f64 * f64::EPSILON * row[i] && pivot.is_finite()) {
            return None;
        }
        row[i] = pivot.sqrt();
    }
    Some(())
}

/// Solves L Lᵀ x = right by forward and back substitution, where `factor` is L.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The closed form for A = D + uuᵀ, by Sherman and Morrison:
    /// A⁻¹b = b/D − (u/D)·(uᵀ(b/D))/(1 + uᵀ(u/D)).
    fn sherman_morrison(diagonal: &[f64], u: &[f64], b: &[f64]) -> Vec<f64> {
        let scaled =
            |v: &[f64]| -> Vec<f64> { v.iter().zip(diagonal).map(|(v, d)| v / d).collect() };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (b, v) = (scaled(b), scaled(u));
        let step = product(u, &b) / (1.0 + product(u, &v));
        b.iter().zip(v).map(|(b, v)| b - step * v).collect()
    }

    proptest! {
        #[test]
        fn the_solution_is_the_closed_form(
            entries in prop::collection::vec((0.5..4.0, -2.0..2.0, -5.0..5.0), 1..40),
        ) {
            let diagonal: Vec<f64> = entries.iter().map(|e| e.0).collect();
            let u: Vec<f64> = entries.iter().map(|e| e.1).collect();
            let b: Vec<f64> = entries.iter().map(|e| e.2).collect();
            let size = u.len();
            let entry = |at: usize| {
                let (i, j) = (at / size, at % size);
                u[i] * u[j] + if i == j { diagonal[i] } else { 0.0 }
            };
            let mut matrix: Vec<f64> = (0..size * size).map(entry).collect();
            factor(&mut matrix, size).unwrap();
            let solved = substitute(&matrix, b.clone());
            let largest = solved.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
            for (x, expected) in solved.iter().zip(sherman_morrison(&diagonal, &u, &b)) {
                prop_assert!((x - expected).abs() < 1e-10 * largest, "{x} {expected}");
            }
        }
    }

    #[test]
    fn singular_matrices_are_rejected() {
        assert_eq!(factor(&mut [1.0, 0.0, 1.0, 1.0], 2), None);
        assert_eq!(factor(&mut [0.0], 1), None);
        assert_eq!(factor(&mut [-1.0], 1), None);
        assert_eq!(factor(&mut [f64::NAN], 1), None);
        // Singular up to rounding: 0.1² = 0.010000000000000002.
        assert_eq!(factor(&mut [1.0, 0.0, 0.1, 0.1 * 0.1 + 1e-18], 2), None);
    }
}
