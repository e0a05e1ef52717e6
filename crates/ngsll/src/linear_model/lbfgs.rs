//! The minimum of a smooth convex function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5).

use std::collections::VecDeque;

/// Steps that are remembered, and made at most.
const MEMORY: usize = 10;
const STEPS: usize = 200;

/// The search ends where a step gains less than this share of the value.
const TOLERANCE: f64 = 1e-9;

/// Where `f` is smallest, from `x` on; `f` gives its value and writes its gradient.
pub(super) fn minimum(mut x: Vec<f64>, f: impl Fn(&[f64], &mut [f64]) -> f64) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    let mut value = f(&x, &mut gradient);
    // (step, change of the gradient, 1 / their product)
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    for _ in 0..STEPS {
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
        if gain <= TOLERANCE * value.abs() {
            break;
        }
    }
    x
}

/// Minus the gradient times the inverse Hessian, as far as the memory knows it.
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
