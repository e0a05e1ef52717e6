//! The largest value of each feature over a text's positions, as one operation.
//!
//! On the CPU backend the gradient goes straight to the positions that the largest came from;
//! elsewhere the operation is made of Burn's own ([`max_over_time_plain`]), which is also the
//! reference in the tests.

use super::{is_ours, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Numbers that are worth a thread.
const SHARE: usize = 1 << 14;

/// The place of a maximum that no position has: all are 0, or there is none.
const NOWHERE: u32 = u32::MAX;

/// The maximum over a text's own positions of values ≥ 0; 0 for a text that has none.
///
/// h: [batch, time, width], present: [batch, time], 1 or 0 → [batch, width]
pub fn max_over_time(h: Tensor<3>, present: Tensor<2>) -> Tensor<2> {
    if !is_ours(&h) {
        return max_over_time_plain(h, present);
    }
    Tensor::from_dispatch(<Dispatch as MaxOverTimeOps>::max_over_time(
        h.into_dispatch(),
        present.into_dispatch(),
    ))
}

/// [`max_over_time`] in Burn's own operations.
pub fn max_over_time_plain(h: Tensor<3>, present: Tensor<2>) -> Tensor<2> {
    (h * present.unsqueeze_dim(2)).max_dim(1).squeeze_dim(1)
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait MaxOverTimeOps: Backend {
    /// See [`max_over_time`].
    fn max_over_time(h: FloatTensor<Self>, present: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl MaxOverTimeOps for Flex {
    fn max_over_time(h: FloatTensor<Self>, present: FloatTensor<Self>) -> FloatTensor<Self> {
        forward(&h, &present).0
    }
}

/// The maxima, and the first position that each came from: [batch, width] both.
fn forward(h: &FloatTensor<Flex>, present: &FloatTensor<Flex>) -> (FloatTensor<Flex>, Vec<u32>) {
    let (h, present) = (h.to_contiguous(), present.to_contiguous());
    let [batch, time, width] = [0, 1, 2].map(|d| h.layout().shape()[d]);
    let mut most = room(batch * width);
    most.fill(0.0);
    let mut places = vec![NOWHERE; batch * width];
    let texts = slice(&h).par_chunks_exact((time * width).max(1));
    let texts = texts.zip(slice(&present).par_chunks_exact(time.max(1)));
    let own =
        most.par_chunks_exact_mut(width.max(1)).zip(places.par_chunks_exact_mut(width.max(1)));
    let share = SHARE.div_ceil((time * width).max(1));
    texts.zip(own).with_min_len(share).for_each(|((h, present), (most, places))| {
        let rows = h.chunks_exact(width).zip(present).enumerate();
        for (t, (row, _)) in rows.filter(|(_, (_, present))| **present != 0.0) {
            for ((most, place), &value) in most.iter_mut().zip(&mut *places).zip(row) {
                // What is not a number is the largest of all, so that it does not go unnoticed.
                let larger = value > *most || value.is_nan();
                *most = if larger { value } else { *most };
                *place = if larger { t as u32 } else { *place };
            }
        }
    });
    (tensor(most, [batch, width]), places)
}

/// upstream, places: [batch, width] → [batch, time, width]
fn backward(
    upstream: &[f32],
    places: &[u32],
    [batch, time, width]: [usize; 3],
) -> FloatTensor<Flex> {
    let mut gradient = room(batch * time * width);
    let texts = gradient.par_chunks_exact_mut((time * width).max(1));
    let own = upstream.par_chunks_exact(width.max(1)).zip(places.par_chunks_exact(width.max(1)));
    let share = SHARE.div_ceil((time * width).max(1));
    texts.zip(own).with_min_len(share).for_each(|(gradient, (upstream, places))| {
        gradient.fill(0.0);
        let pairs = upstream.iter().zip(places).enumerate();
        for (feature, (value, place)) in pairs.filter(|(_, (_, place))| **place != NOWHERE) {
            gradient[*place as usize * width + feature] = *value;
        }
    });
    tensor(gradient, [batch, time, width])
}

impl<C: CheckpointStrategy> MaxOverTimeOps for Autodiff<Flex, C> {
    fn max_over_time(h: FloatTensor<Self>, present: FloatTensor<Self>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct MaxOverTimeBackward;

        impl Backward<Flex, 1> for MaxOverTimeBackward {
            /// The position of each maximum, and the sizes of h.
            type State = (Vec<u32>, [usize; 3]);

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let (places, sizes) = ops.state;
                if let [Some(h)] = ops.parents {
                    grads.register::<Flex>(h.id, backward(slice(&upstream), &places, sizes));
                }
            }
        }

        let prepared = MaxOverTimeBackward.prepare::<C>([h.node()]).compute_bound().stateful();
        let h = h.into_primitive();
        let sizes = [0, 1, 2].map(|d| h.layout().shape()[d]);
        let (most, places) = forward(&h, &present.into_primitive());
        match prepared {
            OpsKind::Tracked(prep) => prep.finish((places, sizes), most),
            OpsKind::UnTracked(prep) => prep.finish(most),
        }
    }
}
