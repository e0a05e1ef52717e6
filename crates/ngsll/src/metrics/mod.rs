//! The quality of predictions, and whether they add up.
//!
//! [`Evaluation`] gives the figures of a table, [`Subgroups`] those of groups of the samples;
//! [`Confusion`], [`Calibration`], [`ByK`] and [`FeatureUse`] what a report draws, [`Costs`] the threshold
//! that costs least. All take their samples one after the other and keep counts;
//! [`Evaluation`] also keeps two numbers a sample.

mod by_k;
mod calibration;
mod confusion;
mod feature_use;
mod paired;
mod quality;
mod ranking;
mod subgroups;
mod tally;
mod threshold;
mod yardstick;

pub use by_k::{AtK, ByK, k_grid};
pub use calibration::{Bin, Calibration};
pub use confusion::{ClassCounts, Confusion};
pub use feature_use::{FeatureStats, FeatureUse};
pub use paired::{McNemar, PairedDifference, correlation};
pub use quality::Quality;
pub use ranking::{auroc, average_precision, lift};
pub use subgroups::{GroupFigures, GroupTerm, Subgroups};
pub use threshold::{Costs, TwoClassCounts};
pub use yardstick::{MeasuredRows, MethodFigures, Yardstick};

use crate::dataset::Dataset;
use crate::error::Result;
use crate::explanation::Explanation;
use crate::generator::{BuiltIn, Generator};
use crate::model::{Model, Scored};
use crate::objective::{Objective, Targets};
use crate::readable::grouped;
use serde::{Deserialize, Serialize};
use tally::Tally;

/// The metrics of an evaluation.
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
    /// Area under the curve of precision against recall for the second class (two classes,
    /// if the second is present): [`average_precision`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_precision: Option<f64>,
    /// The number of samples of the second class in the tenth with the highest scores, relative to a tenth
    /// drawn at random (two classes, if the second is present): [`lift`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Share of samples whose class is among the three with the highest scores (four classes or more).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_3_accuracy: Option<f64>,
    /// The mean of the F1 of all classes that are true or predicted anywhere (classes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub macro_f1: Option<f64>,
    /// Each class by itself, in the model's order (classes).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_class: Vec<ClassFigures>,
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
    /// score: only rounding in the network's single precision.
    pub sum_difference_max: f64,
}

/// The figures of one class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassFigures {
    /// Its name.
    pub class: String,
    /// Samples of this class.
    pub n: u64,
    /// Samples predicted as this class.
    pub predicted: u64,
    /// Samples of this class that were predicted as it.
    pub right: u64,
    /// Share of its predictions that were right; absent if it was never predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Share of its samples that were found; absent without samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// The harmonic mean of both, [`ClassCounts::f1`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
}

impl Metrics {
    /// The metrics of scores (in the user's units) by any method; the figures about terms are 0.
    pub fn of(objective: &Objective, scores: &[Vec<f64>], targets: &Targets) -> Self {
        let mut tally = Tally::default();
        tally.add(objective, scores, targets);
        tally.finish(objective)
    }

    /// The applicable figures about predictions, each with a readable name.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let figures = [
            ("accuracy", self.accuracy),
            ("top-3 accuracy", self.top_3_accuracy),
            ("AUROC", self.auroc),
            ("average precision (PR-AUC)", self.average_precision),
            ("lift of the top tenth", self.lift),
            ("log loss", self.log_loss),
            ("Brier score", self.brier),
            ("R²", self.r2),
            ("RMSE", self.rmse),
            ("MAE", self.mae),
            ("median error", self.median_error),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The constant prediction that is at least as good as the model: the mean, or the most frequent class with the
    /// shares of the classes as probabilities; `None` if the model is better.
    ///
    /// ```
    /// use ngsll::metrics::{ConstantBaseline, Metrics};
    /// use ngsll::objective::{Objective, Targets};
    /// let objective = Objective::for_classes(["no", "yes"])?;
    /// let targets = Targets::Classes(vec![0, 0, 1]);
    /// let of = |scores: [f64; 3]| Metrics::of(&objective, &scores.map(|s| vec![s]), &targets);
    /// let no = ConstantBaseline::Class("no".into());
    /// assert_eq!(of([-0.5, -0.6, -0.6]).constant_baseline(), Some(no));
    /// assert_eq!(of([-2.0, -2.0, 1.0]).constant_baseline(), None);
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn constant_baseline(&self) -> Option<ConstantBaseline> {
        if let Some(r2) = self.r2 {
            return (r2 <= 0.0).then_some(ConstantBaseline::Mean);
        }
        let total: u64 = self.by_class.iter().map(|class| class.n).sum();
        let share = |class: &ClassFigures| class.n as f64 / total as f64;
        let entropy: f64 = self.by_class.iter().map(share).map(|p| -p * p.max(1e-300).ln()).sum();
        let most = self.by_class.iter().rev().max_by_key(|class| class.n)?;
        let no_better = self.accuracy? <= share(most) && self.log_loss? >= entropy;
        no_better.then(|| ConstantBaseline::Class(most.class.clone()))
    }
}

/// The same prediction for every sample.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstantBaseline {
    /// The mean of the numbers.
    Mean,
    /// The most frequent class.
    Class(String),
}

impl std::fmt::Display for ConstantBaseline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mean => f.write_str("the mean"),
            Self::Class(class) => write!(f, "{class:?}"),
        }
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

    /// Explains labelled samples and counts them; returns the explanations and the known answers.
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

/// A figure with four decimals, or fewer if it is large.
///
/// ```
/// use ngsll::metrics::format_figure;
/// assert_eq!([0.91234, 12.0, 21646.5955].map(format_figure), ["0.9123", "12.0000", "21,646.6"]);
/// ```
#[doc(hidden)]
pub fn format_figure(figure: f64) -> String {
    if figure.abs() < 100.0 {
        return format!("{figure:.4}");
    }
    let text = format!("{:.1}", figure.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    format!("{}{}.{fraction}", if figure < 0.0 { "-" } else { "" }, grouped(whole))
}
