//! Dropout with explicit randomness.

use crate::ops::dropout::dropout;
use burn::tensor::Tensor;
use rand_chacha::ChaCha8Rng;

/// Drops units in training and does nothing in prediction.
#[derive(Debug)]
pub struct Dropout {
    rng: Option<ChaCha8Rng>,
}

impl Dropout {
    /// For training: units are drawn from `rng`.
    pub fn on(rng: ChaCha8Rng) -> Self {
        Self { rng: Some(rng) }
    }

    /// For prediction: every unit stays.
    pub fn off() -> Self {
        Self { rng: None }
    }

    /// Sets a share `p` of the values to zero and scales the rest by 1/(1 − p).
    pub fn apply<const D: usize>(&mut self, x: Tensor<D>, p: f64) -> Tensor<D> {
        let Some(rng) = self.rng.as_mut().filter(|_| p > 0.0) else { return x };
        dropout(x, rng, p)
    }
}
