//! Lasso as a classifier: least squares on ±1 targets with few weights, strength by
//! cross-validation.
//!
//! The solver is hand-written: the comparison needs a path of a hundred strengths over 10,000 sparse words,
//! while linfa's elastic net and smartcore's lasso read dense rows and solve one strength at a time,
//! from zero; smartcore's interior-point method also leaves small weights where zeros belong. Here
//! coordinate descent follows the path, each strength from the solution of the one before, and stops
//! by the optimality conditions.

mod coordinate_descent;

use crate::cross_validation::{self, KFold, RegularizationPath};
use crate::least_squares::{LeastSquares, Storage};
use crate::linear::LinearModel;
use crate::options::setters;
use crate::regression_data::Solution;
use crate::sparse_rows::SparseRows;
use coordinate_descent::{ColumnResidual, CoordinateDescent, GramResidual, Residual};
use ngsll::error::{Error, Result};

/// Options by which [`LinearModel::lasso`] chooses the strength of the penalty.
///
/// The strengths fall in equal ratios from the smallest for which all weights are zero.
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `strengths` | 100 | number of strengths to choose from | 2 and up |
/// | `weakest` | 10⁻⁴ | the weakest strength relative to the strongest | above 0, below 1 |
/// | `folds` | 5 | folds of the cross-validation | 2 to the number of rows |
/// | `seed` | 0 | which row belongs to which fold | any |
#[derive(Debug, Clone, PartialEq)]
pub struct LassoOptions {
    /// The number of strengths to choose from.
    pub(crate) strengths: usize,
    /// The weakest strength relative to the strongest.
    pub(crate) weakest: f64,
    /// The number of folds of the cross-validation.
    pub(crate) folds: usize,
    /// Decides which row belongs to which fold.
    pub(crate) seed: u64,
}

impl Default for LassoOptions {
    fn default() -> Self {
        Self { strengths: 100, weakest: 1e-4, folds: 5, seed: 0 }
    }
}

setters!(LassoOptions { strengths: usize, weakest: f64, folds: usize, seed: u64 });

impl LinearModel {
    /// Minimises Σ(y − z·w − b)²/2n + α‖w‖₁ over n rows, where `classes[i] < n_classes` is the
    /// class of row i.
    ///
    /// The strength α with the lowest squared error on held-out rows is chosen, ties to the larger one,
    /// and the model is fitted with it on all rows.
    pub fn lasso(
        rows: &SparseRows,
        classes: &[usize],
        n_classes: usize,
        options: &LassoOptions,
    ) -> Result<Self> {
        cross_validation::fit(rows, classes, n_classes, options)
    }
}

impl RegularizationPath for LassoOptions {
    fn folds(&self, rows: usize) -> Result<KFold> {
        if self.strengths < 2 {
            return Err(Error::setting("strengths", self.strengths, "at least 2 to choose from"));
        }
        if !(self.weakest > 0.0 && self.weakest < 1.0) {
            return Err(Error::setting("weakest", self.weakest, "a share above 0 and below 1"));
        }
        KFold::new(self.folds, rows, self.seed)
    }

    fn alphas(&self, all: &LeastSquares) -> Vec<f64> {
        let largest = all.products.iter().map(|products| lambda_max(products)).fold(0.0, f64::max);
        // If every column is constant, any strength will do.
        let strongest = (largest / all.rows).max(f64::MIN_POSITIVE);
        let last = (self.strengths - 1) as f64;
        (0..self.strengths).map(|i| strongest * self.weakest.powf(i as f64 / last)).collect()
    }

    fn path(&self, problem: &LeastSquares, alphas: &[f64]) -> Vec<Option<Solution>> {
        problem.solve_outputs(alphas.len(), |output| match &problem.storage {
            Storage::Gram(gram) => {
                descend(problem, output, alphas, GramResidual::new(gram, &problem.products[output]))
            }
            Storage::Columns(columns) => {
                descend(problem, output, alphas, ColumnResidual::new(columns, output))
            }
        })
    }
}

/// The smallest penalty on Σ(y − z·w − b)²/2 for which all weights are zero: the largest |Zᵀy|.
fn lambda_max(products: &[f64]) -> f64 {
    products.iter().fold(0.0, |largest: f64, product| largest.max(product.abs()))
}

/// The weights of one output for each strength.
fn descend(
    problem: &LeastSquares,
    output: usize,
    alphas: &[f64],
    residual: impl Residual,
) -> Vec<Option<Vec<f64>>> {
    let lambda_max = lambda_max(&problem.products[output]);
    let mut descent = CoordinateDescent::new(residual, &problem.squared_norms, lambda_max);
    let solve = |&alpha: &f64| descent.solve(alpha * problem.rows).map(<[f64]>::to_vec);
    alphas.iter().map(solve).collect()
}

#[cfg(test)]
mod tests;
