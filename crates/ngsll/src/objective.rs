//! The target of predictions: two classes, several classes, or a number.

mod answers;

pub(crate) use answers::{Answers, numbers as target_numbers};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::mean_std::MeanStd;
use crate::prediction::{ClassPrediction, Prediction};
use answers::{class_indices, labels, numbers};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// The target, with everything needed to interpret a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Objective {
    /// Two classes, one score; a positive one favours the second class.
    #[non_exhaustive]
    Binary {
        /// The two class names.
        classes: Arc<[String]>,
        /// The probability above which the second class is predicted, if it was set; ½
        /// otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
    },
    /// C > 2 classes, one score for each.
    #[non_exhaustive]
    Classes {
        /// The class names.
        classes: Arc<[String]>,
    },
    /// A number; the network predicts it standardised.
    #[non_exhaustive]
    Regression {
        /// The target's name.
        target: String,
        /// Mean of the training targets.
        mean: f64,
        /// Standard deviation of the training targets; 1 if they do not vary.
        deviation: f64,
        /// The transformation of a score into a value.
        #[serde(default, skip_serializing_if = "ValueScale::is_linear")]
        scale: ValueScale,
    },
}

/// The transformation of a score into a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueScale {
    /// The score is the value.
    #[default]
    Linear,
    /// The score is the logarithm of the value; mean and deviation are those of the logarithms.
    Log {
        /// A constant added to every score, so that values are right on average: the mean of logarithms is
        /// not the logarithm of the mean.
        correction: f64,
    },
    /// The score is the logarithm of the expected count.
    Count,
}

impl ValueScale {
    fn is_linear(&self) -> bool {
        *self == Self::Linear
    }
}

/// The loss for predicting a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueLoss {
    /// The square of the error: the mean is predicted.
    #[default]
    Squared,
    /// The error itself: the median is predicted.
    Absolute,
    /// The square of errors up to a standard deviation of the target, beyond that the error itself.
    Huber,
    /// The likelihood of a count (Poisson).
    Poisson,
}

/// The choice between classes and a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ObjectiveChoice {
    /// Classes for text and images; for tables a number if the target is numeric and is not a few
    /// whole numbers.
    #[default]
    Auto,
    /// Classes, even if the labels are numbers.
    Classes,
    /// A number.
    Regression,
}

/// The known answers, in the model's own terms.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Targets {
    /// The class number of each sample.
    Classes(Vec<usize>),
    /// The standardised value of each sample.
    Values(Vec<f32>),
}

/// No number has a larger logarithm.
const LARGEST_LOGARITHM: f64 = 745.0;

/// Classes that [`Objective::describe`] names.
const NAMED: usize = 12;

impl Objective {
    /// Two or more classes, whose names differ.
    ///
    /// ```
    /// use ngsll::objective::Objective;
    /// let objective = Objective::for_classes(["negative", "positive"])?;
    /// assert_eq!((objective.outputs(), objective.output_name(0)), (1, "positive"));
    /// assert!(Objective::for_classes(["positive"]).is_err());
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn for_classes(classes: impl IntoIterator<Item = impl Into<String>>) -> Result<Self> {
        let classes: Arc<[String]> = classes.into_iter().map(Into::into).collect();
        let objective = match classes.len() {
            2 => Self::Binary { classes, threshold: None },
            _ => Self::Classes { classes },
        };
        let expected = "expected at least two classes with different names";
        let found = || objective.classes().join(", ");
        objective.check().map_err(|_| Error::setting("classes", found(), expected))?;
        Ok(objective)
    }

    /// The number `target`, standardised by a mean and a positive standard deviation.
    pub fn for_values(target: impl Into<String>, mean: f64, deviation: f64) -> Result<Self> {
        let (target, scale) = (target.into(), ValueScale::Linear);
        let objective = Self::Regression { target, mean, deviation, scale };
        let expected = "expected a positive number, and a finite mean";
        objective.check().map_err(|_| Error::setting("deviation", deviation, expected))?;
        Ok(objective)
    }

    /// The objective for these answers; a number is standardised by the given rows.
    pub(crate) fn fit(answers: &Answers, target: &str, rows: &[usize]) -> Result<Self> {
        Ok(match answers {
            Answers::Numbers(values) => {
                let MeanStd { mean, deviation } = MeanStd::of(rows.iter().map(|&r| values[r]));
                // Squares of differences, which losses and figures sum up, must be numbers as well.
                if !(mean * mean + deviation * deviation).is_finite() {
                    let expected = "its numbers are too large to standardise";
                    return Err(Error::setting("data.target", target, expected));
                }
                let (target, scale) = (target.into(), ValueScale::Linear);
                Self::Regression { target, mean, deviation, scale }
            }
            Answers::Classes(classes, _) if classes.len() == 2 => {
                Self::Binary { classes: classes.clone(), threshold: None }
            }
            Answers::Classes(classes, _) => Self::Classes { classes: classes.clone() },
        })
    }

    /// The objective for the logarithms of the values, which are positive.
    pub(crate) fn in_logarithms(&self, values: &[f64], rows: &[usize]) -> Self {
        let MeanStd { mean, deviation } = MeanStd::of(rows.iter().map(|&r| values[r].ln()));
        let (target, scale) = (self.output_name(0).into(), ValueScale::Log { correction: 0.0 });
        Self::Regression { target, mean, deviation, scale }
    }

    /// The objective for counts, whose scores are logarithms.
    pub(crate) fn in_counts(&self) -> Self {
        let (target, scale) = (self.output_name(0).into(), ValueScale::Count);
        Self::Regression { target, mean: 0.0, deviation: 1.0, scale }
    }

    /// Returns the objective with another correction, if scores are logarithms of values.
    pub(crate) fn with_correction(self, by: f64) -> Self {
        match self {
            Self::Regression { target, mean, deviation, scale: ValueScale::Log { .. } } => {
                let scale = ValueScale::Log { correction: by };
                Self::Regression { target, mean, deviation, scale }
            }
            other => other,
        }
    }

    /// The objective for the values themselves, standardised by the labels of the given samples, for methods
    /// without other scales.
    pub fn without_scale(&self, data: &Dataset) -> Result<Self> {
        let Self::Regression { target, .. } = self else { return Ok(self.clone()) };
        let MeanStd { mean, deviation } = MeanStd::of(numbers(data)?.into_iter());
        let (target, scale) = (target.clone(), ValueScale::Linear);
        Ok(Self::Regression { target, mean, deviation, scale })
    }

    /// The transformation of a score into a value; `None` for classes.
    pub fn value_scale(&self) -> Option<ValueScale> {
        match self {
            Self::Regression { scale, .. } => Some(*scale),
            _ => None,
        }
    }

    /// The answers in the model's own terms.
    pub(crate) fn targets_of(&self, answers: Answers) -> Targets {
        match answers {
            Answers::Classes(_, indices) => Targets::Classes(indices),
            Answers::Numbers(values) => self.standardised(&values),
        }
    }

    fn standardised(&self, values: &[f64]) -> Targets {
        let Self::Regression { mean, deviation, scale, .. } = self else {
            unreachable!("classes have no values")
        };
        let own = |&value: &f64| match scale {
            ValueScale::Log { .. } => value.ln(),
            ValueScale::Linear | ValueScale::Count => value,
        };
        let standardised = |value: &f64| ((own(value) - mean) / deviation) as f32;
        Targets::Values(values.iter().map(standardised).collect())
    }

    /// The value, in the target's units, that belongs to an answer in the model's own terms.
    pub fn truth(&self, answer: f32) -> f64 {
        let Self::Regression { mean, deviation, scale, .. } = self else { return f64::NAN };
        let own = f64::from(answer) * deviation + mean;
        match scale {
            ValueScale::Log { .. } => own.exp(),
            ValueScale::Linear | ValueScale::Count => own,
        }
    }

    /// The value that belongs to a score.
    pub fn value(&self, score: f64) -> f64 {
        match self {
            Self::Regression { scale: ValueScale::Log { .. } | ValueScale::Count, .. } => {
                score.exp()
            }
            _ => score,
        }
    }

    /// Refuses scores whose value is not finite, which weights from elsewhere can produce.
    pub(crate) fn check_scores(&self, scores: &[f64]) -> Result<()> {
        if scores.iter().all(|score| self.value(*score).is_finite()) {
            return Ok(());
        }
        Err(Error::NotFinite {
            what: "the model's prediction".into(),
            hint: "; the sample may be far from all that it was trained on".into(),
        })
    }

    /// The scores of samples without any known feature, in the network's own units: the classes' (log)
    /// odds among the given answers, weighted, or their mean.
    pub(crate) fn base_scores(&self, targets: &Targets, weights: &[f32]) -> Vec<f32> {
        let weight = |i: usize| f64::from(weights[i]);
        let total: f64 = (0..targets.len()).map(weight).sum::<f64>().max(f64::MIN_POSITIVE);
        match targets {
            Targets::Values(values) => {
                let sum: f64 =
                    values.iter().enumerate().map(|(i, &v)| f64::from(v) * weight(i)).sum();
                let mean = sum / total;
                vec![match self.value_scale() {
                    // Zero counts are taken as half a count.
                    Some(ValueScale::Count) => mean.max(0.5 / total).ln() as f32,
                    _ => mean as f32,
                }]
            }
            Targets::Classes(classes) => {
                let mut sums = vec![0.0; self.classes().len()];
                classes.iter().enumerate().for_each(|(i, &class)| sums[class] += weight(i));
                // Training sees every class, so that no logarithm is infinite; a class without weight
                // is as rare as half a sample.
                let log = |sum: f64| (sum.max(0.5) / total).ln();
                match self.outputs() {
                    1 => vec![(log(sums[1]) - log(sums[0])) as f32],
                    _ => sums.into_iter().map(|sum| log(sum) as f32).collect(),
                }
            }
        }
    }

    /// The probability above which the second of two classes is predicted, if it was set.
    pub fn threshold(&self) -> Option<f64> {
        match self {
            Self::Binary { threshold, .. } => *threshold,
            _ => None,
        }
    }

    /// Returns the objective with another threshold, from 0 (always the second class) to 1 (never); probabilities do not
    /// change. ½ is the default, and removes a threshold.
    pub fn with_threshold(&self, threshold: f64) -> Result<Self> {
        let Self::Binary { classes, .. } = self else {
            let expected = format!(
                "only a model with two classes has a threshold, and this one predicts {}",
                self.describe()
            );
            return Err(Error::setting("threshold", threshold, expected));
        };
        if !(0.0..=1.0).contains(&threshold) {
            let expected = "expected a probability from 0 to 1";
            return Err(Error::setting("threshold", threshold, expected));
        }
        let threshold = Some(threshold).filter(|threshold| *threshold != 0.5);
        Ok(Self::Binary { classes: classes.clone(), threshold })
    }

    /// Validates deserialised fields, refusing what training cannot produce; the error is a message.
    pub(crate) fn check(&self) -> Result<(), String> {
        let classes = self.classes();
        let distinct = classes.iter().collect::<HashSet<_>>().len();
        match self {
            Self::Binary { threshold, .. } => {
                let is_share = threshold.is_none_or(|t| (0.0..=1.0).contains(&t));
                if distinct == 2 && classes.len() == 2 && is_share {
                    return Ok(());
                }
            }
            Self::Classes { .. } => {
                if distinct > 2 && distinct == classes.len() {
                    return Ok(());
                }
            }
            Self::Regression { mean, deviation, scale, .. } => {
                let is_possible = match scale {
                    ValueScale::Log { correction } => {
                        mean.abs() <= LARGEST_LOGARITHM
                            && *deviation <= LARGEST_LOGARITHM
                            && correction.abs() <= LARGEST_LOGARITHM
                    }
                    ValueScale::Linear | ValueScale::Count => (mean + deviation).is_finite(),
                };
                if is_possible && *deviation > 0.0 {
                    return Ok(());
                }
            }
        }
        Err("what is predicted is neither two classes, nor several, nor a number".into())
    }

    /// The number of scores.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Binary { .. } | Self::Regression { .. } => 1,
            Self::Classes { classes } => classes.len(),
        }
    }

    /// The class names; none in regression.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Binary { classes, .. } | Self::Classes { classes } => classes,
            Self::Regression { .. } => &[],
        }
    }

    /// The target in words; of many classes the first ones are named.
    ///
    /// ```
    /// use ngsll::objective::Objective;
    /// let objective = Objective::for_classes(["negative", "positive"])?;
    /// assert_eq!(objective.describe(), "2 classes (negative, positive)");
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn describe(&self) -> String {
        match self {
            Self::Binary { classes, .. } | Self::Classes { classes } => {
                let more = if classes.len() > NAMED { ", …" } else { "" };
                let named = classes[..classes.len().min(NAMED)].join(", ");
                format!("{} classes ({named}{more})", classes.len())
            }
            Self::Regression { target, scale, .. } => match scale {
                ValueScale::Linear => format!("the number {target}"),
                ValueScale::Log { .. } => {
                    format!("the number {target} as a logarithm, so that terms are factors")
                }
                ValueScale::Count => {
                    format!("the count {target} as the logarithm of its mean")
                }
            },
        }
    }

    /// The name of the c-th score: the class that it favours.
    pub fn output_name(&self, c: usize) -> &str {
        match self {
            Self::Binary { classes, .. } => &classes[1],
            Self::Classes { classes } => &classes[c],
            Self::Regression { target, .. } => target,
        }
    }

    /// Factor and offset from the network's score to the user's units: the target's, or their logarithms.
    pub fn units(&self) -> (f64, f64) {
        match self {
            Self::Regression { mean, deviation, scale, .. } => {
                let correction = match scale {
                    ValueScale::Log { correction } => *correction,
                    ValueScale::Linear | ValueScale::Count => 0.0,
                };
                (*deviation, *mean + correction)
            }
            _ => (1.0, 0.0),
        }
    }

    /// The known answers of labelled samples; a label that training never saw is an error.
    pub fn targets(&self, data: &Dataset) -> Result<Targets> {
        match self {
            Self::Regression { scale, .. } => {
                let values = numbers(data)?;
                // A value of 0 has an infinite logarithm, which is read as 0 again.
                let bad = values.iter().position(|value| *value < 0.0);
                if let (ValueScale::Log { .. } | ValueScale::Count, Some(row)) = (scale, bad) {
                    let expected = "is negative, but this model predicts positive numbers";
                    let message = format!("the target {} {expected}", values[row]);
                    return Err(data.location(row).error(message));
                }
                Ok(self.standardised(&values))
            }
            Self::Binary { classes, .. } | Self::Classes { classes } => {
                class_indices(data, labels(data)?, classes).map(Targets::Classes)
            }
        }
    }

    /// The prediction that belongs to the scores (in the user's units).
    pub fn prediction(&self, scores: &[f64]) -> Prediction {
        let (probabilities, names) = match self {
            Self::Regression { .. } => return Prediction::Value(self.value(scores[0])),
            // Not one minus the other, which would round a small probability to zero.
            Self::Binary { classes, .. } => {
                (vec![logistic(-scores[0]), logistic(scores[0])], classes)
            }
            Self::Classes { classes } => (softmax(scores), classes),
        };
        let class = ClassPrediction::new(self.class(scores), probabilities, names.clone());
        Prediction::Class(class.with_threshold(self.threshold()))
    }

    /// The loss of a sample's scores (in the user's units): the negative logarithm of the true class's
    /// probability or of a count's, or the squared error of the score.
    pub(crate) fn loss(&self, scores: &[f64], targets: &Targets, row: usize) -> f64 {
        match (self.prediction(scores), targets) {
            (Prediction::Class(class), Targets::Classes(classes)) => class.log_loss(classes[row]),
            (Prediction::Value(value), Targets::Values(values)) => {
                let truth = f64::from(values[row]);
                match self.value_scale() {
                    Some(ValueScale::Count) => value - truth * scores[0],
                    _ => {
                        let (factor, offset) = self.units();
                        (scores[0] - (truth * factor + offset)).powi(2)
                    }
                }
            }
            _ => unreachable!("a model's targets are of its own kind"),
        }
    }

    /// The predicted class number; ties go to the lower one.
    pub fn class(&self, scores: &[f64]) -> usize {
        match self {
            Self::Binary { threshold: Some(threshold), .. } => {
                usize::from(logistic(scores[0]) > *threshold)
            }
            Self::Binary { .. } => usize::from(scores[0] > 0.0),
            _ => (0..scores.len())
                .rev()
                .max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
                .unwrap_or(0),
        }
    }
}

impl Targets {
    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Values(values) => values.len(),
        }
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answers of the given rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(rows.iter().map(|&r| classes[r]).collect()),
            Self::Values(values) => Self::Values(rows.iter().map(|&r| values[r]).collect()),
        }
    }
}

fn logistic(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.into_iter().map(|e| e / sum).collect()
}
