//! A trained model: reads samples as the user has them and answers in plain numbers.

mod passes;
mod scoring;
mod terms;

pub(crate) use passes::in_passes;
pub(crate) use scoring::Scored;

use crate::config::Config;
use crate::dataset::{Dataset, Samples};
use crate::drift::DataSummary;
use crate::error::{Error, Result};
use crate::evidence::choice::Rule;
use crate::evidence::{Choice, Evidence};
use crate::explanation::Explanation;
use crate::generator::{Activations, BuiltIn, Generator};
use crate::judge::Judge;
use crate::metrics::{Evaluation, Metrics, k_grid};
use crate::model_folder::Notes;
use crate::network::Network;
use crate::objective::Objective;
use crate::prediction::Prediction;
use crate::representation::{Representation, SampleView, Schema};
use crate::trust::Trust;
use burn::module::Module;
use burn::tensor::Device;
use std::sync::Arc;

/// The most terms that [`Model::smallest_sufficient_k`] tries: an explanation with more is not readable.
const MOST_TERMS: usize = 30;

/// A trained model with everything that prediction needs.
#[derive(Debug, Clone)]
pub struct Model<G: Generator = BuiltIn> {
    config: Config,
    representation: Representation,
    objective: Objective,
    network: Network<G>,
    device: Device,
    evidence: Evidence,
    choice: Choice,
    activations: Activations,
    notes: Notes,
    judge: Option<Arc<Judge>>,
    /// By ascending K.
    trust: Vec<Trust>,
    summary: Option<Arc<DataSummary>>,
}

impl Model {
    /// The number of samples in one pass through the network. A program that collects samples before it requests
    /// predictions, such as a server, fills a pass with this many; further passes run in parallel.
    pub const BATCH: usize = 16;
}

impl<G: Generator> Model<G> {
    /// Wraps a trained network (on a device with or without autodiff) for prediction on its device.
    pub(crate) fn new(
        config: Config,
        representation: Representation,
        objective: Objective,
        network: Network<G>,
        device: &Device,
    ) -> Self {
        let trained = network.devices().first().is_some_and(Device::is_autodiff);
        let network = if trained { network.valid() } else { network };
        let evidence = config.training.evidence();
        let (network, device) = match evidence {
            Evidence::Whole => (network, device.clone()),
            // The choice needs gradients, but not those of the weights.
            Evidence::Chosen => (network.train().no_grad(), device.clone().autodiff()),
        };
        let mut choice = config.choice.unwrap_or_else(|| representation.choice());
        if choice.rule == Rule::Effect && !network.knows_importance() {
            // Texts, images, and tables of older models.
            choice.rule = Rule::Halving;
        }
        let dims = representation.dims(objective.outputs(), evidence);
        let activations = Activations::new(&config.generator, &dims);
        Self {
            config,
            representation,
            objective,
            network,
            device,
            evidence,
            choice,
            activations,
            notes: Notes::default(),
            judge: None,
            trust: Vec::new(),
            summary: None,
        }
    }

    /// The options of its training.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its representation of samples.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// Its objective: the classes or the number that it predicts.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The network.
    pub fn network(&self) -> &Network<G> {
        &self.network
    }

    /// Notes about its training.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Returns the model with other notes, which are saved with it.
    pub fn with_notes(self, notes: Notes) -> Self {
        Self { notes, ..self }
    }

    /// The evidence of its predictions.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Returns the model with another rule for choosing features. Figures measured of its terms no longer apply, and
    /// monotone columns are monotone only where all columns are terms: other rules than
    /// [`Rule::Effect`] may choose others as a value rises.
    pub fn with_choice(self, choice: Choice) -> Self {
        Self { choice, trust: Vec::new(), ..self }
    }

    /// Returns the model with another threshold of its two classes: [`Objective::with_threshold`]. Figures
    /// measured of its terms no longer apply.
    pub fn with_threshold(self, threshold: f64) -> Result<Self> {
        let objective = self.objective.with_threshold(threshold)?;
        let judge = self.judge.map(|judge| Arc::new(judge.with_objective(objective.clone())));
        Ok(Self { objective, judge, trust: Vec::new(), ..self })
    }

    /// Returns the model with all terms multiplied by a number.
    pub(crate) fn with_scale(self, scale: f64) -> Self {
        let network = self.network.with_scale(scale as f32, &self.device);
        Self { network, ..self }
    }

    /// Returns the model with another correction of values whose logarithms it predicts.
    pub(crate) fn with_correction(self, by: f64) -> Self {
        Self { objective: self.objective.with_correction(by), ..self }
    }

    /// The judge that measures how far its terms can be trusted, if there is one.
    pub fn judge(&self) -> Option<&Judge> {
        self.judge.as_deref()
    }

    /// Returns the model with a judge, which is saved with it. Figures measured by another judge are dropped.
    pub fn with_judge(self, judge: Judge) -> Self {
        Self { judge: Some(Arc::new(judge)), trust: Vec::new(), ..self }
    }

    /// Figures of its terms, by ascending K; empty if none were measured.
    pub fn trust(&self) -> &[Trust] {
        &self.trust
    }

    /// The figures of its terms with K = `k`, or with the closest K that was measured.
    pub fn trust_near(&self, k: usize) -> Option<&Trust> {
        self.trust.iter().min_by_key(|trust| trust.k.abs_diff(k))
    }

    /// Returns the model with figures of its terms, which are saved with it; those for the same K are replaced.
    pub fn with_trust(mut self, trust: Trust) -> Self {
        trust.keep_in(&mut self.trust);
        self
    }

    /// Counts over the training data, if they were kept.
    pub fn summary(&self) -> Option<&DataSummary> {
        self.summary.as_deref()
    }

    /// Returns the model with counts over its training data, which are saved with it.
    pub fn with_summary(self, summary: Option<DataSummary>) -> Self {
        Self { summary: summary.map(Arc::new), ..self }
    }

    /// The number of trained parameters.
    pub fn parameters(&self) -> usize {
        self.network.num_params()
    }

    /// The default K.
    pub fn k(&self) -> usize {
        self.config.k.min(self.largest_k())
    }

    /// The largest K that can be requested: every feature or, if a gate was trained, its K.
    pub fn largest_k(&self) -> usize {
        match self.evidence {
            Evidence::Chosen => self.representation.features(),
            Evidence::Whole => self.config.k,
        }
    }

    /// The form of the samples that it reads.
    pub fn schema(&self) -> Schema {
        self.representation.schema()
    }

    /// Sample `row` as a person sees it; `None` if the samples are not of the kind that the model
    /// reads.
    pub fn view(&self, samples: impl AsRef<Samples>, row: usize) -> Option<SampleView> {
        self.representation.view(samples.as_ref(), row)
    }

    /// Predicts every sample, without building terms.
    pub fn predict(&self, samples: impl AsRef<Samples>) -> Result<Vec<Prediction>> {
        self.predict_with(samples, None)
    }

    /// Predicts every sample with at most `k` terms per score, `k` up to [`Model::largest_k`].
    pub fn predict_with(
        &self,
        samples: impl AsRef<Samples>,
        k: Option<usize>,
    ) -> Result<Vec<Prediction>> {
        let outputs = self.objective.outputs();
        self.batches(samples.as_ref(), k, |_, _, scored| {
            let scores = scored.scores.chunks_exact(outputs);
            scores.map(|scores| self.objective.prediction(scores)).collect()
        })
    }

    /// The scores of every sample with at most `k` terms each, in the user's units: the input of
    /// [`Objective::prediction`].
    pub fn scores_with(
        &self,
        samples: impl AsRef<Samples>,
        k: Option<usize>,
    ) -> Result<Vec<Vec<f64>>> {
        let outputs = self.objective.outputs();
        self.batches(samples.as_ref(), k, |_, _, scored| {
            scored.scores.chunks_exact(outputs).map(<[f64]>::to_vec).collect()
        })
    }

    /// Predicts and explains every sample.
    pub fn explain(&self, samples: impl AsRef<Samples>) -> Result<Vec<Explanation>> {
        self.explain_with(samples, None)
    }

    /// Predicts and explains every sample with at most `k` terms per score, `k` up to [`Model::largest_k`].
    pub fn explain_with(
        &self,
        samples: impl AsRef<Samples>,
        k: Option<usize>,
    ) -> Result<Vec<Explanation>> {
        let samples = samples.as_ref();
        self.batches(samples, k, |rows, intercepts, scored| {
            let explain = |b: usize| self.explanation(samples, rows[b], intercepts, scored, b);
            (0..rows.len()).map(explain).collect()
        })
    }

    /// The metrics of its predictions of labelled samples.
    pub fn evaluate(&self, data: &Dataset) -> Result<Metrics> {
        let mut evaluation = Evaluation::new(self, None)?;
        evaluation.add(data)?;
        Ok(evaluation.finish())
    }

    /// The smallest K, up to thirty, whose loss on labelled samples is within a hundredth of the best;
    /// for models trained with a fixed K, that K.
    pub fn smallest_sufficient_k(&self, data: &Dataset) -> Result<usize> {
        if self.evidence == Evidence::Whole {
            return Ok(self.k());
        }
        let targets = self.objective.targets(data)?;
        let losses = k_grid(self.largest_k().min(MOST_TERMS)).into_iter().map(|k| {
            let scores = self.scores_with(data, Some(k))?;
            let losses =
                scores.iter().enumerate().map(|(i, s)| self.objective.loss(s, &targets, i));
            Ok((k, losses.sum::<f64>()))
        });
        let losses: Vec<(usize, f64)> = losses.collect::<Result<_>>()?;
        let best = losses.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
        let enough = losses.iter().find(|(_, loss)| *loss <= best * 1.01);
        Ok(enough.map_or(self.k(), |(k, _)| *k))
    }

    /// Returns the model with another default K.
    pub fn with_k(mut self, k: usize) -> Result<Self> {
        self.config.k = self.check_k(Some(k))?;
        Ok(self)
    }

    /// Validates a requested K; the default is the model's.
    pub fn check_k(&self, k: Option<usize>) -> Result<usize> {
        match k {
            Some(k) if k == 0 || k > self.largest_k() => {
                let why = match self.evidence {
                    Evidence::Chosen => "the number of features",
                    Evidence::Whole => "the K that this model was trained with",
                };
                let expected = format!("K must be from 1 to {}, {why}", self.largest_k());
                Err(Error::setting("k", k, expected))
            }
            k => Ok(k.unwrap_or(self.k())),
        }
    }

    /// The rule by which it chooses features.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Whether the network sees only the chosen features.
    pub(crate) fn sees_chosen_only(&self) -> bool {
        self.evidence == Evidence::Chosen
    }
}
