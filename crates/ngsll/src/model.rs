//! A trained model: reads samples as the user has them and answers in plain numbers.

use crate::config::Config;
use crate::dataset::{Dataset, Samples};
use crate::error::{Error, Result};
use crate::explanation::{Explanation, ScoreExplanation, Term};
use crate::generator::{BuiltIn, Dropout, Generator};
use crate::metrics::{Evaluation, Metrics};
use crate::model_folder::Notes;
use crate::network::{Gating, Network};
use crate::objective::Objective;
use crate::prediction::Prediction;
use crate::representation::{Batch, Encoded, Representation, SampleView, Schema};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;

/// Samples that go through the network together: few, so that what lies between its layers stays in
/// cache and each thread has batches of its own.
const BATCH: usize = 16;

/// A trained model with everything that prediction needs.
#[derive(Debug, Clone)]
pub struct Model<G: Generator = BuiltIn> {
    config: Config,
    representation: Representation,
    objective: Objective,
    network: Network<G>,
    device: Device,
    notes: Notes,
}

/// A batch that went through the network.
struct ScoredBatch {
    batch: Batch,
    /// w': [batch, outputs, slots]
    sparse_weights: Tensor<3>,
    /// The same on the host.
    weights: Vec<f32>,
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
        let (device, notes) = (device.clone(), Notes::default());
        Self { config, representation, objective, network, device, notes }
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

    /// How many numbers were trained.
    pub fn parameters(&self) -> usize {
        self.network.num_params()
    }

    /// K as trained.
    pub fn k(&self) -> usize {
        self.config.k
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

    /// Predicts every sample with at most `k` terms per score, `k` up to the trained K.
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

    /// Predicts and explains every sample with at most `k` terms per score, `k` up to the trained K.
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

    /// The K to use: the trained one, or a smaller one on request.
    pub fn check_k(&self, k: Option<usize>) -> Result<usize> {
        match k {
            Some(k) if k == 0 || k > self.k() => {
                let expected = format!(
                    "K must be from 1 to {}, the K that this model was trained with",
                    self.k()
                );
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

    /// A batch's scores, compared with the network's own forward pass.
    fn compared(&self, scored: &ScoredBatch) -> Scored {
        let (factor, offset) = self.objective.units();
        let forward = self.network.scores(&scored.batch, scored.sparse_weights.clone()).into_data();
        let pairs = scored.scores.iter().zip(forward.iter::<f64>());
        let difference = pairs.map(|(sum, own)| (sum - (own * factor + offset)).abs());
        let used = |weights: &[f32]| weights.iter().filter(|w| **w != 0.0).count();
        let scores = scored.scores.chunks_exact(self.objective.outputs());
        Scored {
            scores: scores.map(<[f64]>::to_vec).collect(),
            features: scored.weights.chunks_exact(scored.batch.active.slots).map(used).collect(),
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
        let encoded = self.representation.encode(samples)?;
        let intercepts = self.network.intercepts();
        let rows: Vec<usize> = (0..encoded.len()).collect();
        // A single batch is not split, and stays on this thread.
        let batch = |rows: &[usize]| -> Result<Vec<T>> {
            Ok(read(rows, &intercepts, &self.score_batch(&encoded, rows, &intercepts, k)?))
        };
        let parts: Vec<Vec<T>> = rows.par_chunks(BATCH).map(batch).collect::<Result<_>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn score_batch(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        intercepts: &[f64],
        k: usize,
    ) -> Result<ScoredBatch> {
        let batch = self.representation.batch(encoded, rows, &self.device);
        let sparse_weights =
            self.network.sparse_weights(&batch, Gating::Hard { k }, &mut Dropout::off())?;
        let weights: Vec<f32> = sparse_weights.clone().into_data().iter::<f32>().collect();
        let (factor, offset) = self.objective.units();
        let mut scores = Vec::with_capacity(rows.len() * intercepts.len());
        let mut by_score = weights.chunks_exact(batch.active.slots);
        for listed in &batch.rows {
            for (intercept, weights) in intercepts.iter().zip(&mut by_score) {
                let products = listed.values.iter().zip(weights);
                let inner: f64 = products.map(|(&z, &w)| f64::from(z) * f64::from(w)).sum();
                scores.push((inner + intercept) * factor + offset);
            }
        }
        Ok(ScoredBatch { batch, sparse_weights, weights, scores })
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
                terms: self.terms(samples, row, &scored.batch, b, weights),
            }
        };
        let outputs = (0..outputs).map(explain).collect();
        Explanation { prediction: self.objective.prediction(scores), outputs }
    }

    /// The terms whose weight the gate kept, largest contribution first.
    fn terms(
        &self,
        samples: &Samples,
        row: usize,
        batch: &Batch,
        b: usize,
        weights: &[f32],
    ) -> Vec<Term> {
        let (factor, _) = self.objective.units();
        let listed = &batch.rows[b];
        let features = listed.indices.iter().zip(&listed.values).zip(weights);
        let mut terms: Vec<Term> = features
            .filter(|(_, weight)| **weight != 0.0)
            .map(|((&j, &value), &weight)| {
                let (j, value, weight) = (j as usize, f64::from(value), f64::from(weight) * factor);
                Term {
                    feature: j,
                    name: self.representation.name(j),
                    value,
                    observed: self.representation.observed(samples, row, j),
                    weight,
                    contribution: weight * value,
                }
            })
            .collect();
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        terms
    }
}
