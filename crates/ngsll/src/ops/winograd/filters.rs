//! Filters transformed for Winograd's algorithm, and their gradients back.

use super::ENTRIES;
use super::lines::{Filter, FilterBack, LineMap};
use crate::ops::gemm::padded;
use crate::ops::geometry::Geometry;
use crate::ops::{PooledBuffer, dispatch, take_buffer};
use pulp::{Simd, WithSimd};

/// The length of U.
pub(in crate::ops) fn filters_len(g: &Geometry) -> usize {
    ENTRIES * g.input[2] * g.filters_padded()
}

/// U: [16, channels, padded filters]
pub(in crate::ops) fn forward_filters(g: &Geometry, weight: &[f32]) -> PooledBuffer {
    transformed([g.input[2], g.filters], |c, f| &weight[g.weight_at(f, c, 0, 0)..][..9])
}

/// Uᵀ: [16, filters, padded channels]
pub(in crate::ops) fn backward_filters(g: &Geometry, weight: &[f32]) -> PooledBuffer {
    transformed([g.filters, g.input[2]], |f, c| &weight[g.weight_at(f, c, 0, 0)..][..9])
}

/// G w Gᵀ of all filters. taps(row, column): the nine of a filter → [16, rows, padded columns]
fn transformed<'a>(
    [rows, columns]: [usize; 2],
    taps: impl Fn(usize, usize) -> &'a [f32],
) -> PooledBuffer {
    let width = padded(columns);
    let mut filters = take_buffer(ENTRIES * rows * width);
    let mut line = vec![0.0; 9 * width];
    for row in 0..rows {
        for column in 0..columns {
            for (k, tap) in taps(row, column).iter().enumerate() {
                line[k * width + column] = *tap;
            }
        }
        let to = (&mut filters[row * width..], rows * width);
        dispatch(MappedColumns::<_, 3, 4> { line: Filter, width, from: (&line, width), to });
    }
    filters
}

/// From ∂U, [16, channels, padded filters], to the weight's gradient, Gᵀ ∂U G.
pub(in crate::ops) fn weight_gradient(g: &Geometry, gradient: &[f32]) -> Vec<f32> {
    let (channels, width) = (g.input[2], g.filters_padded());
    let mut weight = vec![0.0; g.weight_len()];
    let mut line = vec![0.0; 9 * width];
    for c in 0..channels {
        let (from, to) = ((&gradient[c * width..], channels * width), (&mut line[..], width));
        dispatch(MappedColumns::<_, 4, 3> { line: FilterBack, width, from, to });
        for f in 0..g.filters {
            let taps = &mut weight[g.weight_at(f, c, 0, 0)..][..9];
            for (k, tap) in taps.iter_mut().enumerate() {
                *tap = line[k * width + f];
            }
        }
    }
    weight
}

/// [`LineMap::columns`] with the machine's best instructions.
struct MappedColumns<'a, L, const I: usize, const O: usize> {
    line: L,
    width: usize,
    from: (&'a [f32], usize),
    to: (&'a mut [f32], usize),
}

impl<L: LineMap<I, O>, const I: usize, const O: usize> WithSimd for MappedColumns<'_, L, I, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.line.columns(simd, self.width, self.from, self.to);
    }
}
