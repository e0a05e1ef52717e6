//! Dropout as one operation, side by side on all threads.
//!
//! The stream of random numbers can be entered at any place, so the units that are dropped are the
//! same on any number of threads.

use super::scratch::Lent;
use super::{is_ours, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// Numbers that are worth a thread.
const SHARE: usize = 1 << 13;

/// Which values stay, and what they are scaled by.
#[derive(Debug, Clone)]
pub struct Mask {
    /// 1 where the value stays, else 0.
    stays: Arc<Lent<u8>>,
    scale: f32,
}

impl Mask {
    /// Draws `length` values' fates: a share `p` goes, the rest is scaled by 1/(1 − p).
    fn draw(rng: &mut ChaCha8Rng, length: usize, p: f64) -> Self {
        let threshold = (p * f64::from(u32::MAX)) as u32;
        let start = rng.get_word_pos();
        let mut stays = Lent::<u8>::left_over(length);
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

    fn multiply<const D: usize>(&self, x: &[f32], shape: [usize; D]) -> FloatTensor<Flex> {
        let mut output = room(x.len());
        let stays = self.stays.par_chunks(SHARE);
        let parts = output.par_chunks_mut(SHARE).zip(x.par_chunks(SHARE)).zip(stays);
        parts.for_each(|((output, x), stays)| {
            let pairs = output.iter_mut().zip(x.iter().zip(stays));
            pairs.for_each(|(o, (x, stays))| *o = x * (f32::from(*stays) * self.scale));
        });
        tensor(output, shape)
    }
}

/// Sets a share `p` of the values to zero and scales the rest by 1/(1 − p), on any backend.
pub fn dropout<const D: usize>(x: Tensor<D>, rng: &mut ChaCha8Rng, p: f64) -> Tensor<D> {
    let (shape, length) = (x.dims(), x.shape().num_elements());
    let mask = Mask::draw(rng, length, p);
    if !is_ours(&x) {
        let factors: Vec<f32> = mask.factors().collect();
        let factors = Tensor::from_data(TensorData::new(factors, shape), &x.device());
        return x * factors;
    }
    let flat = x.reshape([length]);
    let dropped = <Dispatch as DropoutOps>::masked(flat.into_dispatch(), mask);
    Tensor::<1>::from_dispatch(dropped).reshape(shape)
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait DropoutOps: Backend {
    /// x: `[values]` → x ⊙ mask
    fn masked(x: FloatTensor<Self>, mask: Mask) -> FloatTensor<Self>;
}

impl DropoutOps for Flex {
    fn masked(x: FloatTensor<Self>, mask: Mask) -> FloatTensor<Self> {
        let x = x.to_contiguous();
        mask.multiply(slice(&x), [slice(&x).len()])
    }
}

impl<C: CheckpointStrategy> DropoutOps for Autodiff<Flex, C> {
    fn masked(x: FloatTensor<Self>, mask: Mask) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct MaskedBackward;

        impl Backward<Flex, 1> for MaskedBackward {
            type State = Mask;

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let upstream = grads.consume::<Flex>(&ops.node);
                if let [Some(x)] = ops.parents {
                    grads.register::<Flex>(x.id, Flex::masked(upstream, ops.state));
                }
            }
        }

        let prepared = MaskedBackward.prepare::<C>([x.node()]).compute_bound().stateful();
        let output = Flex::masked(x.into_primitive(), mask.clone());
        match prepared {
            OpsKind::Tracked(prep) => prep.finish(mask, output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
}
