//! Ridge and lasso: one linear model over z for all samples.

use super::{Done, Found, Method};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::objective::Targets;
use ngsll_baselines::{LassoOptions, LinearModel, RidgeOptions, SparseRows};

/// Least squares with a penalty whose strength is chosen by cross-validation on the training part. At K
/// it has no intercept, as in the paper's comparison; K = all uses all features and the intercept.
pub(super) enum Linear {
    Ridge,
    Lasso,
}

impl Linear {
    fn fit(
        &self,
        rows: &SparseRows,
        classes: &[usize],
        n: usize,
        seed: u64,
    ) -> Result<LinearModel> {
        match self {
            Self::Ridge => LinearModel::ridge(rows, classes, n, &ridge_options(seed)),
            Self::Lasso => LinearModel::lasso(rows, classes, n, &lasso_options(seed)),
        }
    }
}

fn ridge_options(seed: u64) -> RidgeOptions {
    RidgeOptions { seed, ..RidgeOptions::default() }
}

fn lasso_options(seed: u64) -> LassoOptions {
    LassoOptions { seed, ..LassoOptions::default() }
}

impl Method for Linear {
    fn name(&self) -> &'static str {
        match self {
            Self::Ridge => "ridge",
            Self::Lasso => "lasso",
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Self::Ridge => "Ridge",
            Self::Lasso => "Lasso",
        }
    }

    fn runs_on(&self, _: Dataset) -> bool {
        true
    }

    fn ks(&self, asked: &[K]) -> Vec<K> {
        let mut ks = asked.to_vec();
        if !ks.contains(&K::All) {
            ks.push(K::All);
        }
        ks
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        let options = match self {
            Self::Ridge => format!("{:?}", ridge_options(problem.seed)),
            Self::Lasso => format!("{:?}", lasso_options(problem.seed)),
        };
        Ok(format!("{options} {:?}", problem.config().representation))
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
            let top = if let K::Top(k) = k { Some(k) } else { None };
            done(Found {
                k,
                test: model.accuracy_at(&test_rows, &test_classes, top),
                valid: model.accuracy_at(&valid_rows, &valid_classes, top),
                configuration: format!("alpha={:.3e}", model.alpha()),
                predictor: None,
            })?;
        }
        Ok(())
    }
}

/// z of every sample, and the classes.
pub(crate) fn z(prepared: &Prepared, chunk: &Chunk) -> Result<(SparseRows, Vec<usize>)> {
    let Targets::Classes(classes) = prepared.objective.targets(chunk)? else {
        unreachable!("the paper's data sets have classes")
    };
    let representation = &prepared.representation;
    let encoded = representation.encode(&chunk.samples)?;
    let rows = (0..chunk.len()).map(|row| representation.z(&encoded, row));
    Ok((SparseRows::from_rows(rows, representation.features())?, classes))
}
