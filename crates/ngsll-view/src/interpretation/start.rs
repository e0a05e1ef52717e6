//! The first number of a sum: an intercept, or the answer with no feature known.

use super::ScoreKind;
use crate::ExplainedSample;
use crate::number_format::{Number, probability_percent, value};
use ngsll::Evidence;
use ngsll::explanation::ScoreExplanation;
use ngsll::readable::class_name;

/// The meaning of the number that a sum starts from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Start {
    /// A constant of the model.
    Intercept,
    /// The score with no feature known: the frequency of its class, named if one score stands for two.
    Share { class: Option<String>, share: f64 },
    /// The value with no feature known.
    Mean,
    /// The logarithm of the value with no feature known; the sum is that of the predicted one.
    Logarithm {
        /// With no feature known.
        unknown: f64,
        /// With the known ones.
        predicted: f64,
    },
    /// The difference of two such scores.
    Difference,
}

impl Start {
    /// Name and number of the first addend.
    pub(super) fn written(&self, number: Number) -> (String, String) {
        const UNKNOWN: &str = "with no feature known";
        match self {
            Self::Intercept => ("intercept".to_string(), number.to_string()),
            Self::Share { class, share } => {
                let class = class
                    .as_deref()
                    .map(|class| format!(" {}", class_name(class)))
                    .unwrap_or_default();
                let share = probability_percent(*share);
                (format!("{UNKNOWN}:{class} {share}"), format!("({number})"))
            }
            Self::Mean => (format!("{UNKNOWN}:"), format!("{number} (the mean)")),
            Self::Logarithm { unknown, .. } => {
                (format!("{UNKNOWN}: {}", value(*unknown)), format!("(its logarithm {number})"))
            }
            Self::Difference => (UNKNOWN.to_string(), number.to_string()),
        }
    }
}

/// The first numbers of a sample's sums, in the order of its outputs.
pub(super) fn of(sample: &ExplainedSample, kind: &ScoreKind) -> Vec<Start> {
    let outputs = &sample.explanation.outputs;
    if sample.evidence != Evidence::Chosen {
        return vec![Start::Intercept; outputs.len()];
    }
    let even = |intercept: f64| 1.0 / (1.0 + (-intercept).exp());
    // Less the largest, so that no exponential overflows.
    let most = outputs.iter().map(|o| o.intercept).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = outputs.iter().map(|o| (o.intercept - most).exp()).sum();
    let start = |output: &ScoreExplanation| match kind {
        ScoreKind::Value => Start::Mean,
        ScoreKind::Logarithm(predicted) => {
            Start::Logarithm { unknown: output.intercept.exp(), predicted: *predicted }
        }
        ScoreKind::TwoClasses { positive, .. } => {
            Start::Share { class: Some(positive.clone()), share: even(output.intercept) }
        }
        // One score and its mirror image.
        ScoreKind::Classes if outputs.len() == 2 => {
            Start::Share { class: None, share: even(output.intercept) }
        }
        ScoreKind::Classes => {
            Start::Share { class: None, share: (output.intercept - most).exp() / total }
        }
    };
    outputs.iter().map(start).collect()
}
