//! The linear maps of F(2×2, 3×3) along one side of a tile, and tiles mapped along both.

#![expect(clippy::needless_range_loop, reason = "i and j are the indices of a tile")]

use crate::ops::vector::{load, store};
use pulp::Simd;

/// A linear map along one side of a tile.
pub(super) trait LineMap<const I: usize, const O: usize>: Copy {
    /// The map.
    fn map<S: Simd>(self, simd: S, x: [S::f32s; I]) -> [S::f32s; O];

    /// The map along both sides.
    #[inline(always)]
    fn both<S: Simd>(self, simd: S, x: [[S::f32s; I]; I]) -> [[S::f32s; O]; O] {
        let zero = simd.splat_f32s(0.0);
        let (mut rows, mut tile) = ([[zero; O]; I], [[zero; O]; O]);
        for i in 0..I {
            rows[i] = self.map(simd, x[i]);
        }
        for j in 0..O {
            let mut column = [zero; I];
            for i in 0..I {
                column[i] = rows[i][j];
            }
            let column = self.map(simd, column);
            for i in 0..O {
                tile[i][j] = column[i];
            }
        }
        tile
    }

    /// Both sides, for `width` columns (whole vectors) of tiles whose entries are a step apart:
    /// `from[0] + entry · from[1] + column` → `to[0] + entry · to[1] + column`.
    #[inline(always)]
    fn columns<S: Simd>(
        self,
        simd: S,
        width: usize,
        (from, from_step): (&[f32], usize),
        (to, to_step): (&mut [f32], usize),
    ) {
        for column in (0..width).step_by(S::F32_LANES) {
            let tile = self.both(simd, read(simd, from, from_step, column));
            for i in 0..O {
                for j in 0..O {
                    store(simd, to, (i * O + j) * to_step + column, tile[i][j]);
                }
            }
        }
    }
}

/// Bᵀ
#[derive(Clone, Copy)]
pub(super) struct InputTransform;
impl LineMap<4, 4> for InputTransform {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 4] {
        [s.sub_f32s(a, c), s.add_f32s(b, c), s.sub_f32s(c, b), s.sub_f32s(b, d)]
    }
}

/// B
#[derive(Clone, Copy)]
pub(super) struct InputTransformBack;
impl LineMap<4, 4> for InputTransformBack {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 4] {
        let second = s.add_f32s(s.sub_f32s(b, c), d);
        let third = s.sub_f32s(s.add_f32s(b, c), a);
        [a, second, third, s.neg_f32s(d)]
    }
}

/// Aᵀ
#[derive(Clone, Copy)]
pub(super) struct OutputTransform;
impl LineMap<4, 2> for OutputTransform {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 2] {
        [s.add_f32s(s.add_f32s(a, b), c), s.sub_f32s(s.sub_f32s(b, c), d)]
    }
}

/// A
#[derive(Clone, Copy)]
pub(super) struct OutputTransformBack;
impl LineMap<2, 4> for OutputTransformBack {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b]: [S::f32s; 2]) -> [S::f32s; 4] {
        [a, s.add_f32s(a, b), s.sub_f32s(a, b), s.neg_f32s(b)]
    }
}

/// G
#[derive(Clone, Copy)]
pub(super) struct Filter;
impl LineMap<3, 4> for Filter {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 4] {
        let half = s.splat_f32s(0.5);
        let (outer, inner) = (s.mul_f32s(half, s.add_f32s(a, c)), s.mul_f32s(half, b));
        [a, s.add_f32s(outer, inner), s.sub_f32s(outer, inner), c]
    }
}

/// Gᵀ
#[derive(Clone, Copy)]
pub(super) struct FilterBack;
impl LineMap<4, 3> for FilterBack {
    #[inline(always)]
    fn map<S: Simd>(self, s: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 3] {
        let half = s.splat_f32s(0.5);
        let outer = s.mul_f32s(half, s.add_f32s(b, c));
        [s.add_f32s(a, outer), s.mul_f32s(half, s.sub_f32s(b, c)), s.add_f32s(d, outer)]
    }
}

/// One column of a tile whose entries are `step` apart.
#[inline(always)]
pub(super) fn read<S: Simd, const I: usize>(
    simd: S,
    from: &[f32],
    step: usize,
    column: usize,
) -> [[S::f32s; I]; I] {
    let mut tile = [[simd.splat_f32s(0.0); I]; I];
    for i in 0..I {
        for j in 0..I {
            tile[i][j] = load(simd, from, (i * I + j) * step + column);
        }
    }
    tile
}
