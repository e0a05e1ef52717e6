//! What was asked for.

use crate::budget::Budget;
use crate::{Dataset, K, methods};
use ngsll::error::{Error, Place, Result};
use std::path::{Path, PathBuf};

/// A table or figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// The accuracy table on binary-class MNIST.
    MnistAccuracy,
    /// Milliseconds per explanation.
    MnistTime,
    /// Accuracy against K on three text sets.
    TextAccuracy,
    /// The weights for one image of each digit.
    MnistWeights,
    /// The weights for questions of each kind.
    TrecWeights,
}

impl Experiment {
    /// All, in the order of the page.
    pub const ALL: [Experiment; 5] = [
        Experiment::MnistAccuracy,
        Experiment::MnistTime,
        Experiment::MnistWeights,
        Experiment::TextAccuracy,
        Experiment::TrecWeights,
    ];

    /// The data sets it reads.
    pub fn datasets(self) -> &'static [Dataset] {
        match self {
            Self::MnistAccuracy | Self::MnistTime | Self::MnistWeights => &[Dataset::Mnist],
            Self::TextAccuracy => &Dataset::TEXTS,
            Self::TrecWeights => &[Dataset::Trec],
        }
    }
}

/// What to compute, from what, and where to put it.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which tables and figures.
    pub experiments: Vec<Experiment>,
    /// The folder of all data sets.
    pub data: PathBuf,
    /// The folder to fill: a new one, or one of an earlier call, whose finished cells are kept.
    pub out: PathBuf,
    /// How many seeds; by budget if absent.
    pub seeds: Option<u64>,
    /// Which K; by budget if absent.
    pub ks: Option<Vec<K>>,
    /// Which methods the accuracy tables compare; by budget if absent.
    pub methods: Option<Vec<String>>,
    /// The short form.
    pub quick: bool,
    /// How many jobs run side by side.
    pub jobs: usize,
    /// Epochs of every training, for a try; by budget if absent.
    pub epochs: Option<usize>,
    /// The command, as the page shows it.
    pub command: String,
}

/// The folder in it that holds the finished cells.
pub const CELLS: &str = "cells";
/// The folder in it that holds the models of cells.
pub const MODELS: &str = "models";
/// The page in it,
pub const PAGE: &str = "README.md";
/// which begins like this.
pub const HEADING: &str = "# The paper's experiments, computed again";

impl Request {
    /// Refuses what cannot work, before anything is written.
    pub fn check(&self) -> Result<()> {
        if self.seeds == Some(0) {
            return Err(Error::setting("seeds", 0, "at least 1"));
        }
        if self.jobs == 0 {
            return Err(Error::setting("jobs", 0, "at least 1"));
        }
        if self.epochs == Some(0) {
            return Err(Error::setting("epochs", 0, "at least 1"));
        }
        if let Some(names) = &self.methods {
            methods::check(names, &self.datasets())?;
        }
        if self.ks.as_ref().is_some_and(|ks| ks.iter().all(|k| *k == K::All)) {
            return Err(Error::setting("k", "all", "at least one number is needed, such as 1,all"));
        }
        let images = self.experiments.iter().any(|e| e.datasets().contains(&Dataset::Mnist));
        let large = |k: &&K| matches!(k, K::Top(k) if *k > MNIST_CELLS);
        if let Some(k) = self.ks.iter().flatten().find(large).filter(|_| images) {
            let expected = format!("K must be from 1 to {MNIST_CELLS}, the cells of a digit");
            return Err(Error::setting("k", k, expected));
        }
        for dataset in self.datasets() {
            dataset.find(&self.data)?;
        }
        self.check_out()
    }

    /// A folder that holds something else is left alone.
    fn check_out(&self) -> Result<()> {
        let refuse = || {
            Place::file(&self.out).error(
                "it exists already and is not the folder of an earlier reproduce; choose another name",
            )
        };
        match std::fs::read_dir(&self.out) {
            Ok(entries) => {
                // A page of somebody else's would be overwritten.
                let page = std::fs::read(self.out.join(PAGE)).ok();
                let ours = match page {
                    Some(page) => page.starts_with(HEADING.as_bytes()),
                    // It was stopped before it wrote one.
                    None => holds_cells(&self.out.join(CELLS)),
                };
                let begun = || {
                    entries.flatten().all(|e| [CELLS, MODELS].iter().any(|n| e.file_name() == *n))
                };
                if ours || begun() { Ok(()) } else { Err(refuse()) }
            }
            Err(_) if self.out.exists() => Err(refuse()),
            Err(_) => Ok(()),
        }
    }

    /// Whether a method is to have every seed: both it and their number were given.
    pub(crate) fn insists_on(&self, method: &str) -> bool {
        let named = self.methods.iter().flatten().any(|name| name == method);
        named && self.seeds.is_some()
    }

    /// The data sets that are read.
    pub fn datasets(&self) -> Vec<Dataset> {
        let read = |dataset: &Dataset| {
            self.experiments.iter().any(|experiment| experiment.datasets().contains(dataset))
        };
        Dataset::ALL.into_iter().filter(read).collect()
    }

    /// How much is computed.
    pub fn budget(&self) -> Budget {
        let mut budget = if self.quick { Budget::quick() } else { Budget::full() };
        if let Some(seeds) = self.seeds {
            (budget.image_seeds, budget.text_seeds) = (seeds, seeds);
        }
        if let Some(ks) = &self.ks {
            let mut ks = ks.clone();
            ks.sort_unstable();
            ks.dedup();
            let tops: Vec<K> = ks.iter().copied().filter(|k| *k != K::All).collect();
            (budget.image_ks, budget.text_ks) = (tops.clone(), ks);
            budget.shown_ks = tops;
        }
        if let Some(epochs) = self.epochs {
            (budget.image_epochs, budget.text_epochs) = (self.epochs, self.epochs);
            budget.ame_epochs = epochs;
        }
        budget
    }
}

/// Whether there is a file whose name ends as that of a cell does.
fn holds_cells(folder: &Path) -> bool {
    let is_cell = |name: &str| {
        let hash = name.strip_suffix(".json").and_then(|name| name.rsplit_once('-'));
        hash.is_some_and(|(_, hash)| hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.into_iter().any(|file| file.file_name().to_str().is_some_and(is_cell))
}

/// Features of z on MNIST.
const MNIST_CELLS: usize = 49;
