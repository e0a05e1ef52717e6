//! The random forest that LIME and KernelSHAP explain in the table of times.

use super::linear::z;
use super::{Done, Found, Method};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll_baselines::{Forest, ForestOptions};

/// On all cells.
pub(super) struct RandomForest;

/// z of every sample, `[samples, features]`, and the classes.
pub(crate) fn dense_z(prepared: &Prepared, chunk: &Chunk) -> Result<(Vec<f32>, Vec<usize>)> {
    let (rows, classes) = z(prepared, chunk)?;
    let d = rows.features();
    let mut dense = vec![0.0; rows.len() * d];
    for (row, to) in rows.iter().zip(dense.chunks_exact_mut(d)) {
        row.iter().for_each(|(j, value)| to[j] = value as f32);
    }
    Ok((dense, classes))
}

fn options(seed: u64) -> ForestOptions {
    ForestOptions::default().seed(seed)
}

/// Learns from z: `[samples, features]`, and classes.
pub(crate) fn fit(
    prepared: &Prepared,
    (z, classes): &(Vec<f32>, Vec<usize>),
    seed: u64,
) -> Result<Forest> {
    let (d, n) = (prepared.representation.features(), prepared.objective.classes().len());
    Forest::fit(z, d, classes, n, &options(seed))
}

impl Method for RandomForest {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn title(&self) -> &'static str {
        "Random forest"
    }

    /// Where the paper has it explained.
    fn runs_on(&self, dataset: Dataset) -> bool {
        dataset == Dataset::Mnist
    }

    fn ks(&self, _: &[K]) -> Vec<K> {
        vec![K::All]
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        Ok(format!("{:?} {:?}", options(problem.seed), problem.config().representation))
    }

    fn trainings(&self, _: &Problem<'_>, _: &[K]) -> f64 {
        0.1
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        _: &[K],
        _: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let prepared = problem.prepare(problem.config())?;
        let forest = fit(&prepared, &dense_z(&prepared, &problem.train(&prepared))?, problem.seed)?;
        let accuracy = |chunk: Chunk| -> Result<f64> {
            let (z, classes) = dense_z(&prepared, &chunk)?;
            Ok(forest.accuracy(&z, &classes))
        };
        done(Found {
            k: K::All,
            test: accuracy(problem.test(&prepared))?,
            valid: accuracy(problem.valid(&prepared))?,
            configuration: format!("trees={}", options(problem.seed).trees),
            predictor: None,
        })
    }
}
