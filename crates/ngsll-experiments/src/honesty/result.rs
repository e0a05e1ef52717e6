//! One line of the comparison.

use crate::csv_files;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of named features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JudgedK {
    /// K of every sample.
    Top(usize),
    /// As many as decide the row.
    Relevant,
}

impl fmt::Display for JudgedK {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top(k) => k.fmt(f),
            Self::Relevant => f.pad("relevant"),
        }
    }
}

/// The worth of the features that a method names: a line of `results.csv`, whose columns have the same
/// names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JudgedResult {
    /// The data set's name.
    pub(super) dataset: String,
    /// The method's name.
    pub(super) method: String,
    /// K.
    pub(super) k: JudgedK,
    /// The seed of draw or split and of all training.
    pub(super) seed: u64,
    /// The number of explained samples.
    pub(super) samples: usize,
    /// The accuracy of the method's own predictions, or of the DNN that it explains.
    pub(super) own_accuracy: Option<f64>,
    /// The judge's accuracy from the named features alone.
    pub(super) judge_accuracy: f64,
    /// The judge's accuracy from all features.
    pub(super) judge_accuracy_all: f64,
    /// Own minus judge's, if the method predicts from the features that it names.
    pub(super) encoding_gap: Option<f64>,
    /// The share of samples in which as many other features lead the judge to another class.
    pub(super) contest_rate: Option<f64>,
    /// The share of the named features that are relevant ones, if those are known.
    pub(super) precision: Option<f64>,
    /// The share of the relevant features that are named.
    pub(super) recall: Option<f64>,
    /// Milliseconds per explanation on one thread, in batches where the method allows it.
    pub(super) ms_per_explanation: f64,
    /// Seconds from the start of the job that named the features until it had them.
    pub(super) seconds_since_job_start: f64,
    /// The version of the program that computed it.
    pub(super) version: String,
    /// The machine it was computed on.
    pub(super) machine: String,
}

/// `results.csv`: a line per result.
pub(super) fn csv(results: &[JudgedResult]) -> String {
    let header = [
        "dataset",
        "method",
        "k",
        "seed",
        "samples",
        "own_accuracy",
        "judge_accuracy",
        "judge_accuracy_all",
        "encoding_gap",
        "contest_rate",
        "precision",
        "recall",
        "ms_per_explanation",
        "seconds_since_job_start",
        "version",
        "machine",
    ];
    let number = |value: f64| format!("{value:.6}");
    let some = |value: Option<f64>| value.map_or(String::new(), number);
    csv_files::write(header, results, |result| {
        [
            result.dataset.clone(),
            result.method.clone(),
            result.k.to_string(),
            result.seed.to_string(),
            result.samples.to_string(),
            some(result.own_accuracy),
            number(result.judge_accuracy),
            number(result.judge_accuracy_all),
            some(result.encoding_gap),
            some(result.contest_rate),
            some(result.precision),
            some(result.recall),
            format!("{:.4}", result.ms_per_explanation),
            format!("{:.1}", result.seconds_since_job_start),
            result.version.clone(),
            result.machine.clone(),
        ]
    })
}
