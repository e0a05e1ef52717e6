//! The plain network, which gives no explanations.

use super::selection::{CANDIDATES, describe, selects, sized};
use super::{Done, Method, Outcome};
use crate::split::SeededSplit;
use crate::store::fingerprint;
use crate::{K, PaperDataset};
use ngsll::Config;
use ngsll::error::Result;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};
use ngsll_jobs::JobProgress;
use serde::{Deserialize, Serialize};

/// The generator's feature extractor, whose last layer gives the class scores; for text the sentence CNN.
pub(super) struct Dnn;

/// The networks among which validation accuracy selects.
pub(super) fn candidates(split: &SeededSplit<'_>) -> Result<Vec<Config>> {
    let config = split.config();
    if let GeneratorConfig::TokenContext(ours) = &config.generator {
        // The sentence CNN's own embedding and dropout, and those of NGSLL.
        let (own, same) = (SentenceCnnConfig::default(), SentenceCnnConfig::from(ours));
        let with = |sizes| {
            let mut config = config.clone();
            config.generator = GeneratorConfig::SentenceCnn(sizes);
            config
        };
        return Ok(vec![with(own), with(same)]);
    }
    if selects(split) {
        return Ok(CANDIDATES.iter().map(|&size| sized(&config, size)).collect());
    }
    Ok(vec![config])
}

/// Everything a candidate's result depends on besides data and seed.
fn configuration(split: &SeededSplit<'_>, config: &Config) -> Result<String> {
    let schedule = config.stages(1, split.train_size());
    Ok(format!("{}{schedule:?}", config.to_toml()?))
}

impl Method for Dnn {
    fn name(&self) -> &'static str {
        "dnn"
    }

    fn title(&self) -> &'static str {
        "DNN"
    }

    fn runs_on(&self, _: PaperDataset) -> bool {
        true
    }

    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String> {
        let candidates = candidates(split)?;
        let all = candidates.iter().map(|c| configuration(split, c)).collect::<Result<Vec<_>>>()?;
        Ok(all.join("\n"))
    }

    fn trainings(&self, split: &SeededSplit<'_>, _: &[K]) -> f64 {
        candidates(split).map_or(1.0, |all| all.len() as f64)
    }

    fn run(
        &self,
        split: &SeededSplit<'_>,
        _: &[K],
        progress: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let mut best: Option<Candidate> = None;
        for config in candidates(split)? {
            let candidate = evaluated(split, config, progress)?;
            if best.as_ref().is_none_or(|best| candidate.valid > best.valid) {
                best = Some(candidate);
            }
        }
        let outcome = |Candidate { configuration, valid, test }| Outcome {
            k: K::All,
            test,
            valid,
            configuration,
            model: None,
        };
        best.map(outcome).map_or(Ok(()), done)
    }
}

/// A trained and evaluated network; stored, so that stopping during a later one does not lose it.
#[derive(Debug, Serialize, Deserialize)]
struct Candidate {
    configuration: String,
    valid: f64,
    test: f64,
}

/// Trains and evaluates a candidate, unless its result is stored.
fn evaluated(
    split: &SeededSplit<'_>,
    config: Config,
    progress: &mut JobProgress<'_>,
) -> Result<Candidate> {
    let seed = split.seed.to_string();
    let own = configuration(split, &config)?;
    let fingerprint = fingerprint(&["candidate", "dnn", &own, &split.data.digest, &seed]);
    let key = format!("{}-dnn-candidate-seed{seed}", split.data.dataset);
    if let Some(known) = split.store.find(&key, &fingerprint) {
        return Ok(known);
    }
    let configuration = describe(&config);
    let setup = split.setup(config)?;
    let network = setup.fit_plain_network(&mut |event| progress.event(event))?;
    let accuracy = |data| -> Result<f64> {
        Ok(network.quality(&data)?.accuracy.expect("the paper's data sets have classes"))
    };
    let (valid, test) = (accuracy(split.valid(&setup))?, accuracy(split.test(&setup))?);
    let candidate = Candidate { configuration, valid, test };
    split.store.save(&key, &fingerprint, &candidate)?;
    Ok(candidate)
}
