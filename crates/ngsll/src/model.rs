//! A trained model: reads samples as the user has them and answers in plain numbers.

use crate::config::Config;
use crate::dataset::{Dataset, Samples};
use crate::drift::DataSummary;
use crate::error::{Error, Result};
use crate::evidence::choice::{Rule, choose};
use crate::evidence::{Choice, Evidence, subsets};
use crate::explanation::{Explanation, ScoreExplanation, Term};
use crate::generator::{BuiltIn, Dropout, Generator};
use crate::judge::Judge;
use crate::metrics::{Evaluation, Metrics, k_grid};
use crate::model_folder::Notes;
use crate::network::{Gating, Network};
use crate::objective::Objective;
use crate::prediction::Prediction;
use crate::representation::{Batch, Encoded, Representation, SampleView, Schema};
use crate::trust::Trust;
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;
use std::sync::Arc;

/// Samples that go through the network together: few, so that what lies between its layers stays in
/// cache and each thread has batches of its own.
const BATCH: usize = Model::BATCH;

/// More terms than this are no explanation.
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
    notes: Notes,
    judge: Option<Arc<Judge>>,
    /// By ascending K.
    trust: Vec<Trust>,
    summary: Option<Arc<DataSummary>>,
}

impl Model {
    /// Samples that go through the network together. A program that collects samples before it asks for
    /// their predictions, as a server does, fills a pass with this many; more go side by side.
    pub const BATCH: usize = 16;
}

/// A batch that went through the network.
struct ScoredBatch {
    batch: Batch,
    /// w': [batch, outputs, slots]
    sparse_weights: Tensor<3>,
    /// The same on the host.
    weights: Vec<f32>,
    /// 1 where a feature was chosen: [batch, features]; `None` where the gate chose by weight.
    kept: Option<Vec<f32>>,
    /// intercept + Σ w'_j z_j in the user's units, summed in f64 so that the sum is exact however large
    /// the units are: [batch, outputs]
    scores: Vec<f64>,
}

/// Scores of many samples and what they are made of, for metrics; no terms are built.
pub(crate) struct Scored {
    /// The scores of each sample, in the user's units.
    pub scores: Vec<Vec<f64>>,
    /// How many features each score uses.
    pub features: Vec<usize>,
    /// The largest difference between a score as the sum of its terms and the network's own forward
    /// pass, in the user's units.
    pub difference: f64,
}

impl Scored {
    fn join(parts: Vec<Self>) -> Self {
        let mut all = Self { scores: Vec::new(), features: Vec::new(), difference: 0.0 };
        for part in parts {
            all.scores.extend(part.scores);
            all.features.extend(part.features);
            all.difference = all.difference.max(part.difference);
        }
        all
    }
}

impl<G: Generator> Model<G> {
    /// Puts a trained network (on a device with or without autodiff) into service on its device.
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
            // The choice asks for gradients, but not for those of the weights.
            Evidence::Chosen => (network.train().no_grad(), device.clone().autodiff()),
        };
        let mut choice = config.choice.unwrap_or_else(|| representation.choice());
        if choice.rule == Rule::Effect && !network.knows_importance() {
            // Texts, images, and tables of older models.
            choice.rule = Rule::Halving;
        }
        Self {
            config,
            representation,
            objective,
            network,
            device,
            evidence,
            choice,
            notes: Notes::default(),
            judge: None,
            trust: Vec::new(),
            summary: None,
        }
    }

    /// The options it was trained with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How it reads samples.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// What it predicts.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The network.
    pub fn network(&self) -> &Network<G> {
        &self.network
    }

    /// What is known about its making.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The same model with other notes, which are saved with it.
    pub fn with_notes(self, notes: Notes) -> Self {
        Self { notes, ..self }
    }

    /// What the network that weighs the terms has seen.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// The same model with features chosen by another rule. What was measured of its terms holds no longer, and
    /// monotone columns are monotone only where all columns are terms: other rules than
    /// [`Rule::Effect`] may choose others as a value rises.
    pub fn with_choice(self, choice: Choice) -> Self {
        Self { choice, trust: Vec::new(), ..self }
    }

    /// The same model with another threshold of its two classes: [`Objective::with_threshold`]. What was
    /// measured of its terms holds no longer.
    pub fn with_threshold(self, threshold: f64) -> Result<Self> {
        let objective = self.objective.with_threshold(threshold)?;
        let judge = self.judge.map(|judge| Arc::new(judge.with_objective(objective.clone())));
        Ok(Self { objective, judge, trust: Vec::new(), ..self })
    }

    /// The same model with all its terms multiplied by a number.
    pub(crate) fn with_scale(self, scale: f64) -> Self {
        let network = self.network.with_scale(scale as f32, &self.device);
        Self { network, ..self }
    }

    /// The same model with another correction of values whose logarithms it predicts.
    pub(crate) fn with_correction(self, by: f64) -> Self {
        Self { objective: self.objective.with_correction(by), ..self }
    }

    /// The judge that says how far its terms can be trusted, where there is one.
    pub fn judge(&self) -> Option<&Judge> {
        self.judge.as_deref()
    }

    /// The same model with a judge, which is saved with it. What another judge has measured is dropped.
    pub fn with_judge(self, judge: Judge) -> Self {
        Self { judge: Some(Arc::new(judge)), trust: Vec::new(), ..self }
    }

    /// What was measured of its terms, by ascending K; nothing where nobody has measured.
    pub fn trust(&self) -> &[Trust] {
        &self.trust
    }

    /// What was measured of its terms with K = `k`, or with the K next to it where there is none.
    pub fn trust_near(&self, k: usize) -> Option<&Trust> {
        self.trust.iter().min_by_key(|trust| trust.k.abs_diff(k))
    }

    /// The same model with figures of its terms, which are saved with it; those for the same K are replaced.
    pub fn with_trust(mut self, trust: Trust) -> Self {
        trust.keep_in(&mut self.trust);
        self
    }

    /// What training saw, in counts, where that was kept.
    pub fn summary(&self) -> Option<&DataSummary> {
        self.summary.as_deref()
    }

    /// The same model with what training saw, which is saved with it.
    pub fn with_summary(self, summary: Option<DataSummary>) -> Self {
        Self { summary: summary.map(Arc::new), ..self }
    }

    /// How many numbers were trained.
    pub fn parameters(&self) -> usize {
        self.network.num_params()
    }

    /// K unless another is asked for.
    pub fn k(&self) -> usize {
        self.config.k.min(self.largest_k())
    }

    /// The largest K that can be asked for: every feature or, where a gate was trained, its K.
    pub fn largest_k(&self) -> usize {
        match self.evidence {
            Evidence::Chosen => self.representation.features(),
            Evidence::Whole => self.config.k,
        }
    }

    /// What a sample has to look like.
    pub fn schema(&self) -> Schema {
        self.representation.schema()
    }

    /// Sample `row` as a person sees it; `None` where the samples are not of the kind that the model
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

    /// The scores of every sample with at most `k` terms each, in the user's units: what
    /// [`Objective::prediction`] reads.
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

    /// How good its predictions of labelled samples are.
    pub fn evaluate(&self, data: &Dataset) -> Result<Metrics> {
        let mut evaluation = Evaluation::new(self, None)?;
        evaluation.add(data)?;
        Ok(evaluation.finish())
    }

    /// The smallest K whose loss on labelled samples is within a hundredth of the best, K going up to
    /// thirty; for models whose K was trained, that one.
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

    /// The same model with another K unless another is asked for.
    pub fn with_k(mut self, k: usize) -> Result<Self> {
        self.config.k = self.check_k(Some(k))?;
        Ok(self)
    }

    /// The K to use: the trained one, or a smaller one on request.
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

    /// The scores of every sample, compared with the network's own forward pass.
    pub(crate) fn score(&self, samples: &Samples, k: Option<usize>) -> Result<Scored> {
        let parts = self.batches(samples, k, |_, _, scored| vec![self.compared(scored)])?;
        Ok(Scored::join(parts))
    }

    /// The same with the explanations, from one pass through the network.
    pub(crate) fn score_and_explain(
        &self,
        samples: &Samples,
        k: Option<usize>,
    ) -> Result<(Scored, Vec<Explanation>)> {
        let parts = self.batches(samples, k, |rows, intercepts, scored| {
            let explain = |b: usize| self.explanation(samples, rows[b], intercepts, scored, b);
            let explanations: Vec<Explanation> = (0..rows.len()).map(explain).collect();
            vec![(self.compared(scored), explanations)]
        })?;
        let (scored, explanations): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((Scored::join(scored), explanations.into_iter().flatten().collect()))
    }

    /// How its features are chosen.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Whether the network sees nothing but the chosen features.
    pub(crate) fn sees_chosen_only(&self) -> bool {
        self.evidence == Evidence::Chosen
    }

    /// The scores of encoded samples, in the user's units: from the given features of each alone or,
    /// without them, as the model predicts with K = `k`.
    pub(crate) fn score_encoded(
        &self,
        encoded: &Encoded,
        kept: Option<&[Vec<usize>]>,
        k: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let outputs = self.objective.outputs();
        self.encoded_batches(encoded, kept, k, |_, _, scored| {
            scored.scores.chunks_exact(outputs).map(<[f64]>::to_vec).collect()
        })
    }

    /// The features that the scores of encoded samples use with K = `k`.
    pub(crate) fn chosen_features(&self, encoded: &Encoded, k: usize) -> Result<Vec<Vec<usize>>> {
        self.encoded_batches(encoded, None, k, |rows, _, scored| {
            let (batch, outputs) = (&scored.batch, self.objective.outputs());
            let uses = |b: usize, slot: usize| match &scored.kept {
                Some(kept) => kept[b * batch.features() + slot] != 0.0,
                None => (0..outputs)
                    .any(|c| scored.weights[(b * outputs + c) * batch.active.slots + slot] != 0.0),
            };
            let chosen = |b: usize| {
                let slots = (0..batch.listed(b)).filter(|&slot| uses(b, slot));
                slots.map(|slot| batch.feature_at(b, slot)).collect()
            };
            (0..rows.len()).map(chosen).collect()
        })
    }

    /// A batch's scores, compared with the network's own forward pass.
    fn compared(&self, scored: &ScoredBatch) -> Scored {
        let (factor, offset) = self.objective.units();
        let forward = self.network.scores(&scored.batch, scored.sparse_weights.clone()).into_data();
        let pairs = scored.scores.iter().zip(forward.iter::<f64>());
        let difference = pairs.map(|(sum, own)| (sum - (own * factor + offset)).abs());
        let used = |marks: &[f32]| marks.iter().filter(|mark| **mark != 0.0).count();
        let outputs = self.objective.outputs();
        let features = match &scored.kept {
            None => scored.weights.chunks_exact(scored.batch.active.slots).map(used).collect(),
            Some(kept) => {
                let samples = kept.chunks_exact(scored.batch.features()).map(used);
                samples.flat_map(|used| std::iter::repeat_n(used, outputs)).collect()
            }
        };
        Scored {
            scores: scored.scores.chunks_exact(outputs).map(<[f64]>::to_vec).collect(),
            features,
            difference: difference.fold(0.0, f64::max),
        }
    }

    /// Sends the samples through the network in small batches and puts together what `read` makes of
    /// each, given its rows and the intercepts.
    fn batches<T: Send>(
        &self,
        samples: &Samples,
        k: Option<usize>,
        read: impl Fn(&[usize], &[f64], &ScoredBatch) -> Vec<T> + Sync,
    ) -> Result<Vec<T>> {
        let k = self.check_k(k)?;
        self.encoded_batches(&self.representation.encode(samples)?, None, k, read)
    }

    /// The same for encoded samples; where `kept` is given, from those features of each alone.
    fn encoded_batches<T: Send>(
        &self,
        encoded: &Encoded,
        kept: Option<&[Vec<usize>]>,
        k: usize,
        read: impl Fn(&[usize], &[f64], &ScoredBatch) -> Vec<T> + Sync,
    ) -> Result<Vec<T>> {
        let intercepts = self.network.intercepts();
        let rows: Vec<usize> = (0..encoded.len()).collect();
        // A single batch is not split, and stays on this thread.
        let batch = |rows: &[usize]| -> Result<Vec<T>> {
            let batch = self.representation.batch(encoded, rows, &self.device);
            let kept = match (self.evidence, kept) {
                (Evidence::Whole, _) => None,
                (Evidence::Chosen, Some(kept)) => {
                    Some(batch.marks(rows.iter().map(|&r| &kept[r][..])))
                }
                (Evidence::Chosen, None) => Some(choose(&self.network, &batch, k, self.choice)?),
            };
            Ok(read(rows, &intercepts, &self.score_batch(batch, &intercepts, k, kept)?))
        };
        let parts: Vec<Vec<T>> = rows.par_chunks(BATCH).map(batch).collect::<Result<_>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn score_batch(
        &self,
        batch: Batch,
        intercepts: &[f64],
        k: usize,
        kept: Option<Vec<f32>>,
    ) -> Result<ScoredBatch> {
        let gating = match &kept {
            None => Gating::Hard { k },
            Some(kept) => {
                let kept = subsets::tensor(kept.clone(), batch.features(), &self.device);
                Gating::Evidence { kept }
            }
        };
        let sparse_weights = self.network.sparse_weights(&batch, gating, &mut Dropout::off())?;
        let weights: Vec<f32> = sparse_weights.clone().into_data().iter::<f32>().collect();
        let (factor, offset) = self.objective.units();
        let mut scores = Vec::with_capacity(batch.rows.len() * intercepts.len());
        let mut by_score = weights.chunks_exact(batch.active.slots);
        for listed in &batch.rows {
            for (intercept, weights) in intercepts.iter().zip(&mut by_score) {
                let products = listed.values.iter().zip(weights);
                let inner: f64 = products.map(|(&z, &w)| f64::from(z) * f64::from(w)).sum();
                scores.push((inner + intercept) * factor + offset);
            }
        }
        Ok(ScoredBatch { batch, sparse_weights, weights, kept, scores })
    }

    /// Sample `row`, which is the b-th of its batch.
    fn explanation(
        &self,
        samples: &Samples,
        row: usize,
        intercepts: &[f64],
        scored: &ScoredBatch,
        b: usize,
    ) -> Explanation {
        let (factor, offset) = self.objective.units();
        let (outputs, slots) = (intercepts.len(), scored.batch.active.slots);
        let scores = &scored.scores[b * outputs..(b + 1) * outputs];
        let explain = |c: usize| {
            let weights = &scored.weights[(b * outputs + c) * slots..][..slots];
            ScoreExplanation {
                name: self.objective.output_name(c).to_string(),
                score: scores[c],
                intercept: intercepts[c] * factor + offset,
                terms: self.terms(samples, row, scored, b, weights),
            }
        };
        let outputs = (0..outputs).map(explain).collect();
        Explanation { prediction: self.objective.prediction(scores), outputs }
    }

    /// The terms of the chosen features, largest contribution first.
    fn terms(
        &self,
        samples: &Samples,
        row: usize,
        scored: &ScoredBatch,
        b: usize,
        weights: &[f32],
    ) -> Vec<Term> {
        let (factor, _) = self.objective.units();
        let listed = &scored.batch.rows[b];
        let width = scored.batch.weights_per_feature;
        let is_chosen = |slot: usize| match &scored.kept {
            None => weights[slot] != 0.0,
            Some(kept) => kept[b * scored.batch.features() + slot] != 0.0,
        };
        let term = |slot: usize| {
            let number =
                |slot: usize| (f64::from(listed.values[slot]), f64::from(weights[slot]) * factor);
            // Where a feature has two weights, the first is its level.
            let (first, last) = (slot * width, (slot + 1) * width - 1);
            let level = if width == 1 { 0.0 } else { number(first).0 * number(first).1 };
            let (value, slope) = number(last);
            // A level or a gap has no slope.
            let weight = if width > 1 && value == 0.0 { 0.0 } else { slope };
            let j = listed.indices[first] as usize / width;
            Term {
                feature: j,
                name: self.representation.name(j),
                value,
                observed: self.representation.observed(samples, row, j),
                weight,
                level,
                contribution: level + weight * value,
            }
        };
        let features = 0..listed.indices.len() / width;
        let mut terms: Vec<Term> = features.filter(|&slot| is_chosen(slot)).map(term).collect();
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        terms
    }
}
