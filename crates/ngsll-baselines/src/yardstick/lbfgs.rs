//! L-BFGS for smooth convex functions (Nocedal & Wright, Numerical Optimization, algorithm 7.4).
//!
//! Our own: of the kept libraries, argmin has the method, at many times these lines' cost to every build.

use crate::least_squares::dot;
use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 10;
/// The largest slope at which a point is accurate enough, for functions of about one.
const TOLERANCE: f64 = 1e-6;
/// Steps at most: a figure to compare with needs no more digits than they give.
const STEPS: usize = 500;

/// One remembered step: the way, the change of the slope, and 1 / (way · change).
type Step = (Vec<f64>, Vec<f64>, f64);

/// Moves `x` to the minimum of a function that gives its value and its gradient.
pub(super) fn minimize(x: &mut Vec<f64>, function: impl Fn(&[f64]) -> (f64, Vec<f64>)) {
    let (mut value, mut gradient) = function(x);
    let mut steps: VecDeque<Step> = VecDeque::new();
    for _ in 0..STEPS {
        if gradient.iter().all(|g| g.abs() <= TOLERANCE) {
            return;
        }
        let direction = direction(&gradient, &steps);
        let slope = dot(&direction, &gradient);
        // Without a remembered step the direction has no scale of its own yet.
        let mut length =
            if steps.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt().max(1.0) } else { 1.0 };
        let (next, next_value, next_gradient) = loop {
            let next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let (next_value, next_gradient) = function(&next);
            if next_value <= value + 1e-4 * length * slope {
                break (next, next_value, next_gradient);
            }
            length /= 2.0;
            // Rounding hides what is still to be gained.
            if length < 1e-10 {
                return;
            }
        };
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (way, change) = (difference(&next, x), difference(&next_gradient, &gradient));
        let curvature = dot(&way, &change);
        if curvature > 0.0 {
            steps.push_back((way, change, 1.0 / curvature));
        }
        if steps.len() > MEMORY {
            steps.pop_front();
        }
        (*x, value, gradient) = (next, next_value, next_gradient);
    }
}

/// −H·gradient, where H is what the remembered steps tell of the inverse Hessian.
fn direction(gradient: &[f64], steps: &VecDeque<Step>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let add = |to: &mut [f64], factor: f64, from: &[f64]| {
        to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
    };
    let mut alphas = Vec::with_capacity(steps.len());
    for (way, change, inverse) in steps.iter().rev() {
        let alpha = inverse * dot(way, &direction);
        add(&mut direction, -alpha, change);
        alphas.push(alpha);
    }
    if let Some((_, change, inverse)) = steps.back() {
        let scale = 1.0 / (inverse * dot(change, change));
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for ((way, change, inverse), alpha) in steps.iter().zip(alphas.into_iter().rev()) {
        let beta = inverse * dot(change, &direction);
        add(&mut direction, alpha - beta, way);
    }
    direction
}
