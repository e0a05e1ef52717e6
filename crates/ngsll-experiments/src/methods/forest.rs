//! The random forest that LIME and KernelSHAP explain in the table of times.

use super::linear::z;
use super::{Done, Method, Outcome};
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::error::Result;
use ngsll::{Dataset, TrainingSetup};
use ngsll_baselines::{Forest, ForestOptions};
use ngsll_jobs::JobProgress;

/// A random forest over all cells of the image.
pub(super) struct RandomForest;

/// z of every sample as `[samples, features]`, and the classes.
pub(crate) fn dense_z(setup: &TrainingSetup, data: &Dataset) -> Result<(Vec<f32>, Vec<usize>)> {
    let (rows, classes) = z(setup, data)?;
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

/// Trains on z, `[samples, features]`, and classes.
pub(crate) fn fit(
    setup: &TrainingSetup,
    (z, classes): &(Vec<f32>, Vec<usize>),
    seed: u64,
) -> Result<Forest> {
    let (d, n) = (setup.representation().features(), setup.objective().classes().len());
    Forest::fit(z, d, classes, n, &options(seed))
}

impl Method for RandomForest {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn title(&self) -> &'static str {
        "Random forest"
    }

    /// Only on the data on which the paper has it explained.
    fn runs_on(&self, dataset: PaperDataset) -> bool {
        dataset == PaperDataset::Mnist
    }

    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String> {
        Ok(format!("{:?} {:?}", options(split.seed), split.config().representation))
    }

    fn trainings(&self, _: &SeededSplit<'_>, _: &[K]) -> f64 {
        0.1
    }

    fn run(
        &self,
        split: &SeededSplit<'_>,
        _: &[K],
        _: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let setup = split.setup(split.config())?;
        let forest = fit(&setup, &dense_z(&setup, &split.train(&setup))?, split.seed)?;
        let accuracy = |data: Dataset| -> Result<f64> {
            let (z, classes) = dense_z(&setup, &data)?;
            Ok(forest.accuracy(&z, &classes))
        };
        done(Outcome {
            k: K::All,
            test: accuracy(split.test(&setup))?,
            valid: accuracy(split.valid(&setup))?,
            configuration: format!("trees={}", ForestOptions::TREES),
            model: None,
        })
    }
}
