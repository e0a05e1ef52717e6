//! Adam (Kingma and Ba 2015) with β 0.9/0.999 and ε 1e-8.
//!
//! With the gradient g of update t, counted from 1:
//!
//! - m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²
//! - w ← w − η · m/(1 − β₁ᵗ) / (√(v/(1 − β₂ᵗ)) + ε)
//!
//! Weights keep moving while their gradient is zero. The updates s+1..t without gradient, with
//! r = β₁/√β₂ and f(n) = √(1 − β₂ⁿ)/(1 − β₁ⁿ), and leaving ε out, move w by
//!
//! - −η · m/√v · Σᵢ rⁱ f(s+i), i = 1..t−s; the sum is T(s) − r^(t−s) T(t)
//! - with T(n) = Σᵢ rⁱ f(n+i) over all i ≥ 1, so that T(n) = r (f(n+1) + T(n+1)).
//!
//! T is a table, so a row that was not read for any number of updates is brought up to date at
//! the price of one. ε enters as in the first of the missed updates, the largest: exact there, a
//! little too small in those after it. That matters only where √v is near ε itself, in weights whose
//! gradients were near 1e-8; where v is 0, m is 0 as well, and ε keeps the quotient finite.

use super::UpdateRule;
use pulp::Arch;
use std::sync::LazyLock;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Adam at a learning rate.
#[derive(Debug)]
#[non_exhaustive]
pub struct Adam {
    /// η.
    pub learning_rate: f64,
}

impl Adam {
    /// Adam at the learning rate η.
    pub fn new(learning_rate: f64) -> Self {
        Self { learning_rate }
    }
}

/// From here on β₂ⁿ is below the precision of f64, f is 1, and T is constant.
const SETTLED: usize = 40_000;

/// T(0)..T(SETTLED).
static TAILS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let r = decay();
    let f = |n: usize| correction_2(n).sqrt() / correction_1(n);
    let mut tails = vec![r / (1.0 - r); SETTLED + 1];
    for n in (0..SETTLED).rev() {
        tails[n] = r * (f(n + 1) + tails[n + 1]);
    }
    tails
});

/// r = β₁/√β₂.
fn decay() -> f64 {
    BETA_1 / BETA_2.sqrt()
}

/// 1 − β₁ⁿ.
fn correction_1(n: usize) -> f64 {
    1.0 - BETA_1.powf(n as f64)
}

/// 1 − β₂ⁿ.
fn correction_2(n: usize) -> f64 {
    1.0 - BETA_2.powf(n as f64)
}

impl Adam {
    /// Update number `time`, counted from 1; `moments` holds m of all these weights, then v.
    pub fn update(&self, time: u32, weights: &mut [f32], moments: &mut [f32], gradient: &[f32]) {
        let time = time as usize;
        let rate = (self.learning_rate / correction_1(time)) as f32;
        let scale = (1.0 / correction_2(time).sqrt()) as f32;
        let (keep_1, add_1) = (BETA_1 as f32, (1.0 - BETA_1) as f32);
        let (keep_2, add_2) = (BETA_2 as f32, (1.0 - BETA_2) as f32);
        let (m, v) = moments.split_at_mut(weights.len());
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (((w, m), v), g) in weights.iter_mut().zip(m).zip(v).zip(gradient) {
                    *m = keep_1 * *m + add_1 * g;
                    *v = keep_2 * *v + add_2 * g * g;
                    *w -= rate * *m / (v.sqrt() * scale + EPSILON as f32);
                }
            },
        );
    }
}

impl UpdateRule for Adam {
    fn name(&self) -> &'static str {
        "adam"
    }

    /// m and v.
    fn moments(&self) -> usize {
        2
    }

    fn at(&self, learning_rate: f64) -> Box<dyn UpdateRule> {
        Box::new(Self { learning_rate })
    }

    fn update(&self, time: u32, weights: &mut [f32], moments: &mut [f32], gradient: &[f32]) {
        Self::update(self, time, weights, moments, gradient);
    }

    fn skip_steps(&self, from: u32, to: u32, weights: &mut [f32], moments: &mut [f32]) {
        let tail = |n: u32| TAILS[(n as usize).min(SETTLED)];
        let missed = f64::from(to - from);
        let sum = tail(from) - decay().powf(missed) * tail(to);
        let rate = (self.learning_rate * sum) as f32;
        let epsilon = (EPSILON * (correction_2(from as usize + 1) / BETA_2).sqrt()) as f32;
        let (keep_1, keep_2) = (BETA_1.powf(missed) as f32, BETA_2.powf(missed) as f32);
        let (m, v) = moments.split_at_mut(weights.len());
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for ((w, m), v) in weights.iter_mut().zip(m).zip(v) {
                    *w -= rate * *m / (v.sqrt() + epsilon);
                    *m *= keep_1;
                    *v *= keep_2;
                }
            },
        );
    }
}
