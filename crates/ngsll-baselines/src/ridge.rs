//! Ridge regression as a classifier: least squares on ±1 targets, strength by cross-validation.
//!
//! The solvers are hand-written because linfa's elastic net reads dense rows only, and so does smartcore's ridge,
//! which also refuses fewer rows than features, fits an intercept only on standardised columns and
//! forms the Gram matrix anew for every strength. With few features the Gram matrix is factored; with
//! many (bags of words) conjugate gradients work on the sparse columns, so that memory grows with the
//! nonzeros.

mod conjugate_gradients;

use crate::cholesky;
use crate::cross_validation::{self, KFold, RegularizationPath};
use crate::least_squares::{LeastSquares, SparseColumns, Storage};
use crate::linear::LinearModel;
use crate::options::setters;
use crate::regression_data::Solution;
use crate::sparse_rows::SparseRows;
use ngsll::error::{Error, Result};

/// Options by which [`LinearModel::ridge`] chooses the strength of the penalty.
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `alphas` | 10⁻³, 10⁻²·⁵, …, 10⁵ | strengths to choose from | each finite and above 0 |
/// | `folds` | 5 | folds of the cross-validation | 2 to the number of rows; unused with one strength |
/// | `seed` | 0 | which row belongs to which fold | any |
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeOptions {
    /// The strengths to choose from.
    pub(crate) alphas: Vec<f64>,
    /// The number of folds of the cross-validation.
    pub(crate) folds: usize,
    /// Decides which row belongs to which fold.
    pub(crate) seed: u64,
}

impl Default for RidgeOptions {
    fn default() -> Self {
        let alphas = (-6..=10).map(|half| 10f64.powf(f64::from(half) / 2.0)).collect();
        Self { alphas, folds: 5, seed: 0 }
    }
}

setters!(RidgeOptions { alphas: Vec<f64>, folds: usize, seed: u64 });

impl LinearModel {
    /// Minimises Σ(y − z·w − b)² + α‖w‖², where `classes[i] < n_classes` is the class of row i.
    ///
    /// The strength α with the lowest squared error on held-out rows is chosen, ties to the larger one,
    /// and the model is fitted with it on all rows.
    pub fn ridge(
        rows: &SparseRows,
        classes: &[usize],
        n_classes: usize,
        options: &RidgeOptions,
    ) -> Result<Self> {
        cross_validation::fit(rows, classes, n_classes, options)
    }
}

impl RegularizationPath for RidgeOptions {
    fn folds(&self, rows: usize) -> Result<KFold> {
        if self.alphas.is_empty() {
            return Err(Error::setting("alphas", "[]", "at least one strength is needed"));
        }
        if let Some(alpha) = self.alphas.iter().find(|a| !(a.is_finite() && **a > 0.0)) {
            return Err(Error::setting("alphas", alpha, "a strength is finite and above 0"));
        }
        match self.alphas.len() {
            1 => Ok(KFold::single(self.seed)),
            _ => KFold::new(self.folds, rows, self.seed),
        }
    }

    fn alphas(&self, _: &LeastSquares) -> Vec<f64> {
        let mut falling = self.alphas.clone();
        falling.sort_by(|a, b| b.total_cmp(a));
        falling
    }

    fn path(&self, problem: &LeastSquares, alphas: &[f64]) -> Vec<Option<Solution>> {
        match &problem.storage {
            Storage::Gram(gram) => alphas.iter().map(|&a| factored(problem, gram, a)).collect(),
            Storage::Columns(columns) => iterated(problem, columns, alphas),
        }
    }
}

/// One strength by a Cholesky decomposition.
fn factored(problem: &LeastSquares, gram: &[f64], alpha: f64) -> Option<Solution> {
    let d = problem.squared_norms.len();
    let mut matrix = gram.to_vec();
    (0..d).for_each(|j| matrix[j * d + j] += alpha);
    cholesky::factor(&mut matrix, d)?;
    let weights = problem.products.iter().map(|right| cholesky::substitute(&matrix, right.clone()));
    Some(problem.solution(weights.collect()))
}

/// All strengths by conjugate gradients, each from the solution of the one before.
fn iterated(
    problem: &LeastSquares,
    columns: &SparseColumns,
    alphas: &[f64],
) -> Vec<Option<Solution>> {
    problem.solve_outputs(alphas.len(), |output| {
        let right = &problem.products[output];
        let mut weights = vec![0.0; right.len()];
        let solve = |&alpha: &f64| {
            let converged = conjugate_gradients::solve(
                |p| columns.transpose_times(&columns.times(p)),
                &problem.squared_norms,
                alpha,
                right,
                &mut weights,
            );
            converged.then(|| weights.clone())
        };
        alphas.iter().map(solve).collect()
    })
}

#[cfg(test)]
mod tests;
