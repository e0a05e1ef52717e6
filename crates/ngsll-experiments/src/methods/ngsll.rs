//! NGSLL, with and without K-HGM.
//!
//! With the gate one model is trained for each K; they share their first stages. Without it (w' = w) a
//! single model is trained with all weights and keeps its K largest only when it is evaluated.

use super::selection::{describe, select, selects, staged};
use super::{Done, Method, Outcome, accuracy, with_all, without_all};
use crate::budget::Budget;
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::error::Result;
use ngsll::generator::{GeneratorConfig, SentenceCnnConfig};
use ngsll::train::{Preset, Stage};
use ngsll::{Config, Model};
use ngsll_jobs::JobProgress;

/// A row of the tables: a generator and its training, with or without the gate.
pub(super) struct Ngsll {
    name: &'static str,
    title: &'static str,
    gate: Gate,
    network: Architecture,
    preset: Preset,
}

/// Whether training has a gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    /// K-HGM.
    KHot,
    /// No gate: every unmasked weight is used.
    Absent,
}

/// The generator's architecture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Architecture {
    /// The library's default for the kind of data.
    Default,
    /// The paper's for text, which reads a sentence as a whole.
    Sentence,
}

/// All variants, in the order of the tables: each with the library's defaults, with the paper's network
/// for text, and with the paper's training schedule.
pub(super) const VARIANTS: [Ngsll; 6] = [
    Ngsll::new("ngsll", "NGSLL", Gate::KHot),
    Ngsll::new("ngsll-sentence", "NGSLL, sentence CNN", Gate::KHot).sentence(),
    Ngsll::new("ngsll-paper", "NGSLL, preset paper", Gate::KHot).paper(),
    Ngsll::new("dense", "NGSLL without K-HGM", Gate::Absent),
    Ngsll::new("dense-sentence", "NGSLL without K-HGM, sentence CNN", Gate::Absent).sentence(),
    Ngsll::new("dense-paper", "NGSLL without K-HGM, preset paper", Gate::Absent).paper(),
];

impl Ngsll {
    const fn new(name: &'static str, title: &'static str, gate: Gate) -> Self {
        Self { name, title, gate, network: Architecture::Default, preset: Preset::Annealed }
    }

    const fn sentence(self) -> Self {
        Self { network: Architecture::Sentence, ..self }
    }

    const fn paper(self) -> Self {
        Self { preset: Preset::Paper, ..self }
    }

    /// The library's defaults with this network and training schedule.
    pub(super) fn config(&self, split: &SeededSplit<'_>) -> Config {
        let mut config = split.config();
        if self.network == Architecture::Sentence {
            config.generator = GeneratorConfig::SentenceCnn(SentenceCnnConfig::default());
        }
        config.training.preset = self.preset;
        config
    }

    /// The stages as this variant trains them: without a gate, the same epochs and learning rates with
    /// a hard gate as large as z, which keeps every weight.
    fn stages(&self, features: usize, stages: Vec<Stage>) -> Vec<Stage> {
        let ungated = |mut stage: Stage| {
            (stage.k, stage.temperature) = (features, 0.0);
            stage
        };
        match self.gate {
            Gate::KHot => stages,
            Gate::Absent => stages.into_iter().map(ungated).collect(),
        }
    }
}

impl Method for Ngsll {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    /// For images the default network is the paper's, and only images have the paper's schedule.
    fn runs_on(&self, dataset: PaperDataset) -> bool {
        let image = dataset == PaperDataset::Mnist;
        match self.network {
            _ if self.preset == Preset::Paper => image,
            Architecture::Sentence => !image,
            Architecture::Default => true,
        }
    }

    /// The paper's table has all variants on images; on text they only accompany NGSLL.
    fn max_seeds(&self, budget: &Budget, dataset: PaperDataset) -> u64 {
        let is_ngsll = (self.gate, self.network) == (Gate::KHot, Architecture::Default);
        if is_ngsll || dataset == PaperDataset::Mnist { u64::MAX } else { budget.variant_seeds }
    }

    /// A gate that keeps all weights is no gate, so K = all belongs to the variant without one.
    fn ks(&self, requested: &[K]) -> Vec<K> {
        match self.gate {
            Gate::KHot => without_all(requested),
            Gate::Absent => with_all(requested),
        }
    }

    /// Without a gate there is one model for every K, stored with K = all.
    fn keeps_model(&self, k: K) -> bool {
        self.gate == Gate::KHot || k == K::All
    }

    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String> {
        let config = self.config(split);
        let schedule = config.stages(1, split.train_size());
        let schedule = match self.gate {
            Gate::KHot => format!("{schedule:?}"),
            // K and temperature of the stages do not matter.
            Gate::Absent => {
                let rates = schedule.iter().map(|s| {
                    format!("{:?} {} {} {}", s.optimizer, s.learning_rate, s.max_epochs, s.patience)
                });
                format!("{:?}", rates.collect::<Vec<_>>())
            }
        };
        Ok(format!("{}{schedule} select={}", config.to_toml()?, selects(split)))
    }

    fn trainings(&self, split: &SeededSplit<'_>, ks: &[K]) -> f64 {
        let first_stage = 0.5;
        let selection = if selects(split) { 4.0 * first_stage } else { 0.0 };
        let models = if self.gate == Gate::KHot { ks.len() as f64 } else { 1.0 };
        selection + first_stage + (1.0 - first_stage) * models
    }

    fn run(
        &self,
        split: &SeededSplit<'_>,
        ks: &[K],
        progress: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let id = (self.name, self.configuration(split)?);
        let config = select(split, id, self.config(split), |d, s| self.stages(d, s), progress)?;
        let configuration = describe(&config);
        let mut setup = split.setup(config.clone())?;
        let features = setup.representation().features();
        if self.gate == Gate::Absent {
            setup = split.setup(staged(config, self.stages(features, setup.stages(1))))?;
        }
        let (valid, test) = (split.valid(&setup), split.test(&setup));
        let outcome = |k: K, model: &Model, top: Option<usize>| -> Result<Outcome> {
            Ok(Outcome {
                k,
                test: accuracy(model, &test, top)?,
                valid: accuracy(model, &valid, top)?,
                configuration: configuration.clone(),
                model: None,
            })
        };
        if self.gate == Gate::KHot {
            let tops: Vec<usize> = ks.iter().filter_map(|k| k.top()).collect();
            return setup.fit_each(&tops, &mut |event| progress.event(event), &mut |fitted| {
                let model = fitted.model;
                let outcome = outcome(K::Top(model.k()), &model, None)?;
                done(Outcome { model: Some(model), ..outcome })
            });
        }
        let model = setup.fit(None, &mut |event| progress.event(event))?.model;
        for &k in ks {
            let outcome = outcome(k, &model, k.top().map(|k| k.min(features)))?;
            let kept = self.keeps_model(k).then(|| model.clone());
            done(Outcome { model: kept, ..outcome })?;
        }
        Ok(())
    }
}
