//! 3×3 convolution by Winograd's F(2×2, 3×3): each 2×2 tile of the output from a 4×4 tile of the
//! input, with 16 multiplications per channel and filter instead of 36.
//!
//! Y = Aᵀ[(G w Gᵀ) ⊙ (Bᵀ d B)]A. Summed over channels, each of the 16 entries ξ of the product is
//! one matrix product over all tiles of a group of images: M_ξ = V_ξ·U_ξ. A tile of the output is a
//! window of the pool, so the convolved image is never stored, and nothing is computed for an odd
//! last row or column, which the pool drops. Gradients take the same steps in reverse:
//! ∂M = A ∂Y Aᵀ, ∂U_ξ = V_ξᵀ·∂M_ξ, ∂V_ξ = ∂M_ξ·U_ξᵀ, ∂d = B ∂V Bᵀ, ∂w = Gᵀ ∂U G.

mod filters;
mod lines;
mod tiles;

pub(super) use filters::{backward_filters, filters_len, forward_filters, weight_gradient};

use super::buffer_pool::Scratch;
use super::dispatch;
use super::gemm::{AStrides, Gemm, padded};
use super::geometry::Geometry;
use super::kernel::{Backward, Forward};
use tiles::{Epilogue, EpilogueBackward, Read, Strip, Write, tile_count};

/// Entries of a 4×4 tile.
const ENTRIES: usize = 16;

/// Bytes of transformed images that stay in a core's cache beside the filters.
const CACHE: usize = 512 << 10;

/// An image is large if it takes this many times the cache.
const LARGE: usize = 8;

/// Tiles whose transformed images stay in cache. The products of larger images go strip by strip.
fn tiles_in_cache(g: &Geometry) -> usize {
    let columns = padded(g.input[2]) + g.filters_padded();
    CACHE / (ENTRIES * columns * size_of::<f32>()).max(1)
}

/// Images that go through the products together.
pub(super) fn group(g: &Geometry) -> usize {
    (tiles_in_cache(g) / tile_count(g).max(1)).clamp(1, 16)
}

/// The strips of a group of images; more than one only if a single image is many times too large
/// for the cache: shorter products and strips that overlap have their price.
fn strips(g: &Geometry, images: usize) -> impl Iterator<Item = Strip> {
    let cached = tiles_in_cache(g);
    let whole = images * tile_count(g);
    let most = if whole > LARGE * cached { cached } else { whole };
    Strip::each(g, images, most)
}

/// See [`Forward`].
pub(super) fn forward(g: &Geometry, group: Forward<'_>, scratch: &mut Scratch) {
    let Forward { filters, bias, x, output, mut indices } = group;
    let (channels, n) = (g.input[2], g.filters_padded());
    for strip in strips(g, x.len() / g.input_len()) {
        let m = strip.tile_count(g);
        let (output, indices) = (&mut *output, indices.as_deref_mut());
        let lengths = [ENTRIES * m * padded(channels), ENTRIES * m * n, 4 * n];
        let [v, products, window] = scratch.split(lengths);
        dispatch(Read { g, strip: strip.clone(), x, v });
        let a_strides = AStrides::rows(padded(channels), channels);
        for entry in 0..ENTRIES {
            let a = &v[entry * m * padded(channels)..];
            let b = &filters[entry * channels * n..];
            let c = &mut products[entry * m * n..][..m * n];
            Gemm { c, a, b, m, n, a_strides, accumulate: false }.run();
        }
        dispatch(Epilogue { g, strip, products, bias, window, output, indices });
    }
}

/// See [`Backward`].
pub(super) fn backward(g: &Geometry, group: Backward<'_>, scratch: &mut Scratch) {
    let Backward { filters, x, upstream, indices, filters_gradient, bias_gradient, .. } = group;
    let mut x_gradient = group.x_gradient;
    let (channels, n) = (g.input[2], g.filters_padded());
    let width = padded(channels);
    if let Some(x_gradient) = x_gradient.as_deref_mut() {
        x_gradient.fill(0.0);
    }
    for strip in strips(g, x.len() / g.input_len()) {
        let m = strip.tile_count(g);
        let lengths = [ENTRIES * m * width, ENTRIES * m * n, 4 * n];
        let [v, products, window] = scratch.split(lengths);
        let bias_gradient = &mut *bias_gradient;
        let own = strip.clone();
        dispatch(EpilogueBackward {
            g,
            strip: own,
            upstream,
            indices,
            window,
            products,
            bias_gradient,
        });
        if !filters_gradient.is_empty() {
            dispatch(Read { g, strip: strip.clone(), x, v });
            for entry in 0..ENTRIES {
                let (a, b) = (&v[entry * m * width..], &products[entry * m * n..]);
                let c = &mut filters_gradient[entry * channels * n..][..channels * n];
                let a_strides = AStrides::columns(width, m);
                Gemm { c, a, b, m: channels, n, a_strides, accumulate: true }.run();
            }
        }
        let Some(x_gradient) = x_gradient.as_deref_mut() else { continue };
        for entry in 0..ENTRIES {
            let a = &products[entry * m * n..];
            let b = &filters[entry * g.filters * width..];
            let c = &mut v[entry * m * width..][..m * width];
            let a_strides = AStrides::rows(n, g.filters);
            Gemm { c, a, b, m, n: width, a_strides, accumulate: false }.run();
        }
        dispatch(Write { g, strip, v, x_gradient });
    }
}
