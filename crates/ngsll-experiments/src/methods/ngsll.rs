//! NGSLL: one model for each K, whose first stages are shared.

use super::network::{Network, Variant};
use super::selection::{self, describe, select};
use super::{Done, Found, Method, accuracy};
use crate::budget::Budget;
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::Config;
use ngsll::error::Result;
use ngsll::train::Preset;

/// NGSLL with a network and a course of training.
pub(super) struct Ngsll(Variant);

/// The library's defaults.
pub(super) const DEFAULT: Ngsll = Ngsll(Variant {
    name: "ngsll",
    title: "NGSLL",
    network: Network::Default,
    preset: Preset::Annealed,
});
/// The paper's network for text.
pub(super) const SENTENCE: Ngsll = Ngsll(Variant {
    name: "ngsll-sentence",
    title: "NGSLL, sentence CNN",
    network: Network::Sentence,
    preset: Preset::Annealed,
});
/// The paper's course of training.
pub(super) const PAPER: Ngsll = Ngsll(Variant {
    name: "ngsll-paper",
    title: "NGSLL, preset paper",
    network: Network::Default,
    preset: Preset::Paper,
});

impl Ngsll {
    pub(super) fn config(&self, problem: &Problem<'_>) -> Config {
        self.0.config(problem)
    }
}

impl Method for Ngsll {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn title(&self) -> &'static str {
        self.0.title
    }

    fn runs_on(&self, dataset: Dataset) -> bool {
        self.0.runs_on(dataset)
    }

    fn most_seeds(&self, budget: &Budget, _: Dataset) -> u64 {
        match self.0.network {
            Network::Default => u64::MAX,
            Network::Sentence => budget.variant_seeds,
        }
    }

    /// A gate that keeps all weights is no gate: K = all is the method without it.
    fn ks(&self, asked: &[K]) -> Vec<K> {
        asked.iter().copied().filter(|k| *k != K::All).collect()
    }

    fn keeps_model(&self, _: K) -> bool {
        true
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        let config = self.config(problem);
        let epochs = config.epochs(problem.train_size());
        let course = config.training.schedule(1, epochs)?;
        Ok(format!("{}{course:?} select={}", config.to_toml()?, selection::selects(problem)))
    }

    fn trainings(&self, problem: &Problem<'_>, ks: &[K]) -> f64 {
        let coarse = 0.5;
        let selection = if selection::selects(problem) { 4.0 * coarse } else { 0.0 };
        selection + coarse + (1.0 - coarse) * ks.len() as f64
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        ks: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let own = (self.0.name, self.configuration(problem)?);
        let config = select(problem, own, self.config(problem), |_, stages| stages, watch)?;
        let tops: Vec<usize> =
            ks.iter().filter_map(|k| if let K::Top(k) = k { Some(*k) } else { None }).collect();
        let prepared = problem.prepare(config)?;
        let (valid, test) = (problem.valid(&prepared), problem.test(&prepared));
        prepared.fit_each(&tops, &mut |event| watch.event(event), &mut |fitted| {
            let predictor = fitted.predictor;
            done(Found {
                k: K::Top(predictor.k()),
                test: accuracy(&predictor, &test, None)?,
                valid: accuracy(&predictor, &valid, None)?,
                configuration: describe(&prepared.config),
                predictor: Some(predictor),
            })
        })
    }
}
