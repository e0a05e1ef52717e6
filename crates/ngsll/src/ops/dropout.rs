//! Dropout as one operation, in parallel.
//!
//! The stream of random numbers can be entered at any point, so the dropped units are the
//! same on any number of threads.

use super::autodiff::{CustomOp, apply1};
use super::{PooledBuffer, Primitive, is_supported, slice, take_buffer};
use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// Minimum elements per parallel task.
const SHARE: usize = 1 << 13;

/// The values that are kept, and their scale.
#[derive(Debug, Clone)]
struct Mask {
    /// 1 where the value stays, else 0.
    stays: Arc<PooledBuffer<u8>>,
    scale: f32,
}

impl Mask {
    /// Draws which of `length` values are kept: a share `p` is dropped, the rest is scaled by 1/(1 − p).
    fn draw(rng: &mut ChaCha8Rng, length: usize, p: f64) -> Self {
        let threshold = (p * f64::from(u32::MAX)) as u32;
        let start = rng.get_word_pos();
        let mut stays = take_buffer::<u8>(length);
        stays.par_chunks_mut(SHARE).enumerate().for_each(|(i, stays)| {
            let mut rng = rng.clone();
            rng.set_word_pos(start + (i * SHARE) as u128);
            let mut draws = [0_u32; 64];
            for stays in stays.chunks_mut(draws.len()) {
                rng.fill(&mut draws[..]);
                let pairs = stays.iter_mut().zip(&draws);
                pairs.for_each(|(stays, draw)| *stays = u8::from(*draw >= threshold));
            }
        });
        rng.set_word_pos(start + length as u128);
        Self { stays: Arc::new(stays), scale: (1.0 / (1.0 - p)) as f32 }
    }

    /// The factor of each value, 0 or the scale.
    fn factors(&self) -> impl Iterator<Item = f32> {
        self.stays.iter().map(|&stays| f32::from(stays) * self.scale)
    }

    /// x: `[values]` → x ⊙ mask
    fn multiply(&self, x: &[f32]) -> Primitive {
        let mut output = take_buffer::<f32>(x.len());
        let stays = self.stays.par_chunks(SHARE);
        let parts = output.par_chunks_mut(SHARE).zip(x.par_chunks(SHARE)).zip(stays);
        parts.for_each(|((output, x), stays)| {
            let pairs = output.iter_mut().zip(x.iter().zip(stays));
            pairs.for_each(|(o, (x, stays))| *o = x * (f32::from(*stays) * self.scale));
        });
        output.into_tensor([x.len()])
    }
}

/// Sets a share `p` of the values to zero and scales the rest by 1/(1 − p), on any backend.
pub(crate) fn dropout<const D: usize>(x: Tensor<D>, rng: &mut ChaCha8Rng, p: f64) -> Tensor<D> {
    let (shape, length) = (x.dims(), x.shape().num_elements());
    let mask = Mask::draw(rng, length, p);
    if !is_supported(&x) {
        let factors: Vec<f32> = mask.factors().collect();
        let factors = Tensor::from_data(TensorData::new(factors, shape), &x.device());
        return x * factors;
    }
    let dropped: Tensor<1> = apply1(mask, x.reshape([length]));
    dropped.reshape(shape)
}

impl CustomOp<1> for Mask {
    type Saved = Self;

    fn forward(self, [x]: [Primitive; 1], _: [bool; 1]) -> (Primitive, Self) {
        (self.multiply(slice(&x)), self)
    }

    fn backward(mask: Self, upstream: &[f32], [wanted]: [bool; 1]) -> [Option<Primitive>; 1] {
        [wanted.then(|| mask.multiply(upstream))]
    }
}
