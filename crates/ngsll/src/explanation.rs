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
    /// Where the features that terms name are in an image that has regions of its own; empty for other samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<ImageRegion>,
}

impl Explanation {
    /// A prediction and its scores.
    pub fn new(prediction: Prediction, outputs: Vec<ScoreExplanation>) -> Self {
        Self { prediction, outputs, regions: Vec::new() }
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

/// The pixels of a feature that is a region of this image alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImageRegion {
    /// The feature's number j, as in its terms.
    pub feature: usize,
    /// The first of its columns of pixels.
    pub left: usize,
    /// The first of its lines of pixels.
    pub top: usize,
    /// Pixels from left to right of the box around it.
    pub width: usize,
    /// Pixels from top to bottom of the box around it.
    pub height: usize,
    /// Its pixels from top to bottom: a line, the first pixel of a run on it, and the length of the run.
    pub runs: Vec<[usize; 3]>,
}

impl ImageRegion {
    /// The region of a feature among the pixels of an image of this width, row by row; `None` if it has none.
    ///
    /// ```
    /// use ngsll::explanation::ImageRegion;
    /// let region = ImageRegion::find(1, &[0, 1, 1, 0, 0, 1], 3).unwrap();
    /// assert_eq!(region.runs, [[0, 1, 2], [1, 2, 1]]);
    /// assert_eq!((region.left, region.top, region.width, region.height), (1, 0, 2, 2));
    /// ```
    pub fn find(feature: usize, owners: &[u16], width: usize) -> Option<Self> {
        let mut runs = Vec::new();
        for (y, line) in owners.chunks(width.max(1)).enumerate() {
            let mut x = 0;
            for run in line.chunk_by(|a, b| a == b) {
                if usize::from(run[0]) == feature {
                    runs.push([y, x, run.len()]);
                }
                x += run.len();
            }
        }
        let left = runs.iter().map(|[_, x, _]| *x).min()?;
        let right = runs.iter().map(|[_, x, length]| x + length).max()?;
        let (top, bottom) = (runs.first()?[0], runs.last()?[0]);
        let (width, height) = (right - left, bottom - top + 1);
        Some(Self { feature, left, top, width, height, runs })
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
