//! How much of the comparison is computed.

use super::sets::JudgedSet;
use crate::PaperDataset;
use crate::request::Request;
use ngsll::config::Task;

/// The size of the comparison.
#[derive(Debug, Clone)]
pub(super) struct Size {
    pub(super) quick: bool,
    /// Splits or draws of each data set.
    seeds: u64,
    /// The epochs of every training; `None`: by data size or, in the quick form, by kind.
    epochs: Option<usize>,
    /// Shrinks the data sets, for tests.
    pub(super) most_samples: Option<usize>,
}

impl Size {
    pub(super) fn of(request: &Request) -> Self {
        let seeds = request.seeds.unwrap_or(if request.quick { 1 } else { 3 });
        Self { quick: request.quick, seeds, epochs: request.epochs, most_samples: None }
    }

    pub(super) fn seeds(&self) -> u64 {
        self.seeds
    }

    /// The epochs of a training; `None`: by data size.
    pub(super) fn epochs(&self, set: JudgedSet) -> Option<usize> {
        let quick = match set.task() {
            Task::Image => 6,
            _ => 10,
        };
        self.epochs.or(self.quick.then_some(quick))
    }

    /// How many samples there are to learn from; `None`: all there are.
    pub(super) fn learned(&self, set: JudgedSet) -> Option<usize> {
        let n = match (set, self.quick) {
            (JudgedSet::Paper(PaperDataset::Mnist), true) => Some(6_000),
            (JudgedSet::Paper(_), _) => None,
            (JudgedSet::Syn(_), _) => Some(10_000),
            (_, false) => Some(4_000),
            (JudgedSet::Phrase, true) => Some(4_000),
            (JudgedSet::Shapes, true) => Some(2_000),
        };
        match (n, self.most_samples) {
            (n, Some(most)) => Some(n.map_or(most, |n| n.min(most))),
            (n, None) => n,
        }
    }

    /// How many test samples are explained and judged, at most.
    pub(super) fn judged(&self, set: JudgedSet) -> usize {
        let n = match set {
            _ if self.quick => 200,
            JudgedSet::Syn(_) => 2_000,
            JudgedSet::Shapes => 500,
            _ => 1_000,
        };
        self.most_samples.map_or(n, |most| n.min(most))
    }

    /// What the quick form leaves out.
    pub(super) fn omissions(&self, request: &Request) -> Vec<String> {
        if !self.quick {
            return Vec::new();
        }
        let mut omissions = vec![
            "6,000 images of MNIST to learn from and 2,000 of the shapes".to_string(),
            "200 explained samples of each data set".to_string(),
        ];
        if request.seeds.is_none() {
            omissions.push("1 of 3 seeds".to_string());
        }
        if request.epochs.is_none() {
            let epochs = "6 epochs on images and 10 on texts and tables; the default depends on the size of the data";
            omissions.push(epochs.to_string());
        }
        omissions
    }
}
