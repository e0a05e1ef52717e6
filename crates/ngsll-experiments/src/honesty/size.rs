//! The amount of computation of the comparison.

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
            Task::Tabular => 10,
            _ => 5,
        };
        self.epochs.or(self.quick.then_some(quick))
    }

    /// The most samples to learn from.
    pub(super) fn learned(&self, set: JudgedSet) -> usize {
        let n = match (set, self.quick) {
            (JudgedSet::Paper(PaperDataset::Mnist), true) => 5_000,
            (JudgedSet::Paper(_), true) => 3_000,
            (JudgedSet::Paper(_), false) => usize::MAX,
            (JudgedSet::Syn(_), _) => 10_000,
            (JudgedSet::Phrase | JudgedSet::Shapes, true) => 2_000,
            (JudgedSet::Phrase | JudgedSet::Shapes, false) => 4_000,
        };
        self.most.map_or(n, |[learned, _]| n.min(learned))
    }

    /// The most test samples that are explained and judged.
    pub(super) fn judged(&self, set: JudgedSet) -> usize {
        let n = match (set, self.quick) {
            (JudgedSet::Syn(_), false) => 2_000,
            (JudgedSet::Shapes, false) => 500,
            (_, false) => 1_000,
            // LIME and KernelSHAP query a network of images thousands of times per sample.
            (JudgedSet::Shapes, true) => 30,
            (_, true) => 100,
        };
        self.most.map_or(n, |[_, judged]| n.min(judged))
    }

    /// Descriptions of what the quick form omits.
    pub(super) fn omissions(&self, request: &Request) -> Vec<String> {
        if !self.quick {
            return Vec::new();
        }
        let mut omissions = vec![
            "5,000 images of MNIST, 3,000 texts of each data set and 2,000 planted texts and images to learn from"
                .to_string(),
            "100 explained samples of each data set, 30 of the shapes".to_string(),
        ];
        if request.seeds.is_none() {
            omissions.push("1 of 3 seeds".to_string());
        }
        if request.ks.is_none() {
            omissions.push("K = 1 and 5 on MNIST, 1 and 3 on texts and shapes".to_string());
        }
        if request.epochs.is_none() {
            let epochs = "5 epochs, 10 on tables; the default depends on the size of the data";
            omissions.push(epochs.to_string());
        }
        omissions
    }
}
