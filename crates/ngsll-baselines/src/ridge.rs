//! Ridge regression as a classifier: least squares on ±1 targets, strength by cross-validation.
//!
//! Our own solvers, since smartcore's refuses fewer rows than features, fits an intercept only on
//! standardised columns, reads no sparse rows and forms the Gram matrix anew for every strength.
//! With few features the Gram matrix is factored; with many (bags of words) conjugate gradients
//! work on the sparse columns, so that memory grows with what is not zero.

mod conjugate_gradients;

use rayon::prelude::*;

use crate::cholesky;
use crate::cross_validation::{self, Folds, Penalty};
use crate::design::Solution;
use crate::linear::LinearModel;
use crate::problem::{Columns, Form, Problem};
use crate::rows::SparseRows;
use ngsll::error::{Error, Result};

/// How the strength of the penalty is chosen.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `alphas` | 10⁻³, 10⁻²·⁵, …, 10⁵ | strengths to choose from | each finite and above 0 |
/// | `folds` | 5 | parts of the cross-validation | 2 to the number of rows; unused with one strength |
/// | `seed` | 0 | which row falls into which part | any |
#[derive(Debug, Clone)]
pub struct RidgeOptions {
    /// The strengths to choose from.
    pub alphas: Vec<f64>,
    /// The number of parts of the cross-validation.
    pub folds: usize,
    /// Decides which row falls into which part.
    pub seed: u64,
}

impl Default for RidgeOptions {
    fn default() -> Self {
        let alphas = (-6..=10).map(|half| 10f64.powf(f64::from(half) / 2.0)).collect();
        Self { alphas, folds: 5, seed: 0 }
    }
}

impl RidgeOptions {
    /// How rows are held out, if these options make sense.
    fn check(&self, rows: usize) -> Result<Folds> {
        if self.alphas.is_empty() {
            return Err(Error::setting("alphas", "[]", "at least one strength is needed"));
        }
        if let Some(alpha) = self.alphas.iter().find(|a| !(a.is_finite() && **a > 0.0)) {
            return Err(Error::setting("alphas", alpha, "a strength is finite and above 0"));
        }
        if self.alphas.len() == 1 {
            return Ok(Folds { parts: 1, seed: self.seed });
        }
        let folds = Folds { parts: self.folds, seed: self.seed };
        folds.check(rows).map(|()| folds)
    }
}

impl LinearModel {
    /// Minimises Σ(y − z·w − b)² + α‖w‖², where `classes[i] < n_classes` is the class of row i.
    ///
    /// The strength with the lowest squared error on held-out rows is kept (of equals the larger),
    /// and the model is fitted with it on all rows.
    pub fn ridge(
        rows: &SparseRows,
        classes: &[usize],
        n_classes: usize,
        options: &RidgeOptions,
    ) -> Result<Self> {
        cross_validation::check(rows, classes, n_classes)?;
        let folds = options.check(rows.len())?;
        cross_validation::fit(rows, classes, n_classes, folds, options)
    }
}

impl Penalty for RidgeOptions {
    fn alphas(&self, _: &Problem) -> Vec<f64> {
        let mut falling = self.alphas.clone();
        falling.sort_by(|a, b| b.total_cmp(a));
        falling
    }

    fn path(&self, problem: &Problem, alphas: &[f64]) -> Vec<Option<Solution>> {
        match &problem.form {
            Form::Gram(gram) => alphas.iter().map(|&a| factored(problem, gram, a)).collect(),
            Form::Columns(columns) => iterated(problem, columns, alphas),
        }
    }
}

fn factored(problem: &Problem, gram: &[f64], alpha: f64) -> Option<Solution> {
    let d = problem.squares.len();
    let mut matrix = gram.to_vec();
    (0..d).for_each(|j| matrix[j * d + j] += alpha);
    cholesky::factor(&mut matrix, d)?;
    let weights = problem.products.iter().map(|right| cholesky::substitute(&matrix, right.clone()));
    Some(problem.solution(weights.collect()))
}

/// Each strength starts from the solution of the one before.
fn iterated(problem: &Problem, columns: &Columns, alphas: &[f64]) -> Vec<Option<Solution>> {
    let path = |right: &Vec<f64>| -> Vec<Option<Vec<f64>>> {
        let mut weights = vec![0.0; right.len()];
        let mut step = |&alpha: &f64| {
            let solved = conjugate_gradients::solve(
                |p| columns.transposed(&columns.times(p)),
                &problem.squares,
                alpha,
                right,
                &mut weights,
            );
            solved.then(|| weights.clone())
        };
        alphas.iter().map(&mut step).collect()
    };
    let paths: Vec<Vec<Option<Vec<f64>>>> = problem.products.par_iter().map(path).collect();
    let at = |i: usize| paths.iter().map(|path| path[i].clone()).collect::<Option<_>>();
    (0..alphas.len()).map(|i| at(i).map(|weights| problem.solution(weights))).collect()
}

#[cfg(test)]
mod tests;
