//! Coordinate descent for ½‖y − Zw‖² + λ‖w‖₁ on centred columns.

use crate::least_squares::SparseColumns;

/// Tolerated violation of the optimality conditions, relative to the λ at which all weights are
/// zero.
pub(super) const TOLERANCE: f64 = 1e-6;

/// Sweeps over the active weights after which a strength is given up as too weak.
const MAX_SWEEPS: usize = 100_000;

/// The residual y − Zw, in a form in which updates are cheap.
pub(super) trait Residual {
    /// z_jᵀ(y − Zw).
    fn correlation(&self, j: usize) -> f64;
    /// Increases w_j by `step`.
    fn update(&mut self, j: usize, step: f64);
}

/// Zᵀ(y − Zw), updated with the Gram matrix: for few features and many rows.
pub(super) struct GramResidual<'a> {
    gram: &'a [f64],
    correlations: Vec<f64>,
}

impl<'a> GramResidual<'a> {
    /// For w = 0, where `products` is Zᵀy.
    pub(super) fn new(gram: &'a [f64], products: &[f64]) -> Self {
        Self { gram, correlations: products.to_vec() }
    }
}

impl Residual for GramResidual<'_> {
    fn correlation(&self, j: usize) -> f64 {
        self.correlations[j]
    }

    fn update(&mut self, j: usize, step: f64) {
        let d = self.correlations.len();
        let row = &self.gram[j * d..][..d];
        self.correlations.iter_mut().zip(row).for_each(|(c, g)| *c -= step * g);
    }
}

/// y − Zw with sparse columns. The part of the column means is the same for all rows and kept in
/// `offset`, so that an update touches only the rows in which the feature occurs.
pub(super) struct ColumnResidual<'a> {
    columns: &'a SparseColumns,
    residuals: Vec<f64>,
    offset: f64,
}

impl<'a> ColumnResidual<'a> {
    /// For w = 0.
    pub(super) fn new(columns: &'a SparseColumns, output: usize) -> Self {
        Self { columns, residuals: columns.targets[output].clone(), offset: 0.0 }
    }
}

impl Residual for ColumnResidual<'_> {
    fn correlation(&self, j: usize) -> f64 {
        // Columns and targets are centred, so the residuals sum to 0 and the column's mean cancels.
        let terms = self.columns.column(j);
        terms.map(|(row, value)| value * (self.residuals[row] + self.offset)).sum()
    }

    fn update(&mut self, j: usize, step: f64) {
        for (row, value) in self.columns.column(j) {
            self.residuals[row] -= step * value;
        }
        self.offset += step * self.columns.mean(j);
    }
}

/// The weights along a path of falling penalties.
pub(super) struct CoordinateDescent<'a, R> {
    residual: R,
    squared_norms: &'a [f64],
    weights: Vec<f64>,
    tolerance: f64,
}

impl<'a, R: Residual> CoordinateDescent<'a, R> {
    /// Starts at zero; `lambda_max` is the λ at which all weights are zero.
    pub(super) fn new(residual: R, squared_norms: &'a [f64], lambda_max: f64) -> Self {
        let weights = vec![0.0; squared_norms.len()];
        Self { residual, squared_norms, weights, tolerance: TOLERANCE * lambda_max }
    }

    /// The weights for `lambda`, starting from the current ones; None if they do not converge.
    ///
    /// Sweeps cover only the active set, the weights that are not zero or violate their condition.
    /// Once it has converged, the conditions of all weights are checked again.
    pub(super) fn solve(&mut self, lambda: f64) -> Option<&[f64]> {
        let mut sweeps = 0;
        loop {
            let violations: Vec<f64> =
                (0..self.weights.len()).map(|j| self.violation(j, lambda)).collect();
            if violations.iter().all(|violation| *violation <= self.tolerance) {
                return Some(&self.weights);
            }
            let is_active = |&j: &usize| self.weights[j] != 0.0 || violations[j] > self.tolerance;
            let active: Vec<usize> = (0..self.weights.len()).filter(is_active).collect();
            loop {
                let moved = active.iter().map(|&j| self.update(j, lambda)).fold(0.0, f64::max);
                sweeps += 1;
                if moved <= self.tolerance {
                    break;
                }
                if sweeps == MAX_SWEEPS {
                    return None;
                }
            }
        }
    }

    /// The amount by which weight j violates its optimality condition: z_jᵀ(y − Zw) is λ·sign(w_j), or within ±λ
    /// where w_j = 0. A constant column keeps the weight 0.
    fn violation(&self, j: usize, lambda: f64) -> f64 {
        if self.squared_norms[j] == 0.0 {
            return 0.0;
        }
        let correlation = self.residual.correlation(j);
        match self.weights[j] {
            0.0 => (correlation.abs() - lambda).max(0.0),
            weight => (correlation - lambda * weight.signum()).abs(),
        }
    }

    /// Minimises over weight j by soft thresholding, and returns the change of its correlation.
    fn update(&mut self, j: usize, lambda: f64) -> f64 {
        let (squared_norm, old) = (self.squared_norms[j], self.weights[j]);
        let target = self.residual.correlation(j) + squared_norm * old;
        let new = (target.abs() - lambda).max(0.0).copysign(target) / squared_norm;
        if new == old {
            return 0.0;
        }
        self.residual.update(j, new - old);
        self.weights[j] = new;
        squared_norm * (new - old).abs()
    }
}
