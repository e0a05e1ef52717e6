//! The random forest that LIME and KernelSHAP explain in the table of times.

use super::linear::z;
use super::{Done, Method, Outcome};
use crate::pool::JobProgress;
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::data::Chunk;
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll_baselines::{Forest, ForestOptions};

/// A random forest over all cells of the image.
pub(super) struct RandomForest;

/// z of every sample as `[samples, features]`, and the classes.
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

/// Trains on z, `[samples, features]`, and classes.
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

    /// Only where the paper has it explained.
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
        let prepared = split.prepare(split.config())?;
        let forest = fit(&prepared, &dense_z(&prepared, &split.train(&prepared))?, split.seed)?;
        let accuracy = |chunk: Chunk| -> Result<f64> {
            let (z, classes) = dense_z(&prepared, &chunk)?;
            Ok(forest.accuracy(&z, &classes))
        };
        done(Outcome {
            k: K::All,
            test: accuracy(split.test(&prepared))?,
            valid: accuracy(split.valid(&prepared))?,
            configuration: format!("trees={}", options(split.seed).trees),
            predictor: None,
        })
    }
}
