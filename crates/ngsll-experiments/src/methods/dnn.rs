//! The plain network, which explains nothing.

use super::selection::{CANDIDATES, describe, selects, sized};
use super::{Done, Found, Method};
use crate::pool::Watch;
use crate::problem::Problem;
use crate::store::{Kept, fingerprint};
use crate::{Dataset, K};
use ngsll::Config;
use ngsll::error::Result;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};
use serde::{Deserialize, Serialize};

/// The feature extractor with its last layer straight to the outputs; for text the sentence CNN.
pub(super) struct Dnn;

/// The networks of which the one with the best validation accuracy counts.
pub(super) fn candidates(problem: &Problem<'_>) -> Result<Vec<Config>> {
    let config = problem.config();
    if let GeneratorConfig::TokenContext(ours) = &config.generator {
        // The sentence CNN's own embedding and dropout, and those that NGSLL has.
        let (own, same) = (SentenceCnnConfig::default(), SentenceCnnConfig::from(ours));
        let with = |c| Config { generator: GeneratorConfig::SentenceCnn(c), ..config.clone() };
        return Ok(vec![with(own), with(same)]);
    }
    if selects(problem) {
        return CANDIDATES.iter().map(|&size| sized(&config, size)).collect();
    }
    Ok(vec![config])
}

/// All that a candidate's result depends on besides data and seed.
fn course(problem: &Problem<'_>, config: &Config) -> Result<String> {
    let course = config.training.schedule(1, config.epochs(problem.train_size()))?;
    Ok(format!("{}{course:?}", config.to_toml()?))
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
        let candidates = candidates(problem)?;
        let all = candidates.iter().map(|c| course(problem, c)).collect::<Result<Vec<_>>>()?;
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
        let mut best: Option<Candidate> = None;
        for config in candidates(problem)? {
            let candidate = self.measured(problem, config, watch)?;
            if best.as_ref().is_none_or(|best| candidate.valid > best.valid) {
                best = Some(candidate);
            }
        }
        let found = |Candidate { test, valid, configuration, .. }| Found {
            k: K::All,
            test,
            valid,
            configuration,
            predictor: None,
        };
        best.map(found).map_or(Ok(()), done)
    }
}

/// A network that was trained and measured: kept, so that a stop in a later one does not cost it.
#[derive(Debug, Serialize, Deserialize)]
struct Candidate {
    fingerprint: String,
    configuration: String,
    valid: f64,
    test: f64,
}

impl Kept for Candidate {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

impl Dnn {
    fn measured(
        &self,
        problem: &Problem<'_>,
        config: Config,
        watch: &mut Watch<'_>,
    ) -> Result<Candidate> {
        let seed = problem.seed.to_string();
        let own = course(problem, &config)?;
        let fingerprint = fingerprint(&["candidate", "dnn", &own, &problem.data.digest, &seed]);
        let key = format!("{}-dnn-candidate-seed{seed}", problem.data.dataset);
        if let Some(known) = problem.store.find(&key, &fingerprint) {
            return Ok(known);
        }
        let configuration = describe(&config);
        let prepared = problem.prepare(config)?;
        let (valid, test) = (problem.valid(&prepared), problem.test(&prepared));
        let measured = prepared.black_box(&[&valid, &test], &mut |event| watch.event(event))?;
        let [valid, test] = measured[..] else { unreachable!("one number for each chunk") };
        let candidate = Candidate { fingerprint, configuration, valid, test };
        problem.store.save(&key, &candidate)?;
        Ok(candidate)
    }
}
