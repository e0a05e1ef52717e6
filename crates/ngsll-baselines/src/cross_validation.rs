//! The strength of a penalty by k-fold cross-validation, the same for every linear method.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::classes::check_classes;
use crate::least_squares::{GramSums, LeastSquares, MAX_GRAM_FEATURES};
use crate::linear::LinearModel;
use crate::regression_data::{RegressionData, Solution};
use crate::sparse_rows::SparseRows;
use ngsll::error::{Error, Result};

/// A penalty on least squares, solved for a range of strengths.
pub(crate) trait RegularizationPath: Sync {
    /// The folds of `rows` rows, if these options are valid.
    fn folds(&self, rows: usize) -> Result<KFold>;

    /// The strengths to choose from, falling; `all` is the problem of all training rows.
    fn alphas(&self, all: &LeastSquares) -> Vec<f64>;

    /// The solution for each of `alphas`, which fall. None for a strength too weak for working
    /// precision.
    fn path(&self, problem: &LeastSquares, alphas: &[f64]) -> Vec<Option<Solution>>;
}

/// The division of rows into folds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KFold {
    folds: usize,
    seed: u64,
}

impl KFold {
    /// `folds` random folds of `rows` rows.
    pub(crate) fn new(folds: usize, rows: usize, seed: u64) -> Result<Self> {
        if (2..=rows).contains(&folds) {
            return Ok(Self { folds, seed });
        }
        let expected = format!("2 to {rows}, the number of rows, are possible");
        Err(Error::setting("folds", folds, expected))
    }

    /// A single fold, for when there is nothing to choose and no row is held out.
    pub(crate) fn single(seed: u64) -> Self {
        Self { folds: 1, seed }
    }

    /// The row numbers of each fold.
    fn split(self, rows: usize) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..rows).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let mut folds = vec![Vec::new(); self.folds];
        for (position, row) in order.into_iter().enumerate() {
            folds[position % self.folds].push(row);
        }
        folds
    }
}

/// Chooses the strength with the lowest squared error on held-out rows, ties to the larger one, and
/// fits with it on all rows.
pub(crate) fn fit(
    rows: &SparseRows,
    classes: &[usize],
    n_classes: usize,
    penalty: &impl RegularizationPath,
) -> Result<LinearModel> {
    if rows.features() == 0 {
        return Err(Error::setting("number of features", 0, "at least 1"));
    }
    check_classes(rows.len(), classes, n_classes)?;
    let split = penalty.folds(rows.len())?.split(rows.len());
    let data = RegressionData::new(rows, classes, n_classes);
    let folds = Folds::new(&data, split);
    let all = folds.problem(None);
    let alphas = penalty.alphas(&all);
    let alpha = match alphas[..] {
        [only] => only,
        _ => choose(&alphas, &folds, penalty),
    };
    let Some(Some(solution)) = penalty.path(&all, &[alpha]).pop() else {
        let expected = "too weak for features that depend on each other; give a larger one";
        return Err(Error::setting("strength", alpha, expected));
    };
    let Solution { weights, mut intercepts } = solution;
    for (intercept, weights) in intercepts.iter_mut().zip(&weights) {
        *intercept -= weights.iter().zip(&data.shift).map(|(w, s)| w * s).sum::<f64>();
    }
    let count = |class| classes.iter().filter(|&&c| c == class).count();
    let counts = (0..n_classes).map(count).collect();
    Ok(LinearModel::new(alpha, weights, intercepts, counts))
}

/// The strength with the lowest held-out error. One that some fold cannot be solved for has an
/// infinite error.
fn choose(alphas: &[f64], folds: &Folds, penalty: &impl RegularizationPath) -> f64 {
    let held_out_errors = |fold: usize| -> Vec<f64> {
        let solutions = penalty.path(&folds.problem(Some(fold)), alphas);
        let error = |solution| folds.data.squared_error(&folds.rows[fold], solution);
        solutions.iter().map(|s| s.as_ref().map_or(f64::INFINITY, error)).collect()
    };
    let errors: Vec<Vec<f64>> =
        (0..folds.rows.len()).into_par_iter().map(held_out_errors).collect();
    let total = |at: usize| errors.iter().map(|fold| fold[at]).sum::<f64>();
    let best =
        (1..alphas.len()).fold(0, |best, at| if total(at) < total(best) { at } else { best });
    alphas[best]
}

/// The folds, each of which is held out once.
struct Folds<'a> {
    data: &'a RegressionData,
    /// The row numbers of each fold.
    rows: Vec<Vec<usize>>,
    /// The sums of each fold, where a Gram matrix is formed.
    sums: Option<Vec<GramSums>>,
}

impl<'a> Folds<'a> {
    fn new(data: &'a RegressionData, rows: Vec<Vec<usize>>) -> Self {
        let sums = || rows.par_iter().map(|rows| GramSums::new(data, rows)).collect();
        let sums = (data.features() <= MAX_GRAM_FEATURES).then(sums);
        Self { data, rows, sums }
    }

    /// The problem of all rows but those of the fold held out.
    fn problem(&self, held_out: Option<usize>) -> LeastSquares {
        let kept = (0..self.rows.len()).filter(|&fold| Some(fold) != held_out);
        match &self.sums {
            Some(sums) => {
                let mut total = GramSums::new(self.data, &[]);
                kept.for_each(|fold| total.add(&sums[fold]));
                LeastSquares::from_gram_sums(&total)
            }
            None => {
                let rows: Vec<usize> = kept.flat_map(|fold| &self.rows[fold]).copied().collect();
                LeastSquares::from_rows(self.data, &rows)
            }
        }
    }
}
