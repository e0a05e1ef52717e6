//! Lasso as a classifier: least squares on ±1 targets with few weights, strength by
//! cross-validation.
//!
//! Our own solver, since smartcore's reads no sparse rows, solves for one strength at a time by an
//! interior-point method, which leaves small weights where zeros belong, and the comparison needs
//! a path of a hundred strengths over 10,000 words. Here coordinate descent goes down the path,
//! each strength from the solution of the one before; it stops by the optimality conditions.

mod descent;

use rayon::prelude::*;

use crate::cross_validation::{self, Folds, Penalty};
use crate::design::Solution;
use crate::linear::LinearModel;
use crate::problem::{Form, Problem};
use crate::rows::SparseRows;
use descent::{Descent, Products, Residuals};
use ngsll::error::{Error, Result};

/// How the strength of the penalty is chosen.
///
/// The strengths go down in equal ratios from the smallest for which all weights are zero.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `strengths` | 100 | how many strengths to choose from | 2 and up |
/// | `weakest` | 10⁻⁴ | the weakest as a share of the strongest | above 0, below 1 |
/// | `folds` | 5 | parts of the cross-validation | 2 to the number of rows |
/// | `seed` | 0 | which row falls into which part | any |
#[derive(Debug, Clone)]
pub struct LassoOptions {
    /// How many strengths to choose from.
    pub strengths: usize,
    /// The weakest strength as a share of the strongest.
    pub weakest: f64,
    /// The number of parts of the cross-validation.
    pub folds: usize,
    /// Decides which row falls into which part.
    pub seed: u64,
}

impl Default for LassoOptions {
    fn default() -> Self {
        Self { strengths: 100, weakest: 1e-4, folds: 5, seed: 0 }
    }
}

impl LassoOptions {
    /// How rows are held out, if these options make sense.
    fn check(&self, rows: usize) -> Result<Folds> {
        if self.strengths < 2 {
            return Err(Error::setting("strengths", self.strengths, "at least 2 to choose from"));
        }
        if !(self.weakest > 0.0 && self.weakest < 1.0) {
            return Err(Error::setting("weakest", self.weakest, "a share above 0 and below 1"));
        }
        let folds = Folds { parts: self.folds, seed: self.seed };
        folds.check(rows).map(|()| folds)
    }
}

impl LinearModel {
    /// Minimises Σ(y − z·w − b)²/2n + α‖w‖₁ over n rows, where `classes[i] < n_classes` is the
    /// class of row i.
    ///
    /// The strength with the lowest squared error on held-out rows is kept (of equals the larger),
    /// and the model is fitted with it on all rows.
    pub fn lasso(
        rows: &SparseRows,
        classes: &[usize],
        n_classes: usize,
        options: &LassoOptions,
    ) -> Result<Self> {
        cross_validation::check(rows, classes, n_classes)?;
        let folds = options.check(rows.len())?;
        cross_validation::fit(rows, classes, n_classes, folds, options)
    }
}

impl Penalty for LassoOptions {
    fn alphas(&self, all: &Problem) -> Vec<f64> {
        let largest = all.products.iter().map(|products| strongest(products)).fold(0.0, f64::max);
        // Where every column is constant any strength will do.
        let strongest = (largest / all.rows).max(f64::MIN_POSITIVE);
        let last = (self.strengths - 1) as f64;
        (0..self.strengths).map(|i| strongest * self.weakest.powf(i as f64 / last)).collect()
    }

    fn path(&self, problem: &Problem, alphas: &[f64]) -> Vec<Option<Solution>> {
        let path = |output: usize| match &problem.form {
            Form::Gram(gram) => {
                descend(problem, output, alphas, Products::new(gram, &problem.products[output]))
            }
            Form::Columns(columns) => {
                descend(problem, output, alphas, Residuals::new(columns, output))
            }
        };
        let outputs = (0..problem.products.len()).into_par_iter();
        let paths: Vec<Vec<Option<Vec<f64>>>> = outputs.map(path).collect();
        let at = |i: usize| paths.iter().map(|path| path[i].clone()).collect::<Option<_>>();
        (0..alphas.len()).map(|i| at(i).map(|weights| problem.solution(weights))).collect()
    }
}

/// The largest |Σyz| of centred columns: the smallest penalty on Σ(y − z·w − b)²/2 for which all
/// weights are zero.
fn strongest(products: &[f64]) -> f64 {
    products.iter().fold(0.0, |largest: f64, product| largest.max(product.abs()))
}

fn descend(
    problem: &Problem,
    output: usize,
    alphas: &[f64],
    fit: impl descent::Fit,
) -> Vec<Option<Vec<f64>>> {
    let strongest = strongest(&problem.products[output]);
    let mut descent = Descent::new(fit, &problem.squares, strongest);
    let at = |&alpha: &f64| descent.run(alpha * problem.rows).map(<[f64]>::to_vec);
    alphas.iter().map(at).collect()
}

#[cfg(test)]
mod tests;
