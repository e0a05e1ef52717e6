//! The input and the output of a job of the comparison.

use super::JudgedMethod;
use super::numbering::Numbering;
use crate::honesty::sets::JudgedData;
use crate::honesty::size::Size;
use ngsll::error::Result;
use ngsll::objective::Objective;
use ngsll::{Dataset, Evidence, TrainingSetup};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The features that a method names, a list for each judged sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::honesty) struct Picks {
    /// Whether its own prediction of each sample, or that of the network that it explains, is right.
    pub(in crate::honesty) right: Option<Vec<bool>>,
    /// Milliseconds per explanation, on one thread.
    pub(in crate::honesty) milliseconds: f64,
    /// By the judge's numbers.
    pub(in crate::honesty) features: Vec<Vec<usize>>,
    /// Seconds from the start of the job until they existed.
    pub(in crate::honesty) seconds_since_job_start: f64,
}

/// Receives the features that a method names with one K.
pub(in crate::honesty) type OnPicks<'a> = dyn FnMut(JudgedMethod, usize, Picks) -> Result<()> + 'a;

/// The input of a job: methods of one family on one data set, each with some K.
pub(in crate::honesty) struct Work<'a> {
    pub(in crate::honesty) prepared: &'a JudgedData,
    pub(in crate::honesty) size: &'a Size,
    pub(in crate::honesty) wanted: &'a [(JudgedMethod, usize)],
    pub(in crate::honesty) started: Instant,
}

impl Work<'_> {
    /// The K of a method; none if it is not wanted.
    pub(super) fn ks(&self, method: JudgedMethod) -> Vec<usize> {
        self.wanted.iter().filter(|(wanted, _)| *wanted == method).map(|(_, k)| *k).collect()
    }

    /// The samples, split and encoded, and the features as the judge counts them.
    pub(super) fn setup(&self, evidence: Evidence) -> Result<(TrainingSetup, Numbering)> {
        let setup = self.prepared.setup(self.size, evidence)?;
        let numbering = Numbering::new(self.prepared, &setup)?;
        Ok((setup, numbering))
    }

    /// The result of naming these features, which took `time` for all samples.
    pub(super) fn picks(
        &self,
        right: Option<Vec<bool>>,
        features: Vec<Vec<usize>>,
        time: Duration,
    ) -> Picks {
        Picks {
            right,
            milliseconds: time.as_secs_f64() * 1e3 / features.len().max(1) as f64,
            features,
            seconds_since_job_start: self.started.elapsed().as_secs_f64(),
        }
    }
}

/// Whether the class with the best score of each sample is its label.
pub(super) fn are_right(objective: &Objective, scores: &[Vec<f64>], judged: &Dataset) -> Vec<bool> {
    let class = |scores: &[f64]| objective.classes()[objective.class(scores)].as_str();
    let rows = scores.iter().enumerate();
    rows.map(|(row, scores)| judged.label(row) == Some(class(scores))).collect()
}
