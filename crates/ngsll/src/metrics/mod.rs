//! How good predictions are, and whether they add up.
//!
//! [`Evaluation`] gives the figures of a table; [`Confusion`], [`Calibration`], [`ByK`] and
//! [`FeatureUse`] what a report draws. All take their samples one after the other and keep counts, [`Evaluation`] also two numbers a sample.

mod by_k;
mod calibration;
mod confusion;
mod feature_use;

pub use by_k::{AtK, ByK, spread};
pub use calibration::{Bin, Calibration};
pub use confusion::{ClassCounts, Confusion};
pub use feature_use::{FeatureUse, Used};

use crate::explanation::{Explanation, Prediction};
use crate::moments::Moments;
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};

/// What an evaluation found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Samples evaluated.
    pub n: usize,
    /// Share of samples whose class is predicted (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the ROC curve (two classes, both present).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Share of the target's variance that is explained (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    /// Root of the mean squared error, in the target's units (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Most features that one score uses.
    pub features_max: usize,
    /// Features that a score uses on average.
    pub features_mean: f64,
    /// Largest |score − sum of contributions − intercept|.
    pub additivity_error_max: f64,
}

/// Collects predictions chunk by chunk; only what the metrics need is kept.
#[derive(Debug)]
pub struct Evaluation<'a> {
    objective: &'a Objective,
    scores: Vec<f64>,
    truths: Vec<f64>,
    correct: usize,
    outputs: usize,
    features: usize,
    metrics: Metrics,
}

impl<'a> Evaluation<'a> {
    /// An empty evaluation.
    pub fn new(objective: &'a Objective) -> Self {
        let metrics = Metrics::default();
        let (scores, truths) = (Vec::new(), Vec::new());
        Self { objective, scores, truths, correct: 0, outputs: 0, features: 0, metrics }
    }

    /// Adds explained samples and their known answers.
    pub fn add(&mut self, explanations: &[Explanation], targets: &Targets) {
        let (factor, offset) = self.objective.units();
        for (i, explanation) in explanations.iter().enumerate() {
            self.metrics.n += 1;
            match (targets, &explanation.prediction) {
                (Targets::Classes(classes), Prediction::Class { label, .. }) => {
                    let truth = classes[i];
                    self.correct += usize::from(self.objective.classes()[truth] == *label);
                    if matches!(self.objective, Objective::Binary { .. }) {
                        self.scores.push(explanation.outputs[0].score);
                        self.truths.push(truth as f64);
                    }
                }
                (Targets::Values(values), Prediction::Value(value)) => {
                    self.scores.push(*value);
                    self.truths.push(f64::from(values[i]) * factor + offset);
                }
                _ => unreachable!("targets and predictions come from one objective"),
            }
            for output in &explanation.outputs {
                self.outputs += 1;
                self.features += output.terms.len();
                let m = &mut self.metrics;
                m.features_max = m.features_max.max(output.terms.len());
                m.additivity_error_max = m.additivity_error_max.max(output.additivity_error());
            }
        }
    }

    /// The metrics of everything added.
    pub fn finish(self) -> Metrics {
        let mut metrics = self.metrics;
        metrics.features_mean = self.features as f64 / self.outputs.max(1) as f64;
        let n = metrics.n.max(1) as f64;
        match self.objective {
            Objective::Regression { .. } => {
                // Exact for a target that does not vary: it has no variance to explain.
                let Moments { mean, .. } = Moments::of(self.truths.iter().copied());
                let pairs = self.truths.iter().zip(&self.scores);
                let squares: f64 = pairs.map(|(t, s)| (t - s).powi(2)).sum();
                let total: f64 = self.truths.iter().map(|t| (t - mean).powi(2)).sum();
                metrics.r2 = (total > 0.0).then(|| 1.0 - squares / total);
                metrics.rmse = Some((squares / n).sqrt());
            }
            Objective::Binary { .. } => {
                metrics.accuracy = Some(self.correct as f64 / n);
                metrics.auroc = auroc(&self.scores, &self.truths);
            }
            Objective::Classes { .. } => metrics.accuracy = Some(self.correct as f64 / n),
        }
        metrics
    }
}

/// The chance that a positive scores above a negative, ties counting half; `None` without both.
///
/// ```
/// use ngsll::metrics::auroc;
/// assert_eq!(auroc(&[0.1, 0.4, 0.35, 0.8], &[0.0, 0.0, 1.0, 1.0]), Some(0.75));
/// assert_eq!(auroc(&[0.1], &[1.0]), None);
/// ```
pub fn auroc(scores: &[f64], truths: &[f64]) -> Option<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let positives = truths.iter().filter(|&&t| t > 0.5).count() as f64;
    let negatives = truths.len() as f64 - positives;
    let mut rank_sum = 0.0;
    let mut start = 0;
    for ties in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let rank = start as f64 + (ties.len() as f64 + 1.0) / 2.0;
        rank_sum += rank * ties.iter().filter(|&&i| truths[i] > 0.5).count() as f64;
        start += ties.len();
    }
    let pairs = positives * negatives;
    (pairs > 0.0).then(|| (rank_sum - positives * (positives + 1.0) / 2.0) / pairs)
}
