//! What follows the convolution at one place of the output: bias, ReLU, and the maximum of a window.

use super::vector::{load, store};
use pulp::Simd;

/// Where in its window a value came from: 0–3, or nowhere because ReLU cut it off.
pub(super) type Code = u8;
const DEAD: Code = 4;

/// max(0, max of the window + b); what is not a number comes through, for the checks that stop a
/// training.
#[inline(always)]
pub(super) fn pooled<S: Simd, const N: usize>(
    simd: S,
    window: [S::f32s; N],
    bias: S::f32s,
) -> S::f32s {
    let (mut most, mut sum) = (window[0], window[0]);
    for w in &window[1..] {
        most = simd.max_f32s(*w, most);
        sum = simd.add_f32s(sum, *w);
    }
    // The larger of two may pass over what is not a number; 0 · Σ does not, and is 0 otherwise.
    let zero = simd.splat_f32s(0.0);
    let value = simd.max_f32s(zero, simd.add_f32s(most, bias));
    simd.mul_add_e_f32s(zero, simd.add_f32s(sum, bias), value)
}

/// [`pooled`] for every filter and, if wanted, where the value came from.
///
/// window: N × `[filters or more]`, bias, output, codes: `[filters]`
#[inline(always)]
pub(super) fn close<S: Simd, const N: usize>(
    simd: S,
    window: [&[f32]; N],
    bias: &[f32],
    output: &mut [f32],
    codes: Option<&mut [Code]>,
) {
    for from in (0..output.len()).step_by(S::F32_LANES) {
        let mut values = [simd.splat_f32s(0.0); N];
        for (value, w) in values.iter_mut().zip(window) {
            *value = load(simd, w, from);
        }
        store(simd, output, from, pooled(simd, values, load(simd, bias, from)));
    }
    if let Some(codes) = codes {
        locate(window, output, codes);
    }
}

/// Where the values of the output came from; of equal ones the first counts.
#[inline(always)]
pub(super) fn locate<const N: usize>(window: [&[f32]; N], output: &[f32], codes: &mut [Code]) {
    let filters = output.len();
    let (window, codes) = (window.map(|w| &w[..filters]), &mut codes[..filters]);
    for f in 0..filters {
        let (mut most, mut code) = (window[0][f], 0);
        for (i, w) in window.iter().enumerate().skip(1) {
            code = if w[f] > most { i as Code } else { code };
            most = if w[f] > most { w[f] } else { most };
        }
        codes[f] = if output[f] == 0.0 { DEAD } else { code };
    }
}

/// max(0, x); what is not a number stays so.
#[inline(always)]
pub(super) fn relu(x: f32) -> f32 {
    // Unlike `f32::max`, a single instruction.
    if 0.0 > x { 0.0 } else { x }
}

/// Sends each gradient to where its value came from, and adds it to the bias' gradient.
///
/// upstream, codes, bias_gradient: `[filters]`, window: N × `[filters or more]`
#[inline(always)]
pub(super) fn open<const N: usize>(
    upstream: &[f32],
    codes: &[Code],
    window: [&mut [f32]; N],
    bias_gradient: &mut [f32],
) {
    let filters = upstream.len();
    let (codes, bias_gradient) = (&codes[..filters], &mut bias_gradient[..filters]);
    for (i, place) in window.into_iter().enumerate() {
        let place = &mut place[..filters];
        for f in 0..filters {
            place[f] = if codes[f] == i as Code { upstream[f] } else { 0.0 };
        }
    }
    for f in 0..filters {
        bias_gradient[f] += if codes[f] == DEAD { 0.0 } else { upstream[f] };
    }
}
