//! Sums over rows, from which a linear model is fitted without seeing the rows again.

use crate::regression_data::RegressionData;

/// Sums of z, y and their products over some rows. The sums of disjoint sets of rows add up, so
/// cross-validation visits every row once.
pub(crate) struct GramSums {
    /// The number of rows.
    pub(super) rows: f64,
    /// Σ z: `[features]`.
    pub(super) z: Vec<f64>,
    /// Σ z zᵀ: `[features, features]`, the lower triangle.
    pub(super) zz: Vec<f64>,
    /// Σ y: `[outputs]`.
    pub(super) y: Vec<f64>,
    /// Σ y zᵀ: `[outputs, features]`.
    pub(super) yz: Vec<Vec<f64>>,
}

impl GramSums {
    /// The sums over the given rows; zeros cost nothing.
    pub(crate) fn new(data: &RegressionData, rows: &[usize]) -> Self {
        let (features, outputs) = (data.features(), data.targets.len());
        let mut sums = Self {
            rows: rows.len() as f64,
            z: vec![0.0; features],
            zz: vec![0.0; features * features],
            y: vec![0.0; outputs],
            yz: vec![vec![0.0; features]; outputs],
        };
        for &row in rows {
            let (indices, values) = data.row(row);
            for (at, (&i, &value)) in indices.iter().zip(values).enumerate() {
                sums.z[i as usize] += value;
                let line = &mut sums.zz[i as usize * features..][..features];
                for (&j, other) in indices[..=at].iter().zip(values) {
                    line[j as usize] += value * other;
                }
            }
            for (output, targets) in data.targets.iter().enumerate() {
                sums.y[output] += targets[row];
                for (&j, value) in indices.iter().zip(values) {
                    sums.yz[output][j as usize] += targets[row] * value;
                }
            }
        }
        sums
    }

    /// Adds the sums over other rows.
    pub(crate) fn add(&mut self, other: &Self) {
        let add = |sums: &mut [f64], other: &[f64]| {
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        };
        self.rows += other.rows;
        add(&mut self.z, &other.z);
        add(&mut self.zz, &other.zz);
        add(&mut self.y, &other.y);
        self.yz.iter_mut().zip(&other.yz).for_each(|(sums, other)| add(sums, other));
    }
}
