//! Texts and matrices as the products read them.

use crate::ops::gemm::{LANES, padded};
use crate::ops::{PooledBuffer, take_zeroed};

/// Zeros, with x from index `at` on.
pub(super) fn pad(x: &[f32], text: &mut [f32], at: usize) {
    text.fill(0.0);
    text[at..][..x.len()].copy_from_slice(x);
}

/// matrix: [rows, columns] → [rows, padded columns]
pub(super) fn pad_columns(matrix: &[f32], columns: usize) -> PooledBuffer {
    let mut wide = take_zeroed(matrix.len() / columns * padded(columns));
    let rows = wide.chunks_exact_mut(padded(columns)).zip(matrix.chunks_exact(columns));
    rows.for_each(|(wide, row)| wide[..columns].copy_from_slice(row));
    wide
}

/// matrix: [rows, padded columns] → [rows, columns]
pub(super) fn drop_padding(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.chunks_exact(padded(columns));
    let mut dense = Vec::with_capacity(rows.len() * columns);
    rows.for_each(|row| dense.extend_from_slice(&row[..columns]));
    dense
}

/// matrix: [rows, columns] → transposed: [columns, rows or more], unchanged beyond the rows
pub(super) fn transpose(matrix: &[f32], columns: usize, transposed: &mut [f32]) {
    let n = transposed.len() / columns;
    // A few rows at a time: they stay in cache while each column takes its numbers from them.
    for (i, rows) in matrix.chunks(LANES * columns).enumerate() {
        for (column, transposed) in transposed.chunks_exact_mut(n).enumerate() {
            let numbers = rows.iter().skip(column).step_by(columns);
            transposed[i * LANES..].iter_mut().zip(numbers).for_each(|(to, from)| *to = *from);
        }
    }
}

/// matrix: [rows, columns] → [columns, padded rows]
pub(super) fn transposed_and_padded(matrix: &[f32], columns: usize) -> PooledBuffer {
    let mut wide = take_zeroed(columns * padded(matrix.len() / columns));
    transpose(matrix, columns, &mut wide);
    wide
}

/// matrix: [rows, columns] → [columns, rows]
pub(super) fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    let mut transposed = vec![0.0; matrix.len()];
    transpose(matrix, columns, &mut transposed);
    transposed
}
