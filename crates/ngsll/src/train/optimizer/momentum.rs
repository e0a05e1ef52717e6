//! Stochastic gradient descent with momentum 0.9 and no dampening.
//!
//! - u ← 0.9u + g,  w ← w − ηu
//!
//! n updates without gradient move w by −ηu · (0.9 + 0.9² + … + 0.9ⁿ) = −ηu · 9(1 − 0.9ⁿ).

use super::UpdateRule;

const MOMENTUM: f64 = 0.9;

/// Momentum at a learning rate.
#[derive(Debug)]
pub struct Momentum {
    /// η.
    pub learning_rate: f64,
}

impl UpdateRule for Momentum {
    fn name(&self) -> &'static str {
        "momentum"
    }

    /// u.
    fn moments(&self) -> usize {
        1
    }

    fn at(&self, learning_rate: f64) -> Box<dyn UpdateRule> {
        Box::new(Self { learning_rate })
    }

    fn update(&self, _time: u32, weights: &mut [f32], moments: &mut [f32], gradient: &[f32]) {
        let (rate, keep) = (self.learning_rate as f32, MOMENTUM as f32);
        for ((w, u), g) in weights.iter_mut().zip(moments).zip(gradient) {
            *u = keep * *u + g;
            *w -= rate * *u;
        }
    }

    fn skip_steps(&self, from: u32, to: u32, weights: &mut [f32], moments: &mut [f32]) {
        let keep = MOMENTUM.powf(f64::from(to - from));
        let sum = MOMENTUM / (1.0 - MOMENTUM) * (1.0 - keep);
        let (rate, keep) = ((self.learning_rate * sum) as f32, keep as f32);
        for (w, u) in weights.iter_mut().zip(moments) {
            *w -= rate * *u;
            *u *= keep;
        }
    }
}
