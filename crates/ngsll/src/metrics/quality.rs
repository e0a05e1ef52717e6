//! The quality of scores, in one or two figures.

use super::Metrics;
use crate::objective::{Objective, Targets};
use serde::{Deserialize, Serialize};

/// The quality of the scores of many samples.
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
    /// The quality of scores in the user's units.
    pub fn of(objective: &Objective, scores: &[Vec<f64>], targets: &Targets) -> Self {
        let Metrics { accuracy, auroc, r2, .. } = Metrics::of(objective, scores, targets);
        Self { accuracy, auroc, r2 }
    }

    /// The figure that models are compared by: accuracy, or R².
    pub fn main(&self) -> Option<f64> {
        self.accuracy.or(self.r2)
    }
}
