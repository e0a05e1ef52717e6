//! How good predictions are, and whether they add up.
//!
//! [`Evaluation`] gives the figures of a table; [`Confusion`], [`Calibration`], [`ByK`] and
//! [`FeatureUse`] what a report draws. All take their samples one after the other and keep counts;
//! [`Evaluation`] also keeps two numbers a sample.

mod by_k;
mod calibration;
mod confusion;
mod feature_use;
pub(crate) mod figures;
mod quality;
mod tally;
mod yardstick;

pub use by_k::{AtK, ByK, k_grid};
pub use calibration::{Bin, Calibration};
pub use confusion::{ClassCounts, Confusion};
pub use feature_use::{FeatureStats, FeatureUse};
pub use quality::Quality;
pub use yardstick::{MeasuredRows, MethodFigures, Yardstick};

use crate::dataset::Dataset;
use crate::error::Result;
use crate::explanation::Explanation;
use crate::generator::{BuiltIn, Generator};
use crate::model::{Model, Scored};
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};
use tally::Tally;

/// What an evaluation found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metrics {
    /// Samples evaluated.
    pub n: usize,
    /// Share of samples whose class is predicted (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the ROC curve (two classes, both present).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Mean negative natural logarithm of the true class's probability (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Brier score (classes): the mean of Σ_c (p_c − 1{c is the true class})², from 0 to 2; of two
    /// classes the mean of (p − y)², from 0 to 1, which is half of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Share of the target's variance that is explained (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    /// Root of the mean squared error, in the target's units (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Mean absolute error, in the target's units (regression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Median absolute error, in the target's units (regression): half of the predictions are closer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_error: Option<f64>,
    /// Most features that one score uses.
    pub features_max: usize,
    /// Features that a score uses on average.
    pub features_mean: f64,
    /// Largest |intercept + Σ contributions − the network's own forward pass|, in the units of the
    /// score: rounding of the network's single precision and nothing else.
    pub sum_difference_max: f64,
}

impl Metrics {
    /// The metrics of scores (in the user's units) by any method; the figures about terms are 0.
    pub fn of(objective: &Objective, scores: &[Vec<f64>], targets: &Targets) -> Self {
        let mut tally = Tally::default();
        tally.add(objective, scores, targets);
        tally.finish(objective)
    }

    /// The figures about predictions that there are, each with the name that people read.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let figures = [
            ("accuracy", self.accuracy),
            ("AUROC", self.auroc),
            ("log loss", self.log_loss),
            ("Brier score", self.brier),
            ("R²", self.r2),
            ("RMSE", self.rmse),
            ("MAE", self.mae),
            ("median error", self.median_error),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Measures a model chunk by chunk; only what the metrics need is kept.
#[derive(Debug)]
pub struct Evaluation<'a, G: Generator = BuiltIn> {
    model: &'a Model<G>,
    k: usize,
    tally: Tally,
    outputs: usize,
    features: usize,
    most: usize,
    difference: f64,
}

impl<'a, G: Generator> Evaluation<'a, G> {
    /// An empty evaluation with at most `k` terms per score, the trained K if absent.
    pub fn new(model: &'a Model<G>, k: Option<usize>) -> Result<Self> {
        Ok(Self {
            model,
            k: model.check_k(k)?,
            tally: Tally::default(),
            outputs: 0,
            features: 0,
            most: 0,
            difference: 0.0,
        })
    }

    /// Predicts labelled samples and counts them; no terms are built.
    pub fn add(&mut self, data: &Dataset) -> Result<()> {
        let targets = self.model.objective().targets(data)?;
        let scored = self.model.score(data.samples(), Some(self.k))?;
        self.count(&scored, &targets);
        Ok(())
    }

    /// The same, and gives the explanations of the samples and their known answers.
    pub fn explain(&mut self, data: &Dataset) -> Result<(Vec<Explanation>, Targets)> {
        let targets = self.model.objective().targets(data)?;
        let (scored, explanations) = self.model.score_and_explain(data.samples(), Some(self.k))?;
        self.count(&scored, &targets);
        Ok((explanations, targets))
    }

    fn count(&mut self, scored: &Scored, targets: &Targets) {
        self.tally.add(self.model.objective(), &scored.scores, targets);
        self.difference = self.difference.max(scored.difference);
        self.most = scored.features.iter().copied().fold(self.most, usize::max);
        self.outputs += scored.features.len();
        self.features += scored.features.iter().sum::<usize>();
    }

    /// The metrics of everything added.
    pub fn finish(self) -> Metrics {
        Metrics {
            features_max: self.most,
            features_mean: self.features as f64 / self.outputs.max(1) as f64,
            sum_difference_max: self.difference,
            ..self.tally.finish(self.model.objective())
        }
    }
}

/// A figure with four decimals, or fewer where it is large.
///
/// ```
/// use ngsll::metrics::written;
/// assert_eq!([0.91234, 12.0, 21646.5955].map(written), ["0.9123", "12.0000", "21646.6"]);
/// ```
pub fn written(figure: f64) -> String {
    if figure.abs() < 100.0 { format!("{figure:.4}") } else { format!("{figure:.1}") }
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
