//! The largest value of each feature over a text's positions, as one operation.
//!
//! On the CPU backend the gradient goes straight to the positions that the largest came from;
//! elsewhere the operation is made of Burn's own ([`max_over_time_plain`]), which is also the
//! reference in the tests.

use super::autodiff::{CustomOp, apply2};
use super::{Primitive, dims, is_supported, slice, take_buffer, take_zeroed};
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Minimum elements per parallel task.
const SHARE: usize = 1 << 14;

/// Marks a maximum without a position: all values are 0, or there is none.
const NOWHERE: u32 = u32::MAX;

/// The maximum over a text's own positions of values ≥ 0; 0 for a text that has none. NaN
/// propagates.
///
/// h: [batch, time, width], present: [batch, time], 1 or 0 → [batch, width]
pub(crate) fn max_over_time(h: Tensor<3>, present: Tensor<2>) -> Tensor<2> {
    if !is_supported(&h) {
        return max_over_time_plain(h, present);
    }
    apply2(MaxOverTime, h, present.detach())
}

/// [`max_over_time`] in Burn's own operations.
pub(crate) fn max_over_time_plain(h: Tensor<3>, present: Tensor<2>) -> Tensor<2> {
    (h * present.unsqueeze_dim(2)).max_dim(1).squeeze_dim(1)
}

#[derive(Debug)]
struct MaxOverTime;

impl CustomOp<2> for MaxOverTime {
    /// The first position that each maximum came from, [batch, width], and the sizes of h.
    type Saved = (Vec<u32>, [usize; 3]);

    fn forward(self, [h, present]: [Primitive; 2], _: [bool; 2]) -> (Primitive, Self::Saved) {
        let sizes @ [batch, time, width] = dims(&h);
        let mut maxima = take_zeroed::<f32>(batch * width);
        let mut positions = vec![NOWHERE; batch * width];
        let texts = slice(&h).par_chunks_exact((time * width).max(1));
        let texts = texts.zip(slice(&present).par_chunks_exact(time.max(1)));
        let maxima_of_texts = maxima.par_chunks_exact_mut(width.max(1));
        let own = maxima_of_texts.zip(positions.par_chunks_exact_mut(width.max(1)));
        let share = SHARE.div_ceil((time * width).max(1));
        texts.zip(own).with_min_len(share).for_each(|((h, present), (maxima, positions))| {
            let rows = h.chunks_exact(width).zip(present).enumerate();
            for (t, (row, _)) in rows.filter(|(_, (_, present))| **present != 0.0) {
                for ((max, position), &value) in maxima.iter_mut().zip(&mut *positions).zip(row) {
                    let larger = value > *max || value.is_nan();
                    *max = if larger { value } else { *max };
                    *position = if larger { t as u32 } else { *position };
                }
            }
        });
        (maxima.into_tensor([batch, width]), (positions, sizes))
    }

    fn backward(
        (positions, [batch, time, width]): Self::Saved,
        upstream: &[f32],
        [wanted, _]: [bool; 2],
    ) -> [Option<Primitive>; 2] {
        if !wanted {
            return [None, None];
        }
        let mut gradient = take_buffer::<f32>(batch * time * width);
        let texts = gradient.par_chunks_exact_mut((time * width).max(1));
        let own = upstream.par_chunks_exact(width.max(1));
        let own = own.zip(positions.par_chunks_exact(width.max(1)));
        let share = SHARE.div_ceil((time * width).max(1));
        texts.zip(own).with_min_len(share).for_each(|(gradient, (upstream, positions))| {
            gradient.fill(0.0);
            let pairs = upstream.iter().zip(positions).enumerate();
            for (feature, (value, position)) in pairs.filter(|(_, (_, p))| **p != NOWHERE) {
                gradient[*position as usize * width + feature] = *value;
            }
        });
        [Some(gradient.into_tensor([batch, time, width])), None]
    }
}
