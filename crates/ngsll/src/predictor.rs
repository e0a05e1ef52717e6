//! A trained model that reads samples as the user has them and answers in plain numbers.

use crate::config::Config;
use crate::data::{Samples, Values};
use crate::error::{Error, Result};
use crate::explanation::{Explanation, Output, Term};
use crate::generator::{BuiltIn, Dropout, Generator};
use crate::model::{Gating, Model};
use crate::objective::Objective;
use crate::representation::{Batch, Encoded, Representation};
use burn::module::Module;
use burn::tensor::Device;
use rayon::prelude::*;

/// Samples that go through the network together: few, so that what lies between its layers stays in
/// cache and each thread has batches of its own.
const BATCH: usize = 16;

/// Everything that prediction needs.
#[derive(Debug, Clone)]
pub struct Predictor<G: Generator = BuiltIn> {
    config: Config,
    representation: Representation,
    objective: Objective,
    model: Model<G>,
    device: Device,
}

impl<G: Generator> Predictor<G> {
    /// Puts a trained model (on a device with or without autodiff) into service.
    pub fn new(
        config: Config,
        representation: Representation,
        objective: Objective,
        model: Model<G>,
    ) -> Self {
        let device = Device::default();
        let trained = model.devices().first().is_some_and(Device::is_autodiff);
        let model = if trained { model.valid() } else { model };
        Self { config, representation, objective, model, device }
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
    pub fn model(&self) -> &Model<G> {
        &self.model
    }

    /// K as trained.
    pub fn k(&self) -> usize {
        self.config.k
    }

    /// Predicts and explains every sample with at most `k` terms per score, `k` up to the trained K.
    pub fn explain(&self, samples: &Samples, k: Option<usize>) -> Result<Vec<Explanation>> {
        let k = self.check_k(k)?;
        let encoded = self.representation.encode(samples)?;
        let rows: Vec<usize> = (0..encoded.len).collect();
        // A single batch is not split, and stays on this thread.
        let batches = rows.par_chunks(BATCH);
        let explain = |rows: &[usize]| self.explain_batch(samples, &encoded, rows, k);
        let explanations: Vec<Vec<Explanation>> = batches.map(explain).collect::<Result<_>>()?;
        Ok(explanations.into_iter().flatten().collect())
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

    fn explain_batch(
        &self,
        samples: &Samples,
        encoded: &Encoded,
        rows: &[usize],
        k: usize,
    ) -> Result<Vec<Explanation>> {
        let batch = self.representation.batch(encoded, rows, &self.device);
        // Scores are summed below, in f64.
        let weights = self.model.sparse_weights(&batch, Gating::Hard { k }, &mut Dropout::off())?;
        let intercepts = self.model.intercepts();
        let outputs = intercepts.len();
        let weights: Vec<f32> = weights.into_data().iter::<f32>().collect();
        let (factor, offset) = self.objective.units();
        let explain = |b: usize| {
            let output = |c: usize| {
                let at = (b * outputs + c) * batch.active.slots;
                let weights = &weights[at..at + batch.active.slots];
                // In f64, so that the sum is exact in the target's units, however large they are.
                let products = batch.rows[b].values.iter().zip(weights);
                let inner: f64 = products.map(|(&z, &w)| f64::from(z) * f64::from(w)).sum();
                Output {
                    name: self.objective.output_name(c).to_string(),
                    score: (inner + intercepts[c]) * factor + offset,
                    intercept: intercepts[c] * factor + offset,
                    terms: self.terms(samples, rows[b], &batch, b, weights, factor),
                }
            };
            let outputs: Vec<Output> = (0..outputs).map(output).collect();
            let scores: Vec<f64> = outputs.iter().map(|o| o.score).collect();
            Explanation { prediction: self.objective.prediction(&scores), outputs }
        };
        Ok((0..rows.len()).map(explain).collect())
    }

    /// The terms whose weight the gate kept, largest contribution first.
    fn terms(
        &self,
        samples: &Samples,
        row: usize,
        batch: &Batch,
        b: usize,
        weights: &[f32],
        factor: f64,
    ) -> Vec<Term> {
        let listed = &batch.rows[b];
        let mut terms: Vec<Term> = listed
            .indices
            .iter()
            .zip(&listed.values)
            .zip(weights)
            .filter(|(_, weight)| **weight != 0.0)
            .map(|((&j, &value), &weight)| {
                let (value, weight) = (f64::from(value), f64::from(weight) * factor);
                Term {
                    feature: j as usize,
                    name: self.representation.name(j as usize),
                    value,
                    observed: self.observed(samples, row, j as usize),
                    weight,
                    contribution: weight * value,
                }
            })
            .collect();
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        terms
    }

    /// A table cell as the user wrote it, for features whose z is standardised.
    fn observed(&self, samples: &Samples, row: usize, j: usize) -> Option<String> {
        let (Representation::Columns(columns), Samples::Table(table)) =
            (&self.representation, samples)
        else {
            return None;
        };
        let name = columns.encodings()[columns.column_of(j)].name();
        match &table.columns.iter().find(|c| c.name == name)?.values {
            Values::Numeric(values) => Some(format!("{}", values[row])),
            Values::Categorical { .. } => None,
        }
    }
}
