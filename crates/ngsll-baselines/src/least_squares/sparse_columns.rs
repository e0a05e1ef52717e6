//! Sparse columns that act as if they were centred.

use super::zero_if_rounding;
use crate::regression_data::RegressionData;

/// The columns of z in compressed sparse column format, and the centred targets. Subtracting the
/// means would fill every zero, so products account for them separately.
pub(crate) struct SparseColumns {
    /// Column means: `[features]`.
    pub(super) means: Vec<f64>,
    /// Centred: `[outputs, rows]`.
    pub(crate) targets: Vec<Vec<f64>>,
    /// The start of each column in `rows` and `values`, and the end of the last one.
    offsets: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SparseColumns {
    /// The columns of the given rows, and the target means.
    pub(super) fn new(data: &RegressionData, rows: &[usize]) -> (Self, Vec<f64>) {
        let n = rows.len() as f64;
        let mut offsets = vec![0; data.features() + 1];
        for &row in rows {
            data.row(row).0.iter().for_each(|&j| offsets[j as usize + 1] += 1);
        }
        for j in 0..data.features() {
            offsets[j + 1] += offsets[j];
        }
        let nonzeros = offsets[data.features()];
        let mut next = offsets.clone();
        let (mut column_rows, mut values) = (vec![0; nonzeros], vec![0.0; nonzeros]);
        for (position, &row) in rows.iter().enumerate() {
            let (indices, row_values) = data.row(row);
            for (&j, &value) in indices.iter().zip(row_values) {
                let at = &mut next[j as usize];
                column_rows[*at] = position as u32;
                values[*at] = value;
                *at += 1;
            }
        }
        let mean = |j: usize| values[offsets[j]..offsets[j + 1]].iter().sum::<f64>() / n;
        let means = (0..data.features()).map(mean).collect();
        let (mut targets, mut y_means) = (Vec::new(), Vec::new());
        for y in &data.targets {
            let y_mean = rows.iter().map(|&row| y[row]).sum::<f64>() / n;
            targets.push(rows.iter().map(|&row| y[row] - y_mean).collect());
            y_means.push(y_mean);
        }
        (Self { means, targets, offsets, rows: column_rows, values }, y_means)
    }

    /// The (row, value) pairs stored for column j.
    pub(crate) fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[j]..self.offsets[j + 1];
        let rows = self.rows[range.clone()].iter();
        rows.zip(&self.values[range]).map(|(&row, &value)| (row as usize, value))
    }

    /// The mean of column j.
    pub(crate) fn mean(&self, j: usize) -> f64 {
        self.means[j]
    }

    /// Σz² of centred column j, 0 where it is constant.
    pub(super) fn squared_norm(&self, j: usize) -> f64 {
        let uncentered = self.column(j).map(|(_, value)| value * value).sum::<f64>();
        let n = self.targets[0].len() as f64;
        zero_if_rounding(uncentered - n * self.means[j].powi(2), uncentered)
    }

    /// Zᵀr with centred Z: `r: [rows]` → `[features]`.
    pub(crate) fn transpose_times(&self, r: &[f64]) -> Vec<f64> {
        let sum: f64 = r.iter().sum();
        let product = |j: usize| self.column(j).map(|(row, value)| value * r[row]).sum::<f64>();
        (0..self.means.len()).map(|j| product(j) - self.means[j] * sum).collect()
    }

    /// Zp with centred Z: `p: [features]` → `[rows]`.
    pub(crate) fn times(&self, p: &[f64]) -> Vec<f64> {
        let offset: f64 = p.iter().zip(&self.means).map(|(p, mean)| p * mean).sum();
        let mut product = vec![-offset; self.targets[0].len()];
        for (j, &p) in p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            self.column(j).for_each(|(row, value)| product[row] += p * value);
        }
        product
    }
}
