//! NGSLL without K-HGM: w' = w in training, the K largest only when it is measured.

use super::network::{Network, Variant};
use super::selection::{self, describe, select};
use super::{Done, Found, Method, accuracy, and_all};
use crate::budget::Budget;
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::train::{Preset, Stage};

/// NGSLL without K-HGM, with a network and a course of training.
pub(super) struct Dense(Variant);

/// The library's defaults.
pub(super) const DEFAULT: Dense = Dense(Variant {
    name: "dense",
    title: "NGSLL without K-HGM",
    network: Network::Default,
    preset: Preset::Annealed,
});
/// The paper's network for text.
pub(super) const SENTENCE: Dense = Dense(Variant {
    name: "dense-sentence",
    title: "NGSLL without K-HGM, sentence CNN",
    network: Network::Sentence,
    preset: Preset::Annealed,
});
/// The paper's course of training.
pub(super) const PAPER: Dense = Dense(Variant {
    name: "dense-paper",
    title: "NGSLL without K-HGM, preset paper",
    network: Network::Default,
    preset: Preset::Paper,
});

/// The same epochs and learning rates with every unmasked weight kept: a hard gate as large as z is none.
fn ungated(prepared: &Prepared, stages: Vec<Stage>) -> Vec<Stage> {
    let k = prepared.representation.features();
    stages.into_iter().map(|stage| Stage { k, temperature: 0.0, ..stage }).collect()
}

impl Method for Dense {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn title(&self) -> &'static str {
        self.0.title
    }

    fn runs_on(&self, dataset: Dataset) -> bool {
        self.0.runs_on(dataset)
    }

    fn most_seeds(&self, budget: &Budget, dataset: Dataset) -> u64 {
        // On images the paper's table has it, on text it is a line beside NGSLL's.
        if dataset == Dataset::Mnist { u64::MAX } else { budget.variant_seeds }
    }

    fn ks(&self, asked: &[K]) -> Vec<K> {
        // All is what was trained; the model is kept with it.
        and_all(asked)
    }

    fn keeps_model(&self, k: K) -> bool {
        k == K::All
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        let config = self.0.config(problem);
        let course = config.training.schedule(1, config.epochs(problem.train_size()))?;
        let rates: Vec<String> = course
            .iter()
            .map(|s| {
                format!("{:?} {} {} {}", s.optimiser, s.learning_rate, s.max_epochs, s.patience)
            })
            .collect();
        Ok(format!("{}{rates:?} select={}", config.to_toml()?, selection::selects(problem)))
    }

    fn trainings(&self, problem: &Problem<'_>, _: &[K]) -> f64 {
        if selection::selects(problem) { 3.0 } else { 1.0 }
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        ks: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let own = (self.0.name, self.configuration(problem)?);
        let config = select(problem, own, self.0.config(problem), ungated, watch)?;
        let mut prepared = problem.prepare(config)?;
        let stages = ungated(&prepared, prepared.stages()?);
        let features = prepared.representation.features();
        prepared.config.k = features;
        prepared.config.training.stages = Some(stages);
        let predictor = prepared.fit(None, &mut |event| watch.event(event))?.predictor;
        let (valid, test) = (problem.valid(&prepared), problem.test(&prepared));
        for &k in ks {
            let top = if let K::Top(k) = k { Some(k.min(features)) } else { None };
            done(Found {
                k,
                test: accuracy(&predictor, &test, top)?,
                valid: accuracy(&predictor, &valid, top)?,
                configuration: describe(&prepared.config),
                predictor: self.keeps_model(k).then(|| predictor.clone()),
            })?;
        }
        Ok(())
    }
}
