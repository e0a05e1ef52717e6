//! A prediction and the K named terms it is the sum of: plain numbers, no tensors.

use crate::prediction::Prediction;
use serde::{Deserialize, Serialize};

/// One prediction as a sum: each score is its intercept plus its terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The prediction.
    pub prediction: Prediction,
    /// One entry per score: one for two classes or regression, C for C > 2 classes.
    pub outputs: Vec<ScoreExplanation>,
}

impl Explanation {
    /// A prediction and its scores.
    pub fn new(prediction: Prediction, outputs: Vec<ScoreExplanation>) -> Self {
        Self { prediction, outputs }
    }

    /// The score that the prediction is read from; with several classes, that of the predicted one.
    ///
    /// # Panics
    /// If there is no score, which no model produces.
    pub fn predicted_score(&self) -> &ScoreExplanation {
        let class = self.prediction.class().filter(|_| self.outputs.len() > 1);
        &self.outputs[class.map_or(0, |class| class.index())]
    }

    /// The predicted value if the score is its logarithm, so that terms are factors: +0.1 makes the
    /// value 10.5 % larger.
    pub fn exponentiated(&self) -> Option<f64> {
        let (value, output) = (self.prediction.value()?, self.outputs.first()?);
        // For other models the score is the value itself.
        let is_logarithm = (output.score.exp() - value).abs() <= 1e-9 * value.abs();
        (is_logarithm && value != output.score).then_some(value)
    }
}

/// One score as a sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreExplanation {
    /// The class that a positive score favours, or the target's name in regression.
    pub name: String,
    /// `intercept` + Σ `contribution`: a logit; in regression a value in the target's units or, for models
    /// that predict logarithms, its logarithm.
    pub score: f64,
    /// The constant beside the terms: the score with no feature known (a learned constant where the
    /// network has read the whole sample), in regression with the target's mean.
    pub intercept: f64,
    /// At most K terms, largest |contribution| first.
    pub terms: Vec<Term>,
}

impl ScoreExplanation {
    /// The sum of an intercept and of terms, which are sorted.
    pub fn new(name: impl Into<String>, intercept: f64, mut terms: Vec<Term>) -> Self {
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        let score = intercept + terms.iter().map(|term| term.contribution).sum::<f64>();
        Self { name: name.into(), score, intercept, terms }
    }
}

/// One named feature's share in a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Term {
    /// The feature's number j in the simplified representation.
    pub feature: usize,
    /// Its name: a word, `row 2, column 5`, `age`; `workclass=Private` where levels are features.
    pub name: String,
    /// z_j: the feature's value in the sample.
    pub value: f64,
    /// The value as the user wrote it, in its original units, if that differs from z_j.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// w'_j: the weight generated for this sample.
    pub weight: f64,
    /// The part of the term that does not scale with `value`: the level of a table's column.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub level: f64,
    /// `level` + `weight` · `value`.
    pub contribution: f64,
}

impl Term {
    /// The term `weight` · `value` of feature number `feature`.
    pub fn new(feature: usize, name: impl Into<String>, value: f64, weight: f64) -> Self {
        let (observed, level, contribution) = (None, 0.0, weight * value);
        Self { feature, name: name.into(), value, observed, weight, level, contribution }
    }
}

fn is_zero(level: &f64) -> bool {
    *level == 0.0
}
