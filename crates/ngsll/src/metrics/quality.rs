//! How good scores are, in one figure or two.

use super::{auroc, r2};
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};

/// How good the scores of many samples are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Quality {
    /// Share of samples whose class is predicted (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the ROC curve (two classes, both present).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Share of the target's variance that is explained (regression, where the target varies).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
}

impl Quality {
    /// Of scores in the user's units.
    pub fn of(objective: &Objective, scores: &[Vec<f64>], targets: &Targets) -> Self {
        let first = || scores.iter().map(|scores| scores[0]);
        match targets {
            Targets::Classes(classes) => {
                let pairs = scores.iter().zip(classes);
                let right = pairs.filter(|(s, class)| objective.class(s) == **class).count();
                let accuracy = (!scores.is_empty()).then(|| right as f64 / scores.len() as f64);
                let truths = || classes.iter().map(|&class| class as f64).collect::<Vec<_>>();
                let two = matches!(objective, Objective::Binary { .. });
                let auroc = two.then(|| auroc(&first().collect::<Vec<_>>(), &truths())).flatten();
                Self { accuracy, auroc, r2: None }
            }
            Targets::Values(values) => {
                let (factor, offset) = objective.units();
                let truths: Vec<f64> =
                    values.iter().map(|&v| f64::from(v) * factor + offset).collect();
                let r2 = r2(&first().collect::<Vec<_>>(), &truths);
                Self { accuracy: None, auroc: None, r2 }
            }
        }
    }

    /// The figure that models are compared by: accuracy, or R².
    pub fn main(&self) -> Option<f64> {
        self.accuracy.or(self.r2)
    }
}
