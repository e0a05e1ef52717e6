//! Vectors from and to rows whose length need not be a multiple of theirs.

use pulp::Simd;

/// A vector from `row` at `from`; zeros beyond its end.
#[inline(always)]
pub(in crate::ops) fn load<S: Simd>(simd: S, row: &[f32], from: usize) -> S::f32s {
    match row.get(from..from + S::F32_LANES) {
        Some(full) => S::as_simd_f32s(full).0[0],
        None => simd.partial_load_f32s(row.get(from..).unwrap_or(&[])),
    }
}

/// Writes a vector; entries beyond the row's end are dropped.
#[inline(always)]
pub(in crate::ops) fn store<S: Simd>(simd: S, row: &mut [f32], from: usize, value: S::f32s) {
    if let Some(full) = row.get_mut(from..from + S::F32_LANES) {
        S::as_mut_simd_f32s(full).0[0] = value;
    } else if let Some(part) = row.get_mut(from..) {
        simd.partial_store_f32s(part, value);
    }
}
