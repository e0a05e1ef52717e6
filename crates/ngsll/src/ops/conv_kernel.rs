//! One image through convolution, bias, ReLU and max-pool, forward and backward, on plain slices.
//!
//! The image is unrolled into a buffer that stays in cache (im2col), so that the convolution is one
//! matrix product; what follows reads the product while it is still there.

use gemm::{Parallelism, gemm};

/// Sizes of a convolution block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Channels, height and width of the input.
    pub input: [usize; 3],
    /// Filters.
    pub filters: usize,
    /// Height and width of the kernel.
    pub kernel: [usize; 2],
    /// Zeros around the image.
    pub padding: usize,
    /// 2 pools 2×2 with stride 2 and drops an odd last row or column; 1 does not pool.
    pub pool: usize,
}

/// Where in its window a pooled value came from: 0–3, or nowhere because ReLU cut it off.
pub(super) type Code = u8;
const DEAD: Code = 4;

impl Geometry {
    /// Height and width after the convolution.
    pub fn convolved(&self) -> [usize; 2] {
        let [_, height, width] = self.input;
        let [kh, kw] = self.kernel;
        [height + 2 * self.padding + 1 - kh, width + 2 * self.padding + 1 - kw]
    }

    /// Height and width after pooling.
    pub fn pooled(&self) -> [usize; 2] {
        self.convolved().map(|n| n / self.pool)
    }

    /// Numbers in an input image.
    pub fn input_len(&self) -> usize {
        self.input.iter().product()
    }

    /// Numbers in an output image.
    pub fn output_len(&self) -> usize {
        self.filters * self.pooled().iter().product::<usize>()
    }

    /// Rows of the unrolled image: channels × kernel.
    fn patch(&self) -> usize {
        self.input[0] * self.kernel[0] * self.kernel[1]
    }

    /// Columns of the unrolled image: positions.
    fn positions(&self) -> usize {
        self.convolved().iter().product()
    }
}

/// Buffers that one thread uses again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    unrolled: Vec<f32>,
    convolved: Vec<f32>,
    gradient: Vec<f32>,
}

fn resized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}

/// x: [channels, h, w], weight: [filters, patch] → output: [filters, h', w'], codes likewise.
pub(super) fn forward(
    g: &Geometry,
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    scratch: &mut Scratch,
    output: &mut [f32],
    codes: Option<&mut [Code]>,
) {
    let (patch, positions) = (g.patch(), g.positions());
    let unrolled = resized(&mut scratch.unrolled, patch * positions);
    unroll(g, x, unrolled);
    let convolved = resized(&mut scratch.convolved, g.filters * positions);
    let product = Product { m: g.filters, n: positions, k: patch, add: false };
    product.run(convolved, (weight, [patch, 1]), (unrolled, [positions, 1]));
    match codes {
        Some(codes) => {
            let planes = output.chunks_exact_mut(output.len() / g.filters);
            let codes = codes.chunks_exact_mut(codes.len() / g.filters);
            for (f, (plane, codes)) in planes.zip(codes).enumerate() {
                pool_with_codes(g, &convolved[f * positions..][..positions], bias[f], plane, codes);
            }
        }
        None => {
            for (f, plane) in output.chunks_exact_mut(output.len() / g.filters).enumerate() {
                pool(g, &convolved[f * positions..][..positions], bias[f], plane);
            }
        }
    }
}

/// Adds this image's share to the gradients of weight and bias and, if wanted, writes x's.
pub(super) fn backward(
    g: &Geometry,
    x: &[f32],
    weight: &[f32],
    (upstream, codes): (&[f32], &[Code]),
    scratch: &mut Scratch,
    (weight_gradient, bias_gradient): (&mut [f32], &mut [f32]),
    x_gradient: Option<&mut [f32]>,
) {
    let (patch, positions) = (g.patch(), g.positions());
    let gradient = resized(&mut scratch.gradient, g.filters * positions);
    let plane = upstream.len() / g.filters;
    for f in 0..g.filters {
        let span = f * plane..(f + 1) * plane;
        let own = &mut gradient[f * positions..][..positions];
        bias_gradient[f] += unpool(g, &upstream[span.clone()], &codes[span], own);
    }
    let unrolled = resized(&mut scratch.unrolled, patch * positions);
    unroll(g, x, unrolled);
    // ∂W += ∂Z · Uᵀ
    let product = Product { m: g.filters, n: patch, k: positions, add: true };
    product.run(weight_gradient, (gradient, [positions, 1]), (unrolled, [1, positions]));
    if let Some(x_gradient) = x_gradient {
        // ∂U = Wᵀ · ∂Z, then each position's patch is added back to where it came from.
        let product = Product { m: patch, n: positions, k: g.filters, add: false };
        product.run(unrolled, (weight, [1, patch]), (gradient, [positions, 1]));
        roll(g, unrolled, x_gradient);
    }
}

/// A matrix product C = A·B or C += A·B with C in row-major order.
struct Product {
    m: usize,
    n: usize,
    k: usize,
    add: bool,
}

impl Product {
    /// `a` and `b` with their row and column strides.
    #[expect(unsafe_code, reason = "the product's kernel takes pointers; lengths are checked here")]
    fn run(&self, c: &mut [f32], a: (&[f32], [usize; 2]), b: (&[f32], [usize; 2])) {
        let Self { m, n, k, add } = *self;
        let last = |rows: usize, columns: usize, [rs, cs]: [usize; 2]| {
            (rows - 1) * rs + (columns - 1) * cs
        };
        assert!(m > 0 && n > 0 && k > 0, "sizes of a product");
        assert!(c.len() >= m * n, "the product fits");
        assert!(
            a.0.len() > last(m, k, a.1) && b.0.len() > last(k, n, b.1),
            "the factors are whole"
        );
        let [a_rs, a_cs] = a.1.map(|s| s as isize);
        let [b_rs, b_cs] = b.1.map(|s| s as isize);
        // SAFETY: all elements that the strides reach lie within the slices, as checked above.
        unsafe {
            gemm(
                m,
                n,
                k,
                c.as_mut_ptr(),
                1,
                n as isize,
                add,
                a.0.as_ptr(),
                a_cs,
                a_rs,
                b.0.as_ptr(),
                b_cs,
                b_rs,
                1.0,
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}

/// For each row of the unrolled image, where its values stand in the image: calls
/// `row(unrolled range, image range)` for every run inside the image and
/// `outside(unrolled range)` for every run of padding.
fn runs(
    g: &Geometry,
    mut inside: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>),
    mut outside: impl FnMut(std::ops::Range<usize>),
) {
    let [channels, height, width] = g.input;
    let [out_h, out_w] = g.convolved();
    let [kh, kw] = g.kernel;
    let mut at = 0;
    for c in 0..channels {
        for ky in 0..kh {
            for kx in 0..kw {
                // Columns of the output whose pixel x + kx − padding lies within the image.
                let from = g.padding.saturating_sub(kx).min(out_w);
                let to = (width + g.padding).saturating_sub(kx).min(out_w).max(from);
                for oy in 0..out_h {
                    let row = at..at + out_w;
                    at += out_w;
                    let y = oy + ky;
                    if y < g.padding || y >= height + g.padding || from == to {
                        outside(row);
                        continue;
                    }
                    let start = (c * height + y - g.padding) * width + from + kx - g.padding;
                    outside(row.start..row.start + from);
                    inside(row.start + from..row.start + to, start..start + to - from);
                    outside(row.start + to..row.end);
                }
            }
        }
    }
}

/// im2col: [channels, h, w] → [patch, positions].
fn unroll(g: &Geometry, x: &[f32], unrolled: &mut [f32]) {
    let cell = std::cell::RefCell::new(unrolled);
    runs(
        g,
        |to, from| cell.borrow_mut()[to].copy_from_slice(&x[from]),
        |padding| cell.borrow_mut()[padding].fill(0.0),
    );
}

/// col2im: adds [patch, positions] back to [channels, h, w].
fn roll(g: &Geometry, unrolled: &[f32], x: &mut [f32]) {
    x.fill(0.0);
    runs(
        g,
        |from, to| {
            for (x, u) in x[to].iter_mut().zip(&unrolled[from]) {
                *x += u;
            }
        },
        |_| {},
    );
}

/// max(0, max of the window + b).
fn pool(g: &Geometry, convolved: &[f32], bias: f32, pooled: &mut [f32]) {
    let [_, width] = g.convolved();
    if g.pool == 1 {
        for (p, z) in pooled.iter_mut().zip(convolved) {
            *p = (z + bias).max(0.0);
        }
        return;
    }
    let [_, out_w] = g.pooled();
    for (oy, row) in pooled.chunks_exact_mut(out_w).enumerate() {
        let (top, bottom) = convolved[2 * oy * width..][..2 * width].split_at(width);
        let windows = top.chunks_exact(2).zip(bottom.chunks_exact(2));
        for (p, (t, b)) in row.iter_mut().zip(windows) {
            *p = (t[0].max(t[1]).max(b[0].max(b[1])) + bias).max(0.0);
        }
    }
}

/// [`pool`], and where each value came from; of equal values the first.
fn pool_with_codes(
    g: &Geometry,
    convolved: &[f32],
    bias: f32,
    pooled: &mut [f32],
    codes: &mut [Code],
) {
    pool(g, convolved, bias, pooled);
    let [_, width] = g.convolved();
    if g.pool == 1 {
        for (code, p) in codes.iter_mut().zip(pooled.iter()) {
            *code = if *p > 0.0 { 0 } else { DEAD };
        }
        return;
    }
    let [_, out_w] = g.pooled();
    let rows = pooled.chunks_exact(out_w).zip(codes.chunks_exact_mut(out_w));
    for (oy, (row, codes)) in rows.enumerate() {
        let (top, bottom) = convolved[2 * oy * width..][..2 * width].split_at(width);
        let windows = top.chunks_exact(2).zip(bottom.chunks_exact(2));
        for ((code, p), (t, b)) in codes.iter_mut().zip(row).zip(windows) {
            let upper = if t[1] > t[0] { 1 } else { 0 };
            let lower = if b[1] > b[0] { 3 } else { 2 };
            let place = if b[0].max(b[1]) > t[0].max(t[1]) { lower } else { upper };
            *code = if *p > 0.0 { place } else { DEAD };
        }
    }
}

/// Sends each pooled gradient to where the value came from; gives their sum, the bias' gradient.
fn unpool(g: &Geometry, upstream: &[f32], codes: &[Code], gradient: &mut [f32]) -> f32 {
    let [_, width] = g.convolved();
    let mut sum = 0.0;
    if g.pool == 1 {
        for ((z, u), code) in gradient.iter_mut().zip(upstream).zip(codes) {
            *z = if *code == DEAD { 0.0 } else { *u };
            sum += *z;
        }
        return sum;
    }
    let [out_h, out_w] = g.pooled();
    // An odd last row or column took no part.
    gradient[2 * out_h * width..].fill(0.0);
    let rows = upstream.chunks_exact(out_w).zip(codes.chunks_exact(out_w));
    for (oy, (upstream, codes)) in rows.enumerate() {
        let (top, bottom) = gradient[2 * oy * width..][..2 * width].split_at_mut(width);
        top[2 * out_w..].fill(0.0);
        bottom[2 * out_w..].fill(0.0);
        let windows = top.chunks_exact_mut(2).zip(bottom.chunks_exact_mut(2));
        for ((u, code), (t, b)) in upstream.iter().zip(codes).zip(windows) {
            t[0] = if *code == 0 { *u } else { 0.0 };
            t[1] = if *code == 1 { *u } else { 0.0 };
            b[0] = if *code == 2 { *u } else { 0.0 };
            b[1] = if *code == 3 { *u } else { 0.0 };
            sum += if *code == DEAD { 0.0 } else { *u };
        }
    }
    sum
}
