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

/// The networks of which the one with the best validation accuracy counts.
fn candidates(problem: &Problem<'_>) -> Result<Vec<Config>> {
    let config = problem.config();
    if let GeneratorConfig::TokenContext(ours) = &config.generator {
        // The sentence CNN's own sizes, and those that NGSLL has.
        let own = SentenceCnnConfig::default();
        let (filters, units) = (ours.filters, ours.units);
        let (embedding, dropout) = (ours.embedding, ours.dropout);
        let same = SentenceCnnConfig { embedding, filters, units, dropout, ..own.clone() };
        let with = |c| Config { generator: GeneratorConfig::SentenceCnn(c), ..config.clone() };
        return Ok(vec![with(own), with(same)]);
    }
    if selects(problem) {
        return CANDIDATES.iter().map(|&size| sized(&config, size)).collect();
    }
    Ok(vec![config])
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
        let describe = |config: Config| -> Result<String> {
            let course = config.training.schedule(1, config.epochs(problem.train_size()))?;
            Ok(format!("{}{course:?}", config.to_toml()?))
        };
        let all = candidates(problem)?.into_iter().map(describe).collect::<Result<Vec<_>>>()?;
        Ok(all.join("\n"))
    }

    fn trainings(&self, problem: &Problem<'_>, _: &[K]) -> f64 {
        candidates(problem).map_or(1.0, |all| all.len() as f64)
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        _: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let mut best: Option<Found> = None;
        for config in candidates(problem)? {
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
