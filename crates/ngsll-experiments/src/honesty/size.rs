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
    /// Most samples to learn from and to explain, for tests.
    pub(super) most: Option<[usize; 2]>,
}

impl Size {
    pub(super) fn of(request: &Request) -> Self {
        let seeds = request.seeds.unwrap_or(if request.quick { 1 } else { 3 });
        Self { quick: request.quick, seeds, epochs: request.epochs, most: None }
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

    /// How many samples there are to learn from, at most.
    pub(super) fn learned(&self, set: JudgedSet) -> usize {
        let n = match (set, self.quick) {
            (JudgedSet::Paper(PaperDataset::Mnist), true) => 6_000,
            (JudgedSet::Paper(_), _) => usize::MAX,
            (JudgedSet::Syn(_), _) => 10_000,
            (JudgedSet::Shapes, true) => 2_000,
            (JudgedSet::Phrase | JudgedSet::Shapes, _) => 4_000,
        };
        self.most.map_or(n, |[learned, _]| n.min(learned))
    }

    /// How many test samples are explained and judged, at most.
    pub(super) fn judged(&self, set: JudgedSet) -> usize {
        let n = match (set, self.quick) {
            (JudgedSet::Syn(_), false) => 2_000,
            (JudgedSet::Shapes, false) => 500,
            (_, false) => 1_000,
            // LIME and KernelSHAP ask a network of images thousands of times a sample.
            (JudgedSet::Shapes, true) => 50,
            (_, true) => 200,
        };
        self.most.map_or(n, |[_, judged]| n.min(judged))
    }

    /// What the quick form leaves out.
    pub(super) fn omissions(&self, request: &Request) -> Vec<String> {
        if !self.quick {
            return Vec::new();
        }
        let mut omissions = vec![
            "6,000 images of MNIST to learn from and 2,000 of the shapes".to_string(),
            "200 explained samples of each data set, 50 of the shapes".to_string(),
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
