//! The plain network, which explains nothing.

use super::selection::{CANDIDATES, describe, selects, sized};
use super::{Done, Found, Method};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::Config;
use ngsll::error::Result;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};

/// The feature extractor with its last layer straight to the outputs; for text the sentence CNN.
pub(super) struct Dnn;

fn config(problem: &Problem<'_>) -> Config {
    let mut config = problem.config();
    if problem.data.dataset != Dataset::Mnist {
        config.generator = GeneratorConfig::SentenceCnn(SentenceCnnConfig::default());
    }
    config
}

impl Method for Dnn {
    fn name(&self) -> &'static str {
        "dnn"
    }

    fn title(&self) -> &'static str {
        "DNN"
    }

    fn runs_on(&self, _: Dataset) -> bool {
        true
    }

    fn ks(&self, _: &[K]) -> Vec<K> {
        vec![K::All]
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        let config = config(problem);
        let course = config.training.schedule(1, config.epochs(problem.train_size()))?;
        Ok(format!("{}{course:?} select={}", config.to_toml()?, selects(problem)))
    }

    fn trainings(&self, problem: &Problem<'_>, _: &[K]) -> f64 {
        if selects(problem) { CANDIDATES.len() as f64 } else { 1.0 }
    }

    /// Of several L and U the network with the best validation accuracy counts.
    fn run(
        &self,
        problem: &Problem<'_>,
        _: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let config = config(problem);
        let candidates = if selects(problem) {
            CANDIDATES.iter().map(|&size| sized(&config, size)).collect::<Result<Vec<_>>>()?
        } else {
            vec![config]
        };
        let mut best: Option<Found> = None;
        for config in candidates {
            let configuration = describe(&config);
            let prepared = problem.prepare(config)?;
            let (valid, test) = (problem.valid(&prepared), problem.test(&prepared));
            let measured = prepared.black_box(&[&valid, &test], &mut |event| watch.event(event))?;
            let [valid, test] = measured[..] else { unreachable!("one number for each chunk") };
            if best.as_ref().is_none_or(|best| valid > best.valid) {
                best = Some(Found { k: K::All, test, valid, configuration, predictor: None });
            }
        }
        best.map_or(Ok(()), done)
    }
}
