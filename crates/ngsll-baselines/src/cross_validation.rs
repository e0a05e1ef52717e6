//! The strength of a penalty by cross-validation, the same for every linear method.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::checks::check_classes;
use crate::design::{Design, Solution};
use crate::linear::LinearModel;
use crate::problem::{GRAM, Moments, Problem};
use crate::rows::SparseRows;
use ngsll::error::{Error, Result};

/// What one linear method adds to least squares.
pub(crate) trait Penalty: Sync {
    /// The strengths to choose from, falling; `all` are all training rows.
    fn alphas(&self, all: &Problem) -> Vec<f64>;

    /// The solution for each of `alphas`, which fall. None where a strength is too weak for this
    /// precision.
    fn path(&self, problem: &Problem, alphas: &[f64]) -> Vec<Option<Solution>>;
}

/// Which rows are held out together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folds {
    /// The number of parts; 1 where nothing is held out.
    pub(crate) parts: usize,
    /// Decides which row falls into which part.
    pub(crate) seed: u64,
}

impl Folds {
    pub(crate) fn check(self, rows: usize) -> Result<()> {
        if (2..=rows).contains(&self.parts) {
            return Ok(());
        }
        let expected = format!("2 to {rows}, the number of rows, are possible");
        Err(Error::setting("folds", self.parts, expected))
    }

    /// The rows, dealt to the parts in an order that the seed gives.
    fn deal(self, rows: usize) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..rows).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let mut parts = vec![Vec::new(); self.parts];
        for (dealt, row) in order.into_iter().enumerate() {
            parts[dealt % self.parts].push(row);
        }
        parts
    }
}

/// Checks what `fit` asks for.
pub(crate) fn check(rows: &SparseRows, classes: &[usize], n_classes: usize) -> Result<()> {
    if rows.features() == 0 {
        return Err(Error::setting("number of features", 0, "at least 1"));
    }
    check_classes(rows.len(), classes, n_classes)
}

/// Keeps the strength with the lowest squared error on held-out rows (of equals the larger), and
/// fits with it on all rows.
pub(crate) fn fit(
    rows: &SparseRows,
    classes: &[usize],
    n_classes: usize,
    folds: Folds,
    penalty: &impl Penalty,
) -> Result<LinearModel> {
    let design = Design::new(rows, classes, n_classes);
    let parts = Parts::new(&design, folds.deal(rows.len()));
    let all = parts.all();
    let alphas = penalty.alphas(&all);
    let alpha = match alphas[..] {
        [only] => only,
        _ => choose(&alphas, &parts, penalty),
    };
    let Some(Some(solution)) = penalty.path(&all, &[alpha]).pop() else {
        let expected = "too weak for features that depend on each other; give a larger one";
        return Err(Error::setting("strength", alpha, expected));
    };
    let Solution { weights, mut intercepts } = solution;
    for (intercept, weights) in intercepts.iter_mut().zip(&weights) {
        *intercept -= weights.iter().zip(&design.shift).map(|(w, s)| w * s).sum::<f64>();
    }
    let count = |class| classes.iter().filter(|&&c| c == class).count();
    let counts = (0..n_classes).map(count).collect();
    Ok(LinearModel::new(alpha, weights, intercepts, counts))
}

/// A strength too weak to be solved for never wins against one that can be.
fn choose(alphas: &[f64], parts: &Parts, penalty: &impl Penalty) -> f64 {
    let held_out = |part: usize| -> Vec<f64> {
        let solutions = penalty.path(&parts.without(part), alphas);
        let error = |solution| parts.design.squared_error(&parts.rows[part], solution);
        solutions.iter().map(|s| s.as_ref().map_or(f64::INFINITY, error)).collect()
    };
    let errors: Vec<Vec<f64>> = (0..parts.rows.len()).into_par_iter().map(held_out).collect();
    let total = |at: usize| errors.iter().map(|part| part[at]).sum::<f64>();
    let best =
        (1..alphas.len()).fold(0, |best, at| if total(at) < total(best) { at } else { best });
    alphas[best]
}

/// The parts of the rows, each of which is held out once.
struct Parts<'a> {
    design: &'a Design,
    rows: Vec<Vec<usize>>,
    /// Their sums, where there are few enough features: every row is then added up only once.
    moments: Option<Vec<Moments>>,
}

impl<'a> Parts<'a> {
    fn new(design: &'a Design, rows: Vec<Vec<usize>>) -> Self {
        let sums = || rows.par_iter().map(|rows| Moments::new(design, rows)).collect();
        let moments = (design.features() <= GRAM).then(sums);
        Self { design, rows, moments }
    }

    fn all(&self) -> Problem {
        self.problem(None)
    }

    fn without(&self, part: usize) -> Problem {
        self.problem(Some(part))
    }

    fn problem(&self, held_out: Option<usize>) -> Problem {
        let kept = (0..self.rows.len()).filter(|&part| Some(part) != held_out);
        match &self.moments {
            Some(moments) => {
                let mut sums = Moments::new(self.design, &[]);
                kept.for_each(|part| sums.add(&moments[part]));
                Problem::from_moments(&sums)
            }
            None => {
                let rows: Vec<usize> = kept.flat_map(|part| &self.rows[part]).copied().collect();
                Problem::from_rows(self.design, &rows)
            }
        }
    }
}
