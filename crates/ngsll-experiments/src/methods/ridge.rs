//! Ridge: one linear model over z for all samples.

use super::{Found, Method};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::objective::Targets;
use ngsll_baselines::{Ridge, RidgeOptions};

/// Ridge with its strength by cross-validation on the training part. At K it has no intercept, as the
/// paper's comparison; K = all uses all features and the intercept.
pub(super) struct LeastSquares;

impl Method for LeastSquares {
    fn name(&self) -> &'static str {
        "ridge"
    }

    fn title(&self) -> &'static str {
        "Ridge"
    }

    // A bag of words needs the sparse solver.
    fn runs_on(&self, dataset: Dataset) -> bool {
        dataset == Dataset::Mnist
    }

    fn ks(&self, asked: &[K]) -> Vec<K> {
        let mut ks = asked.to_vec();
        if !ks.contains(&K::All) {
            ks.push(K::All);
        }
        ks
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        Ok(format!("{:?} {:?}", options(problem), problem.config().representation))
    }

    fn trainings(&self, _: &Problem<'_>, _: &[K]) -> f64 {
        0.05
    }

    fn run(&self, problem: &Problem<'_>, ks: &[K], _: &mut Watch<'_>) -> Result<Vec<Found>> {
        let prepared = problem.prepare(problem.config())?;
        let d = prepared.representation.features();
        let (z, classes) = dense(&prepared, &problem.train(&prepared))?;
        let n_classes = prepared.objective.classes().len();
        let ridge = Ridge::fit(&z, d, &classes, n_classes, &options(problem))?;
        let (valid_z, valid_classes) = dense(&prepared, &problem.valid(&prepared))?;
        let (test_z, test_classes) = dense(&prepared, &problem.test(&prepared))?;
        let measure = |&k: &K| {
            let top = if let K::Top(k) = k { Some(k) } else { None };
            Found {
                k,
                test: ridge.accuracy_at(&test_z, &test_classes, top),
                valid: ridge.accuracy_at(&valid_z, &valid_classes, top),
                configuration: format!("alpha={:.3e}", ridge.alpha()),
                predictor: None,
            }
        };
        Ok(ks.iter().map(measure).collect())
    }
}

fn options(problem: &Problem<'_>) -> RidgeOptions {
    RidgeOptions { seed: problem.seed, ..RidgeOptions::default() }
}

/// z of every sample, all features, and the classes.
fn dense(prepared: &Prepared, chunk: &Chunk) -> Result<(Vec<f32>, Vec<usize>)> {
    let Targets::Classes(classes) = prepared.objective.targets(chunk)? else {
        unreachable!("the paper's data sets have classes")
    };
    let encoded = prepared.representation.encode(&chunk.samples)?;
    let d = prepared.representation.features();
    let mut z = vec![0.0; chunk.len() * d];
    for (row, z) in z.chunks_exact_mut(d).enumerate() {
        let sparse = prepared.representation.z(&encoded, row);
        sparse.indices.iter().zip(&sparse.values).for_each(|(&j, &value)| z[j as usize] = value);
    }
    Ok((z, classes))
}
