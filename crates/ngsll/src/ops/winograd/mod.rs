//! 3×3 convolution by Winograd's F(2×2, 3×3): each 2×2 tile of the output from a 4×4 tile of the
//! input, with 16 multiplications per channel and filter instead of 36.
//!
//! Y = Aᵀ[(G w Gᵀ) ⊙ (Bᵀ d B)]A. Summed over channels, each of the 16 places ξ of the product is
//! one matrix product over all tiles of a group of images: M_ξ = V_ξ·U_ξ. A tile of the output is a
//! window of the pool, so the convolved image is never stored, and nothing is computed for an odd
//! last row or column, which the pool drops. Gradients go the same way back:
//! ∂M = A ∂Y Aᵀ, ∂U_ξ = V_ξᵀ·∂M_ξ, ∂V_ξ = ∂M_ξ·U_ξᵀ, ∂d = B ∂V Bᵀ, ∂w = Gᵀ ∂U G.

mod filters;
mod lines;
mod tiles;

pub(super) use filters::{backward_filters, filters_len, forward_filters, weight_gradient};

use super::dispatch;
use super::geometry::Geometry;
use super::product::{Left, Product, padded};
use super::scratch::with_scratch;
use super::window::Code;
use tiles::{Close, Open, Read, Write, tile_count};

/// Places of a 4×4 tile.
const PLACES: usize = 16;

/// Bytes of transformed images that stay in a core's cache beside the filters.
const CACHE: usize = 512 << 10;

/// Images that go through the products together.
pub(super) fn group(g: &Geometry) -> usize {
    let columns = padded(g.input[2]) + g.filters_padded();
    let bytes = PLACES * tile_count(g) * columns * size_of::<f32>();
    (CACHE / bytes.max(1)).clamp(1, 16)
}

/// A group of images. x: [images, h, w, channels] → output: [images, h', w', filters]
pub(super) fn forward(
    g: &Geometry,
    filters: &[f32],
    bias: &[f32],
    x: &[f32],
    output: &mut [f32],
    codes: Option<&mut [Code]>,
) {
    let m = x.len() / g.input_len() * tile_count(g);
    let (channels, n) = (g.input[2], g.filters_padded());
    let lengths = [PLACES * m * padded(channels), PLACES * m * n, 4 * n];
    with_scratch(lengths, |[v, products, window]| {
        dispatch(Read { g, x, v });
        let left = Left::rows(padded(channels), channels);
        for place in 0..PLACES {
            let a = &v[place * m * padded(channels)..];
            let b = &filters[place * channels * n..];
            let c = &mut products[place * m * n..][..m * n];
            Product { c, a, b, m, n, left, add: false }.run();
        }
        dispatch(Close { g, products, bias, window, output, codes });
    });
}

/// Adds a group's share to the gradients of U and the bias and, if wanted, writes x's.
pub(super) fn backward(
    g: &Geometry,
    filters: &[f32],
    x: &[f32],
    (upstream, codes): (&[f32], &[Code]),
    (filters_gradient, bias_gradient): (&mut [f32], &mut [f32]),
    x_gradient: Option<&mut [f32]>,
) {
    let m = x.len() / g.input_len() * tile_count(g);
    let (channels, n) = (g.input[2], g.filters_padded());
    let width = padded(channels);
    let lengths = [PLACES * m * width, PLACES * m * n, 4 * n];
    with_scratch(lengths, |[v, products, window]| {
        dispatch(Open { g, upstream, codes, window, products, bias_gradient });
        dispatch(Read { g, x, v });
        for place in 0..PLACES {
            let (a, b) = (&v[place * m * width..], &products[place * m * n..]);
            let c = &mut filters_gradient[place * channels * n..][..channels * n];
            let left = Left::columns(width, m);
            Product { c, a, b, m: channels, n, left, add: true }.run();
        }
        let Some(x_gradient) = x_gradient else { return };
        for place in 0..PLACES {
            let a = &products[place * m * n..];
            let b = &filters[place * g.filters * width..];
            let c = &mut v[place * m * width..][..m * width];
            let left = Left::rows(n, g.filters);
            Product { c, a, b, m, n: width, left, add: false }.run();
        }
        dispatch(Write { g, v, x_gradient });
    });
}
