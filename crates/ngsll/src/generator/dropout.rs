//! Dropout whose randomness is passed in.

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
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
        let keep = (1.0 / (1.0 - p)) as f32;
        let threshold = (p * f64::from(u32::MAX)) as u32;
        let shape = x.dims();
        let mut draws = vec![0_u32; shape.iter().product()];
        rng.fill(&mut draws);
        let mask = draws.into_iter().map(|draw| if draw < threshold { 0.0 } else { keep });
        let mask: Vec<f32> = mask.collect();
        let mask = Tensor::from_data(TensorData::new(mask, shape), &x.device());
        x * mask
    }
}
