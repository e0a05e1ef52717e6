//! The matrix product that every convolution here is made of: small, unpacked, straight from cache.
//!
//! A library's general product packs its factors first. Here they are a few kilobytes that were just
//! written and are laid out as the kernel reads them, so blocks of C are kept in registers and
//! nothing is copied. Instructions are chosen at run time, from AVX-512 down to scalar ones.

use super::dispatch;
use pulp::{Simd, WithSimd};

/// Columns of B and C come in multiples of this, a multiple of every vector's length.
pub(super) const LANES: usize = 16;

/// `n` rounded up to whole vectors.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// The memory layout of A: row i and inner index (s, t) at i·`row` + s·`segment` + t·`step`.
///
/// Two levels for the inner index let a window of an image be read in place: `segments` are
/// the rows of the window, a `run` the numbers that it has in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct AStrides {
    pub row: usize,
    pub segments: usize,
    pub segment: usize,
    pub run: usize,
    pub step: usize,
}

impl AStrides {
    /// A as a plain matrix with `inner` numbers in a row, rows `row` apart.
    pub fn rows(row: usize, inner: usize) -> Self {
        Self { row, segments: 1, segment: 0, run: inner, step: 1 }
    }

    /// A as the transpose of a matrix with `inner` rows that are `step` apart.
    pub fn columns(step: usize, inner: usize) -> Self {
        Self { row: 1, segments: 1, segment: 0, run: inner, step }
    }
}

/// C = A·B, or C += A·B.
///
/// a: see [`AStrides`], b: [inner, n], c: [m, n], rows of b and c contiguous
pub(super) struct Gemm<'a> {
    pub c: &'a mut [f32],
    pub a: &'a [f32],
    pub b: &'a [f32],
    pub m: usize,
    /// A multiple of [`LANES`].
    pub n: usize,
    pub a_strides: AStrides,
    /// Whether the product is added to C.
    pub accumulate: bool,
}

impl Gemm<'_> {
    /// Computes it on this thread.
    pub fn run(self) {
        debug_assert!(self.n.is_multiple_of(LANES), "columns come in whole vectors");
        dispatch(self);
    }
}

impl WithSimd for Gemm<'_> {
    type Output = ();

    /// Blocks are as large as the registers allow: 32 of 16 numbers, or 16 of 8 and fewer.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let lanes = S::F32_LANES;
        let mut j = 0;
        while j < self.n {
            let vectors = (self.n - j) / lanes;
            j += lanes
                * match (lanes, vectors) {
                    // Few rows: reading B dominates, so it is read once, in whole rows.
                    (16, 8..) if self.m <= 3 => panel::<S, 8, 3>(simd, &mut self, j),
                    (16, 4..) => panel::<S, 4, 6>(simd, &mut self, j),
                    (16, 2..) => panel::<S, 2, 12>(simd, &mut self, j),
                    (16, _) => panel::<S, 1, 12>(simd, &mut self, j),
                    _ => panel::<S, 2, 6>(simd, &mut self, j),
                };
        }
    }
}

/// `V` vectors of columns from `j` on, in blocks of `R` rows and one of the remainder; returns `V`.
#[inline(always)]
fn panel<S: Simd, const V: usize, const R: usize>(simd: S, gemm: &mut Gemm<'_>, j: usize) -> usize {
    let whole = gemm.m / R * R;
    for i in (0..whole).step_by(R) {
        block::<S, V, R>(simd, gemm, i, j);
    }
    macro_rules! remainder {
        ($($rows:literal)*) => {
            match gemm.m - whole {
                0 => {}
                $($rows if $rows < R => block::<S, V, $rows>(simd, gemm, whole, j),)*
                _ => unreachable!("a remainder is smaller than a block"),
            }
        };
    }
    remainder!(1 2 3 4 5 6 7 8 9 10 11);
    V
}

/// `R` rows from `i` and `V` vectors of columns from `j`, summed in registers.
#[inline(always)]
fn block<S: Simd, const V: usize, const R: usize>(
    simd: S,
    gemm: &mut Gemm<'_>,
    i: usize,
    j: usize,
) {
    let Gemm { c, a, b, n, a_strides, accumulate, .. } = gemm;
    let AStrides { row, segments, segment, run, step } = *a_strides;
    let (n, width) = (*n, V * S::F32_LANES);
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    let mut at = j;
    for s in 0..segments {
        let a = &a[i * row + s * segment..][..(R - 1) * row + (run - 1) * step + 1];
        for t in 0..run {
            let columns = at..at + width;
            at += n;
            // Where ReLU left a zero there is nothing to add, and B, which prediction knows to be
            // finite, need not be read.
            if R == 1 && a[t * step] == 0.0 {
                continue;
            }
            let (b, _) = S::as_simd_f32s(&b[columns]);
            let b: [S::f32s; V] = std::array::from_fn(|v| b[v]);
            for (r, sums) in sums.iter_mut().enumerate() {
                let a = simd.splat_f32s(a[r * row + t * step]);
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum = simd.mul_add_e_f32s(a, b, *sum);
                }
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let (c, _) = S::as_mut_simd_f32s(&mut c[(i + r) * n + j..][..width]);
        for (c, sum) in c.iter_mut().zip(sums) {
            *c = if *accumulate { simd.add_f32s(*c, *sum) } else { *sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::instructions::each;
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        /// Against the definition in f64, for all strides of A; sums of up to 60 products of
        /// numbers below 1 agree to 1e-5.
        #[test]
        fn it_is_the_product(
            m in 1_usize..40,
            vectors in 1_usize..8,
            (segments, run) in (1_usize..5, 1_usize..12),
            (row, segment, step) in (1_usize..20, 0_usize..20, 1_usize..4),
            accumulate in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let n = vectors * LANES;
            let a_strides = AStrides { row, segments, segment, run, step };
            let mut rng = stream(seed, Purpose::Sample, 0, 0);
            let mut draw = |len: usize| -> Vec<f32> {
                (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
            };
            let a = draw((m - 1) * row + (segments - 1) * segment + (run - 1) * step + 1);
            let (b, before) = (draw(segments * run * n), draw(m * n));
            let mut expected = Vec::new();
            for i in 0..m {
                for j in 0..n {
                    let mut sum = if accumulate { f64::from(before[i * n + j]) } else { 0.0 };
                    for k in 0..segments * run {
                        let at = i * row + k / run * segment + k % run * step;
                        sum += f64::from(a[at]) * f64::from(b[k * n + j]);
                    }
                    expected.push(sum);
                }
            }
            each(|set| {
                let mut c = before.clone();
                Gemm { c: &mut c, a: &a, b: &b, m, n, a_strides, accumulate }.run();
                let near = |(c, e): (&f32, &f64)| (f64::from(*c) - e).abs() < 1e-5;
                assert!(c.iter().zip(&expected).all(near), "{set:?}");
            });
        }
    }
}
