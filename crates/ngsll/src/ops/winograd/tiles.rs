//! From images to tiles and back.

#![expect(clippy::needless_range_loop, reason = "i and j are the indices of a tile")]

use super::ENTRIES;
use super::lines::{
    InputTransform, InputTransformBack, LineMap, OutputTransform, OutputTransformBack, read,
};
use crate::ops::epilogue::{
    PoolIndex, bias_relu_max, bias_relu_pool, bias_relu_pool_backward, write_pool_indices,
};
use crate::ops::gemm::padded;
use crate::ops::geometry::Geometry;
use crate::ops::vector::{load, store};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Tiles of the output: rows and columns.
fn tiles(g: &Geometry) -> [usize; 2] {
    if g.pool { g.output() } else { g.output().map(|n| n.div_ceil(2)) }
}

/// Tiles that go through the products together: some rows of tiles of each image of a group.
#[derive(Clone)]
pub(super) struct Strip {
    pub images: usize,
    pub rows: Range<usize>,
}

impl Strip {
    /// Cuts a group of images into strips of at most `most` tiles, but at least one row of them.
    pub fn each(g: &Geometry, images: usize, most: usize) -> impl Iterator<Item = Self> {
        let [rows, columns] = tiles(g);
        let height = (most / (images * columns).max(1)).clamp(1, rows.max(1));
        let starts = (0..rows).step_by(height);
        starts.map(move |start| Self { images, rows: start..(start + height).min(rows) })
    }

    /// Tiles of the strip.
    pub fn tile_count(&self, g: &Geometry) -> usize {
        self.images * self.rows.len() * tiles(g)[1]
    }

    /// Calls `work(tile, image, row, column)` for every tile.
    #[inline(always)]
    fn each_tile(&self, g: &Geometry, mut work: impl FnMut(usize, usize, usize, usize)) {
        let mut tile = 0;
        for image in 0..self.images {
            for row in self.rows.clone() {
                for column in 0..tiles(g)[1] {
                    work(tile, image, row, column);
                    tile += 1;
                }
            }
        }
    }
}

/// Tiles of an image.
pub(super) fn tile_count(g: &Geometry) -> usize {
    tiles(g).iter().product()
}

/// The numbers of a tile in an output that is pooled.
#[inline(always)]
fn pooled_range(g: &Geometry, image: usize, (row, column): (usize, usize)) -> Range<usize> {
    let [rows, columns] = tiles(g);
    let at = ((image * rows + row) * columns + column) * g.filters;
    at..at + g.filters
}

/// The index at which the pixel (i, j) of a tile begins in its image; `None` outside of it.
#[inline(always)]
fn pixel(g: &Geometry, (row, column): (usize, usize), i: usize, j: usize) -> Option<usize> {
    let [height, width, channels] = g.input;
    let y = (2 * row + i).checked_sub(g.padding).filter(|y| *y < height)?;
    let x = (2 * column + j).checked_sub(g.padding).filter(|x| *x < width)?;
    Some((y * width + x) * channels)
}

/// x: [images, h, w, channels] → v = Bᵀ d B: [16, tiles, padded channels]
pub(super) struct Read<'a> {
    pub g: &'a Geometry,
    pub strip: Strip,
    pub x: &'a [f32],
    pub v: &'a mut [f32],
}

impl WithSimd for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { g, strip, x, v } = self;
        let (channels, width) = (g.input[2], padded(g.input[2]));
        let step = v.len() / ENTRIES;
        strip.each_tile(g, |tile, image, row, column| {
            let x = &x[image * g.input_len()..][..g.input_len()];
            let mut pixels: [[&[f32]; 4]; 4] = [[&[]; 4]; 4];
            for i in 0..4 {
                for j in 0..4 {
                    if let Some(at) = pixel(g, (row, column), i, j) {
                        pixels[i][j] = &x[at..at + channels];
                    }
                }
            }
            let v = &mut v[tile * width..];
            for from in (0..width).step_by(S::F32_LANES) {
                let mut d = [[simd.splat_f32s(0.0); 4]; 4];
                for i in 0..4 {
                    for j in 0..4 {
                        d[i][j] = load(simd, pixels[i][j], from);
                    }
                }
                let d = InputTransform.both(simd, d);
                for i in 0..4 {
                    for j in 0..4 {
                        store(simd, v, (4 * i + j) * step + from, d[i][j]);
                    }
                }
            }
        });
    }
}

/// v: [16, tiles, padded channels] → added to x_gradient: B v Bᵀ
pub(super) struct Write<'a> {
    pub g: &'a Geometry,
    pub strip: Strip,
    pub v: &'a [f32],
    pub x_gradient: &'a mut [f32],
}

impl WithSimd for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { g, strip, v, x_gradient } = self;
        let (channels, width) = (g.input[2], padded(g.input[2]));
        let step = v.len() / ENTRIES;
        strip.each_tile(g, |tile, image, row, column| {
            let x = &mut x_gradient[image * g.input_len()..][..g.input_len()];
            let v = &v[tile * width..];
            for from in (0..width).step_by(S::F32_LANES) {
                let d = InputTransformBack.both(simd, read(simd, v, step, from));
                for i in 0..4 {
                    for j in 0..4 {
                        if let Some(at) = pixel(g, (row, column), i, j) {
                            let x = &mut x[at..at + channels];
                            let sum = simd.add_f32s(load(simd, x, from), d[i][j]);
                            store(simd, x, from, sum);
                        }
                    }
                }
            }
        });
    }
}

/// products: [16, tiles, padded filters] → Y = Aᵀ M A, then bias, ReLU and pool: the output
pub(super) struct Epilogue<'a> {
    pub g: &'a Geometry,
    pub strip: Strip,
    pub products: &'a [f32],
    pub bias: &'a [f32],
    /// Scratch memory for Y of one tile: [4, padded filters].
    pub window: &'a mut [f32],
    pub output: &'a mut [f32],
    pub indices: Option<&'a mut [PoolIndex]>,
}

impl WithSimd for Epilogue<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { g, strip, products, bias, window, output, mut indices } = self;
        let (n, step) = (g.filters_padded(), products.len() / ENTRIES);
        strip.each_tile(g, |tile, image, row, column| {
            let products = &products[tile * n..];
            if !g.pool {
                OutputTransform.columns(simd, n, (products, step), (window, n));
                for (k, own) in window.chunks_exact(n).enumerate() {
                    if let Some(at) = entry(g, image, (row, column), k) {
                        let indices =
                            indices.as_deref_mut().map(|indices| &mut indices[at.clone()]);
                        bias_relu_pool(simd, [own], bias, &mut output[at], indices);
                    }
                }
                return;
            }
            // The tile is the window: its maximum is taken while it is in registers.
            let at = pooled_range(g, image, (row, column));
            let output = &mut output[at.clone()];
            for from in (0..n).step_by(S::F32_LANES) {
                let y = OutputTransform.both(simd, read(simd, products, step, from));
                let y = [y[0][0], y[0][1], y[1][0], y[1][1]];
                if indices.is_some() {
                    for k in 0..4 {
                        store(simd, window, k * n + from, y[k]);
                    }
                }
                store(simd, output, from, bias_relu_max(simd, y, load(simd, bias, from)));
            }
            if let Some(indices) = indices.as_deref_mut() {
                let value = |k: usize| &window[k * n..][..n];
                let window = [value(0), value(1), value(2), value(3)];
                write_pool_indices(window, output, &mut indices[at]);
            }
        });
    }
}

/// The range of entry k of a 2×2 tile in an output that is not pooled; `None` outside of it.
#[inline(always)]
fn entry(
    g: &Geometry,
    image: usize,
    (row, column): (usize, usize),
    k: usize,
) -> Option<Range<usize>> {
    let [height, width] = g.output();
    let (y, x) = (2 * row + k / 2, 2 * column + k % 2);
    let at = ((image * height + y) * width + x) * g.filters;
    (y < height && x < width).then_some(at..at + g.filters)
}

/// upstream → products = A ∂Y Aᵀ: [16, tiles, padded filters]
pub(super) struct EpilogueBackward<'a> {
    pub g: &'a Geometry,
    pub strip: Strip,
    pub upstream: &'a [f32],
    pub indices: &'a [PoolIndex],
    /// Scratch memory for ∂Y of one tile: [4, padded filters].
    pub window: &'a mut [f32],
    pub products: &'a mut [f32],
    pub bias_gradient: &'a mut [f32],
}

impl WithSimd for EpilogueBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { g, strip, upstream, indices, window, products, bias_gradient } = self;
        let (n, step) = (g.filters_padded(), products.len() / ENTRIES);
        window.fill(0.0);
        strip.each_tile(g, |tile, image, row, column| {
            if g.pool {
                let at = pooled_range(g, image, (row, column));
                let (top, bottom) = window.split_at_mut(2 * n);
                let ((t0, t1), (b0, b1)) = (top.split_at_mut(n), bottom.split_at_mut(n));
                let (upstream, indices) = (&upstream[at.clone()], &indices[at]);
                bias_relu_pool_backward(upstream, indices, [t0, t1, b0, b1], bias_gradient);
            } else {
                for (k, own) in window.chunks_exact_mut(n).enumerate() {
                    match entry(g, image, (row, column), k) {
                        Some(at) => {
                            let (upstream, indices) = (&upstream[at.clone()], &indices[at]);
                            bias_relu_pool_backward(upstream, indices, [own], bias_gradient);
                        }
                        None => own.fill(0.0),
                    }
                }
            }
            OutputTransformBack.columns(simd, n, (window, n), (&mut products[tile * n..], step));
        });
    }
}
