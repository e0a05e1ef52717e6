//! What follows the convolution at one place of the output: bias, ReLU, and the maximum of a window.

/// Where in its window a value came from: 0–3, or nowhere because ReLU cut it off.
pub(super) type Code = u8;
const DEAD: Code = 4;

/// max(0, max of the window + b) for every filter and, if wanted, where it came from; of equal
/// values the first counts.
///
/// window: N × `[filters or more]`, bias, output, codes: `[filters]`
#[inline(always)]
pub(super) fn close<const N: usize>(
    window: [&[f32]; N],
    bias: &[f32],
    output: &mut [f32],
    codes: Option<&mut [Code]>,
) {
    let filters = output.len();
    let (window, bias) = (window.map(|w| &w[..filters]), &bias[..filters]);
    for f in 0..filters {
        let (most, sum) = window
            .iter()
            .fold((f32::NEG_INFINITY, 0.0), |(most, sum), w| (larger(w[f], most), sum + w[f]));
        // The larger passes over what is not a number; 0 · Σ does not, and is 0 otherwise.
        output[f] = relu(most + bias[f] + 0.0 * sum);
    }
    if let Some(codes) = codes {
        let codes = &mut codes[..filters];
        for f in 0..filters {
            let (mut most, mut code) = (window[0][f], 0);
            for (i, w) in window.iter().enumerate().skip(1) {
                code = if w[f] > most { i as Code } else { code };
                most = larger(w[f], most);
            }
            codes[f] = if output[f] == 0.0 { DEAD } else { code };
        }
    }
}

/// max(0, x); what is not a number stays so, for the checks that stop a training.
#[inline(always)]
pub(super) fn relu(x: f32) -> f32 {
    larger(0.0, x)
}

/// The larger of two; the second, if one is not a number. Unlike `f32::max` a single instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
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
