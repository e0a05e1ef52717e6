//! Positive definite systems by products with the matrix alone.

use crate::problem::dot;

/// The residual at which a solution is good enough, as a share of the right side.
const TOLERANCE: f64 = 1e-10;

/// Solves (A + alpha·I) x = right from the given x, where `times` multiplies by A and `diagonal`
/// is A's. False where rounding keeps the residual from getting small.
///
/// Frequent words have thousands of times the square of rare ones; dividing by the diagonal takes
/// that out of the condition number.
pub(super) fn solve(
    times: impl Fn(&[f64]) -> Vec<f64>,
    diagonal: &[f64],
    alpha: f64,
    right: &[f64],
    x: &mut [f64],
) -> bool {
    let multiply = |p: &[f64]| -> Vec<f64> {
        times(p).iter().zip(p).map(|(product, p)| product + alpha * p).collect()
    };
    let precondition = |r: &[f64]| -> Vec<f64> {
        r.iter().zip(diagonal).map(|(r, diagonal)| r / (diagonal + alpha)).collect()
    };
    let enough = TOLERANCE * dot(right, right).sqrt();
    let mut r: Vec<f64> = right.iter().zip(multiply(x)).map(|(b, ax)| b - ax).collect();
    let mut s = precondition(&r);
    let mut p = s.clone();
    let mut rs = dot(&r, &s);
    // Without rounding as many steps as features are enough.
    for _ in 0..10 * right.len() {
        if dot(&r, &r).sqrt() <= enough {
            return true;
        }
        let product = multiply(&p);
        let length = rs / dot(&p, &product);
        for i in 0..x.len() {
            x[i] += length * p[i];
            r[i] -= length * product[i];
        }
        s = precondition(&r);
        let before = std::mem::replace(&mut rs, dot(&r, &s));
        let keep = rs / before;
        p.iter_mut().zip(&s).for_each(|(p, s)| *p = s + keep * *p);
    }
    false
}
