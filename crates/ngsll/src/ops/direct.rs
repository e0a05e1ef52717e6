//! Convolution of any kernel, as a product of the filters with windows read in place from the padded
//! image. For kernels other than 3×3 and for images of few channels.

use super::buffer_pool::Scratch;
use super::epilogue::{PoolIndex, bias_relu_pool, bias_relu_pool_backward};
use super::gemm::{AStrides, Gemm, padded};
use super::geometry::Geometry;
use super::kernel::{Backward, Forward};
use super::{PooledBuffer, dispatch, take_zeroed};
use pulp::{Simd, WithSimd};

/// Filters as the forward product reads them: [kh · kw · channels, padded filters].
pub(super) fn forward_filters(g: &Geometry, weight: &[f32]) -> PooledBuffer {
    let mut filters = take_zeroed(filters_len(g));
    each_tap(g, |tap, f, at| filters[tap * g.filters_padded() + f] = weight[at]);
    filters
}

/// Filters as the backward product reads them: [kh, filters, padded (kw · channels)].
pub(super) fn backward_filters(g: &Geometry, weight: &[f32]) -> PooledBuffer {
    let run = g.kernel[1] * g.input[2];
    let mut filters = take_zeroed(g.kernel[0] * g.filters * padded(run));
    each_tap(g, |tap, f, at| {
        filters[(tap / run * g.filters + f) * padded(run) + tap % run] = weight[at];
    });
    filters
}

/// From gradients in the layout of [`forward_filters`] to those of the weight.
pub(super) fn weight_gradient(g: &Geometry, gradient: &[f32]) -> Vec<f32> {
    let mut weight = vec![0.0; g.weight_len()];
    each_tap(g, |tap, f, at| weight[at] = gradient[tap * g.filters_padded() + f]);
    weight
}

/// The length of [`forward_filters`].
pub(super) fn filters_len(g: &Geometry) -> usize {
    g.kernel[0] * g.kernel[1] * g.input[2] * g.filters_padded()
}

/// Calls `work(tap, filter, index in the weight)` for each tap (ky, kx, channel) of each filter.
fn each_tap(g: &Geometry, mut work: impl FnMut(usize, usize, usize)) {
    let ([_, _, channels], [kh, kw]) = (g.input, g.kernel);
    for f in 0..g.filters {
        for c in 0..channels {
            for ky in 0..kh {
                for kx in 0..kw {
                    work((ky * kw + kx) * channels + c, f, g.weight_at(f, c, ky, kx));
                }
            }
        }
    }
}

/// Numbers in a line of the padded image.
fn line(g: &Geometry) -> usize {
    (g.input[1] + 2 * g.padding) * g.input[2]
}

/// Numbers in the padded image.
fn image_len(g: &Geometry) -> usize {
    (g.input[0] + 2 * g.padding) * line(g)
}

/// x: [h, w, channels] → the image with zeros around it
fn pad(g: &Geometry, x: &[f32], image: &mut [f32]) {
    image.fill(0.0);
    let width = g.input[1] * g.input[2];
    let rows = image.chunks_exact_mut(line(g)).skip(g.padding);
    for (x, row) in x.chunks_exact(width).zip(rows) {
        row[g.padding * g.input[2]..][..width].copy_from_slice(x);
    }
}

/// See [`Forward`]; a group is one image.
pub(super) fn forward(g: &Geometry, group: Forward<'_>, scratch: &mut Scratch) {
    let Forward { filters, bias, x, output, mut indices } = group;
    let ([_, width], [_, columns], n) = (g.convolved(), g.output(), g.filters_padded());
    let [kh, kw] = g.kernel;
    let channels = g.input[2];
    let a_strides =
        AStrides { row: channels, segments: kh, segment: line(g), run: kw * channels, step: 1 };
    let rows = if g.pool { 2 } else { 1 };
    let [image, lines] = scratch.split([image_len(g), rows * width * n]);
    pad(g, x, image);
    for (y, output) in output.chunks_exact_mut(columns * g.filters).enumerate() {
        for (r, c) in lines.chunks_exact_mut(width * n).enumerate() {
            let a = &image[(rows * y + r) * line(g)..];
            Gemm { c, a, b: filters, m: width, n, a_strides, accumulate: false }.run();
        }
        let indices = indices.as_deref_mut().map(|indices| &mut indices[y * output.len()..]);
        dispatch(DirectEpilogue { g, lines, bias, output, indices });
    }
}

/// lines: [1 or 2, convolved width, padded filters] → output, indices: [w', filters]
struct DirectEpilogue<'a> {
    g: &'a Geometry,
    lines: &'a [f32],
    bias: &'a [f32],
    output: &'a mut [f32],
    indices: Option<&'a mut [PoolIndex]>,
}

impl WithSimd for DirectEpilogue<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { g, lines, bias, output, mut indices } = self;
        let ([_, width], n) = (g.convolved(), g.filters_padded());
        for (x, output) in output.chunks_exact_mut(g.filters).enumerate() {
            let indices = indices.as_deref_mut().map(|indices| &mut indices[x * g.filters..]);
            let at = |row: usize, column: usize| &lines[(row * width + column) * n..][..n];
            if g.pool {
                let x = 2 * x;
                let window = [at(0, x), at(0, x + 1), at(1, x), at(1, x + 1)];
                bias_relu_pool(simd, window, bias, output, indices);
            } else {
                bias_relu_pool(simd, [at(0, x)], bias, output, indices);
            }
        }
    }
}

/// See [`Backward`]; a group is one image.
pub(super) fn backward(g: &Geometry, group: Backward<'_>, scratch: &mut Scratch) {
    let Backward { filters, x, upstream, indices, filters_gradient, bias_gradient, x_gradient } =
        group;
    let ([height, width], n) = (g.convolved(), g.filters_padded());
    let [_, kw] = g.kernel;
    let channels = g.input[2];
    let run = kw * channels;
    let lengths = [image_len(g), height * width * n, width * padded(run)];
    let [image, convolved, products] = scratch.split(lengths);
    if !filters_gradient.is_empty() {
        pad(g, x, image);
    }
    dispatch(EpilogueBackward { g, upstream, indices, convolved, bias_gradient });
    // Transposed windows: row (kx, channel), inner index (y, x).
    let a_strides =
        AStrides { row: 1, segments: height, segment: line(g), run: width, step: channels };
    for (ky, c) in filters_gradient.chunks_exact_mut(run * n).enumerate() {
        let a = &image[ky * line(g)..];
        Gemm { c, a, b: convolved, m: run, n, a_strides, accumulate: true }.run();
    }
    let Some(x_gradient) = x_gradient else { return };
    image.fill(0.0);
    for (y, a) in convolved.chunks_exact(width * n).enumerate() {
        for (ky, b) in filters.chunks_exact(g.filters * padded(run)).enumerate() {
            let a_strides = AStrides::rows(n, g.filters);
            let c = &mut *products;
            Gemm { c, a, b, m: width, n: padded(run), a_strides, accumulate: false }.run();
            let row = &mut image[(y + ky) * line(g)..][..line(g)];
            for (x, product) in products.chunks_exact(padded(run)).enumerate() {
                let window = &mut row[x * channels..][..run];
                window.iter_mut().zip(product).for_each(|(sum, p)| *sum += p);
            }
        }
    }
    let row = g.input[1] * channels;
    let lines = image.chunks_exact(line(g)).skip(g.padding);
    for (x, line) in x_gradient.chunks_exact_mut(row).zip(lines) {
        x.copy_from_slice(&line[g.padding * channels..][..row]);
    }
}

/// upstream: [h', w', filters] → convolved: [h, w, padded filters], zero where no gradient goes
struct EpilogueBackward<'a> {
    g: &'a Geometry,
    upstream: &'a [f32],
    indices: &'a [PoolIndex],
    convolved: &'a mut [f32],
    bias_gradient: &'a mut [f32],
}

impl WithSimd for EpilogueBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { g, upstream, indices, convolved, bias_gradient } = self;
        let ([_, width], [_, columns], n) = (g.convolved(), g.output(), g.filters_padded());
        // Also an odd last row or column, which the pool dropped, and the padding of the filters.
        convolved.fill(0.0);
        let positions = upstream.chunks_exact(g.filters).zip(indices.chunks_exact(g.filters));
        for (position, (upstream, indices)) in positions.enumerate() {
            let (y, x) = (position / columns, position % columns);
            if g.pool {
                let (top, bottom) = convolved[2 * y * width * n..].split_at_mut(width * n);
                let (t0, t1) = top[2 * x * n..][..2 * n].split_at_mut(n);
                let (b0, b1) = bottom[2 * x * n..][..2 * n].split_at_mut(n);
                bias_relu_pool_backward(upstream, indices, [t0, t1, b0, b1], bias_gradient);
            } else {
                let own = &mut convolved[position * n..][..n];
                bias_relu_pool_backward(upstream, indices, [own], bias_gradient);
            }
        }
    }
}
