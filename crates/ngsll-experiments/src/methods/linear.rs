//! Ridge and lasso: one linear model over z for all samples.

use super::{Done, Found, Method, and_all};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::objective::Targets;
use ngsll_baselines::{LassoOptions, LinearModel, RidgeOptions, SparseRows, Terms};

/// The penalty on the weights; its strength is chosen by cross-validation on the training part.
#[derive(Clone, Copy)]
enum Penalty {
    Ridge,
    Lasso,
}

/// Least squares with a penalty. At K it keeps its K largest weights, as in the paper's comparison, or
/// fits those features again; all features always come with an intercept.
pub(super) struct Linear {
    name: &'static str,
    title: &'static str,
    penalty: Penalty,
    /// Whether the K features are fitted again, with an intercept.
    refitted: bool,
}

/// As in the paper.
pub(super) const RIDGE: Linear =
    Linear { name: "ridge", title: "Ridge", penalty: Penalty::Ridge, refitted: false };
/// As in the paper.
pub(super) const LASSO: Linear =
    Linear { name: "lasso", title: "Lasso", penalty: Penalty::Lasso, refitted: false };
/// With weights that know of no others, as NGSLL's do.
pub(super) const RIDGE_REFITTED: Linear = Linear {
    name: "ridge-refitted",
    title: "Ridge, refitted at K",
    penalty: Penalty::Ridge,
    refitted: true,
};
/// With weights that know of no others, as NGSLL's do.
pub(super) const LASSO_REFITTED: Linear = Linear {
    name: "lasso-refitted",
    title: "Lasso, refitted at K",
    penalty: Penalty::Lasso,
    refitted: true,
};

/// Which class wins where scores are equal; a part of the configuration.
const TIES: &str = "ties to the most frequent class";

impl Linear {
    fn fit(
        &self,
        rows: &SparseRows,
        classes: &[usize],
        n: usize,
        seed: u64,
    ) -> Result<LinearModel> {
        match self.penalty {
            Penalty::Ridge => LinearModel::ridge(rows, classes, n, &ridge_options(seed)),
            Penalty::Lasso => LinearModel::lasso(rows, classes, n, &lasso_options(seed)),
        }
    }
}

fn ridge_options(seed: u64) -> RidgeOptions {
    RidgeOptions::default().seed(seed)
}

fn lasso_options(seed: u64) -> LassoOptions {
    LassoOptions::default().seed(seed)
}

impl Method for Linear {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn runs_on(&self, _: Dataset) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// All features are the same with K refitted and without; they stand in one row.
    fn ks(&self, asked: &[K]) -> Vec<K> {
        match self.refitted {
            true => asked.iter().copied().filter(|k| *k != K::All).collect(),
            false => and_all(asked),
        }
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        let options = match self.penalty {
            Penalty::Ridge => format!("{:?}", ridge_options(problem.seed)),
            Penalty::Lasso => format!("{:?}", lasso_options(problem.seed)),
        };
        Ok(format!("{options} {TIES} {:?}", problem.config().representation))
    }

    fn trainings(&self, _: &Problem<'_>, _: &[K]) -> f64 {
        0.1
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        ks: &[K],
        _: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let prepared = problem.prepare(problem.config())?;
        let n_classes = prepared.objective.classes().len();
        let (rows, classes) = z(&prepared, &problem.train(&prepared))?;
        let model = self.fit(&rows, &classes, n_classes, problem.seed)?;
        let (valid_rows, valid_classes) = z(&prepared, &problem.valid(&prepared))?;
        let (test_rows, test_classes) = z(&prepared, &problem.test(&prepared))?;
        for &k in ks {
            let refitted;
            let (model, terms) = match k {
                K::All => (&model, Terms::All),
                K::Top(k) if self.refitted => {
                    refitted = model.refitted(&rows, &classes, k)?;
                    (&refitted, Terms::All)
                }
                K::Top(k) => (&model, Terms::Top(k)),
            };
            done(Found {
                k,
                test: model.accuracy(&test_rows, &test_classes, terms),
                valid: model.accuracy(&valid_rows, &valid_classes, terms),
                configuration: format!("alpha={:.3e}", model.alpha()),
                predictor: None,
            })?;
        }
        Ok(())
    }
}

/// z of every sample, and the classes.
pub(super) fn z(prepared: &Prepared, chunk: &Chunk) -> Result<(SparseRows, Vec<usize>)> {
    let Targets::Classes(classes) = prepared.objective.targets(chunk)? else {
        unreachable!("the paper's data sets have classes")
    };
    let representation = &prepared.representation;
    let encoded = representation.encode(&chunk.samples)?;
    let rows = (0..chunk.len()).map(|row| representation.z(&encoded, row));
    Ok((SparseRows::from_rows(rows, representation.features())?, classes))
}
