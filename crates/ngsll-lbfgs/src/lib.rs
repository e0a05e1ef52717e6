//! The minimum of a smooth convex function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5).
//!
//! ```
//! // (x − 3)² + 10 (y + 1)²
//! let found = ngsll_lbfgs::minimum(vec![0.0, 0.0], 100, 1e-12, |at, gradient| {
//!     let (x, y) = (at[0] - 3.0, at[1] + 1.0);
//!     gradient.copy_from_slice(&[2.0 * x, 20.0 * y]);
//!     x * x + 10.0 * y * y
//! });
//! assert!((found[0] - 3.0).abs() < 1e-6 && (found[1] + 1.0).abs() < 1e-6);
//! ```
//!
//! It fits the linear part of table models (`ngsll`) and the linear models that they are compared with
//! (`ngsll-baselines`).
//!
//! Hand-written because the bits of a model depend on every operation here, so their order must not change with an
//! update of another crate. Of the maintained libraries, argmin has the method, but brings argmin-math, anyhow, paste,
//! rand_xoshiro and web-time, which `ngsll` does not use otherwise. linfa's logistic regression calls argmin, with
//! ndarray and dense rows only.

use std::collections::VecDeque;

/// The number of past steps that approximate the Hessian.
const MEMORY: usize = 10;

/// Minimises `f` starting from `x`. `f` returns its value and overwrites the gradient buffer.
///
/// The search ends after `steps` steps, or when a step improves the value by no more than the share `tolerance`. If
/// `f` returns NaN, the search stays at the last point where it did not.
pub fn minimum(
    mut x: Vec<f64>,
    steps: usize,
    tolerance: f64,
    f: impl Fn(&[f64], &mut [f64]) -> f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    let mut value = f(&x, &mut gradient);
    // (step, change of the gradient, 1 / their product)
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    for _ in 0..steps {
        let direction = direction(&gradient, &memory);
        let slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            break;
        }
        let mut length = match memory.is_empty() {
            true => 1.0 / dot(&gradient, &gradient).sqrt().max(1.0),
            false => 1.0,
        };
        let mut next_gradient = vec![0.0; x.len()];
        let (next, next_value) = loop {
            let next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let found = f(&next, &mut next_gradient);
            // Armijo's condition: the value falls about as much as the slope promises.
            if found <= value + 1e-4 * length * slope {
                break (next, found);
            }
            length /= 2.0;
            if length < 1e-12 {
                return x;
            }
        };
        let step: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let product = dot(&step, &change);
        if product > 0.0 {
            memory.push_back((step, change, 1.0 / product));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        let gain = value - next_value;
        (x, gradient, value) = (next, next_gradient, next_value);
        if gain <= tolerance * value.abs() {
            break;
        }
    }
    x
}

/// Minus the gradient times the inverse Hessian, as approximated by the memory.
fn direction(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for (step, change, scale) in memory.iter().rev() {
        let factor = scale * dot(step, &q);
        q.iter_mut().zip(change).for_each(|(q, c)| *q -= factor * c);
        factors.push(factor);
    }
    if let Some((_, change, scale)) = memory.back() {
        let size = 1.0 / (scale * dot(change, change));
        q.iter_mut().for_each(|q| *q *= size);
    }
    for ((step, change, scale), factor) in memory.iter().zip(factors.into_iter().rev()) {
        let back = scale * dot(change, &q);
        q.iter_mut().zip(step).for_each(|(q, s)| *q += (factor - back) * s);
    }
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::minimum;

    /// The cross-entropy of two logistic scores, x and x + 3y, of which 1/4 and 1/3 are true.
    fn logistic(at: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (at[0], at[0] + 3.0 * at[1]);
        let share = |score: f64| 1.0 / (1.0 + (-score).exp());
        gradient[0] = share(a) - 0.25 + share(b) - 1.0 / 3.0;
        gradient[1] = 3.0 * share(b) - 1.0;
        (1.0 + a.exp()).ln() - 0.25 * a + (1.0 + b.exp()).ln() - b / 3.0
    }

    #[test]
    fn the_minimum_is_where_the_slopes_vanish() {
        let found = minimum(vec![5.0, -5.0], 200, 1e-14, logistic);
        // The log-odds of 1/4, and a third of the way from there to those of 1/3.
        let (x, b) = ((1.0f64 / 3.0).ln(), 0.5f64.ln());
        let expected = [x, (b - x) / 3.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn a_minimum_is_left_as_it_is() {
        let flat = |_: &[f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            7.0
        };
        assert_eq!(minimum(vec![1.0, 2.0], 10, 1e-9, flat), [1.0, 2.0]);
    }

    #[test]
    fn nan_ends_the_search_where_the_value_was_known() {
        let f = |at: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            if at[0] > 0.0 { f64::NAN } else { -at[0] }
        };
        assert_eq!(minimum(vec![0.0], 10, 1e-9, f), [0.0]);
    }
}
