//! Sparse columns that act as if their means had been taken off.

use super::beyond_rounding;
use crate::design::Design;

/// Columns of z and centred targets. Only what is not zero is stored; the means, which would fill
/// every place, come in by themselves.
pub(crate) struct Columns {
    /// The means of the columns.
    pub(super) means: Vec<f64>,
    /// Centred: `[outputs, rows]`.
    pub(crate) targets: Vec<Vec<f64>>,
    /// Where each column starts in the two below, and where the last ends.
    offsets: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Columns {
    /// The given rows of the design, and the means of the targets.
    pub(super) fn new(design: &Design, rows: &[usize]) -> (Self, Vec<f64>) {
        let n = rows.len() as f64;
        let mut offsets = vec![0; design.features() + 1];
        for &row in rows {
            design.row(row).0.iter().for_each(|&j| offsets[j as usize + 1] += 1);
        }
        for j in 0..design.features() {
            offsets[j + 1] += offsets[j];
        }
        let stored = offsets[design.features()];
        let mut next = offsets.clone();
        let (mut places, mut values) = (vec![0; stored], vec![0.0; stored]);
        for (place, &row) in rows.iter().enumerate() {
            let (indices, row_values) = design.row(row);
            for (&j, &value) in indices.iter().zip(row_values) {
                let at = &mut next[j as usize];
                places[*at] = place as u32;
                values[*at] = value;
                *at += 1;
            }
        }
        let mean = |j: usize| values[offsets[j]..offsets[j + 1]].iter().sum::<f64>() / n;
        let means = (0..design.features()).map(mean).collect();
        let (mut targets, mut y_means) = (Vec::new(), Vec::new());
        for all in &design.targets {
            let y_mean = rows.iter().map(|&row| all[row]).sum::<f64>() / n;
            targets.push(rows.iter().map(|&row| all[row] - y_mean).collect());
            y_means.push(y_mean);
        }
        (Self { means, targets, offsets, rows: places, values }, y_means)
    }

    /// (row, value) of what is stored of column j.
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
    pub(super) fn square(&self, j: usize) -> f64 {
        let uncentred = self.column(j).map(|(_, value)| value * value).sum::<f64>();
        let n = self.targets[0].len() as f64;
        beyond_rounding(uncentred - n * self.means[j].powi(2), uncentred)
    }

    /// Zᵀr with centred Z: `r: [rows]` → `[features]`.
    pub(crate) fn transposed(&self, r: &[f64]) -> Vec<f64> {
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
