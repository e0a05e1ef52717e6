//! Preconditioned conjugate gradients, for systems too large to form.
//!
//! Hand-written because argmin, the maintained library that has the method, has neither a preconditioner nor a
//! residual tolerance for it, and both are needed here.

use crate::least_squares::dot;

/// The residual at which a solution is accurate enough, relative to the right-hand side.
const TOLERANCE: f64 = 1e-10;

/// Solves (A + alpha·I) x = right from the given x, where `times` multiplies by A and `diagonal`
/// is that of A. False if rounding keeps the residual above the tolerance.
///
/// A frequent word has thousands of times the squared norm of a rare one; dividing by the diagonal
/// (the Jacobi preconditioner) removes that from the condition number.
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
    let tolerance = TOLERANCE * dot(right, right).sqrt();
    let mut r: Vec<f64> = right.iter().zip(multiply(x)).map(|(b, ax)| b - ax).collect();
    let mut s = precondition(&r);
    let mut p = s.clone();
    let mut rs = dot(&r, &s);
    // In exact arithmetic as many steps as features would do.
    for _ in 0..10 * right.len() {
        if dot(&r, &r).sqrt() <= tolerance {
            return true;
        }
        let product = multiply(&p);
        let step = rs / dot(&p, &product);
        for i in 0..x.len() {
            x[i] += step * p[i];
            r[i] -= step * product[i];
        }
        s = precondition(&r);
        let previous = std::mem::replace(&mut rs, dot(&r, &s));
        let beta = rs / previous;
        p.iter_mut().zip(&s).for_each(|(p, s)| *p = s + beta * *p);
    }
    false
}
