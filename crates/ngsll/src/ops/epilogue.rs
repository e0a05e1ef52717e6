//! The epilogue of a convolution at one position of the output: bias, ReLU, and the maximum of a
//! window.

use super::vector::{load, store};
use pulp::Simd;

/// The index in its window of a maximum: 0–3, or none because ReLU made it 0.
pub(super) type PoolIndex = u8;
const INACTIVE: PoolIndex = 4;

/// max(0, max of the window + b). NaN propagates, so that the checks can stop a training.
#[inline(always)]
pub(super) fn bias_relu_max<S: Simd, const N: usize>(
    simd: S,
    window: [S::f32s; N],
    bias: S::f32s,
) -> S::f32s {
    let (mut max, mut sum) = (window[0], window[0]);
    for w in &window[1..] {
        max = simd.max_f32s(*w, max);
        sum = simd.add_f32s(sum, *w);
    }
    // The maximum of two may drop a NaN; 0 · Σ does not, and is 0 otherwise.
    let zero = simd.splat_f32s(0.0);
    let value = simd.max_f32s(zero, simd.add_f32s(max, bias));
    simd.mul_add_e_f32s(zero, simd.add_f32s(sum, bias), value)
}

/// [`bias_relu_max`] for every filter and, if wanted, the index of the maximum.
///
/// window: N × `[filters or more]`, bias, output, indices: `[filters]`
#[inline(always)]
pub(super) fn bias_relu_pool<S: Simd, const N: usize>(
    simd: S,
    window: [&[f32]; N],
    bias: &[f32],
    output: &mut [f32],
    indices: Option<&mut [PoolIndex]>,
) {
    for from in (0..output.len()).step_by(S::F32_LANES) {
        let mut values = [simd.splat_f32s(0.0); N];
        for (value, w) in values.iter_mut().zip(window) {
            *value = load(simd, w, from);
        }
        store(simd, output, from, bias_relu_max(simd, values, load(simd, bias, from)));
    }
    if let Some(indices) = indices {
        write_pool_indices(window, output, indices);
    }
}

/// The index of each value of the output in its window; of equal ones the first counts.
#[inline(always)]
pub(super) fn write_pool_indices<const N: usize>(
    window: [&[f32]; N],
    output: &[f32],
    indices: &mut [PoolIndex],
) {
    let filters = output.len();
    let (window, indices) = (window.map(|w| &w[..filters]), &mut indices[..filters]);
    for f in 0..filters {
        let (mut max, mut index) = (window[0][f], 0);
        for (i, w) in window.iter().enumerate().skip(1) {
            index = if w[f] > max { i as PoolIndex } else { index };
            max = if w[f] > max { w[f] } else { max };
        }
        indices[f] = if output[f] == 0.0 { INACTIVE } else { index };
    }
}

/// max(0, x). NaN propagates.
#[inline(always)]
pub(super) fn relu(x: f32) -> f32 {
    // Unlike `f32::max`, a single instruction.
    if 0.0 > x { 0.0 } else { x }
}

/// Routes each gradient to the value of the window that was the maximum, and adds it to the bias'
/// gradient.
///
/// upstream, indices, bias_gradient: `[filters]`, window: N × `[filters or more]`
#[inline(always)]
pub(super) fn bias_relu_pool_backward<const N: usize>(
    upstream: &[f32],
    indices: &[PoolIndex],
    window: [&mut [f32]; N],
    bias_gradient: &mut [f32],
) {
    let filters = upstream.len();
    let (indices, bias_gradient) = (&indices[..filters], &mut bias_gradient[..filters]);
    for (i, values) in window.into_iter().enumerate() {
        let values = &mut values[..filters];
        for f in 0..filters {
            values[f] = if indices[f] == i as PoolIndex { upstream[f] } else { 0.0 };
        }
    }
    for f in 0..filters {
        bias_gradient[f] += if indices[f] == INACTIVE { 0.0 } else { upstream[f] };
    }
}
