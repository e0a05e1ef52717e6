//! The request, and its checks.

use crate::budget::Budget;
use crate::{K, PaperDataset, honesty, methods};
use ngsll::error::{Error, Location, Result};
use ngsll_jobs::holds_records;
use std::path::PathBuf;

/// A table or figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Experiment {
    /// The accuracy table on binary-class MNIST.
    MnistAccuracy,
    /// Milliseconds per explanation.
    MnistTime,
    /// Accuracy against K on the three text data sets.
    TextAccuracy,
    /// The weights for one image of each digit.
    MnistWeights,
    /// The weights for one question of each answer type.
    TrecWeights,
    /// The worth of the features that each method names, by an independent judge. Not of the paper: it
    /// needs a separate folder, and no other experiment is computed with it.
    Honesty,
}

impl Experiment {
    /// All experiments of the paper, in the order of the page.
    pub const ALL: [Experiment; 5] = [
        Experiment::MnistAccuracy,
        Experiment::MnistTime,
        Experiment::MnistWeights,
        Experiment::TextAccuracy,
        Experiment::TrecWeights,
    ];

    /// Its name in commands, such as `mnist-accuracy`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MnistAccuracy => "mnist-accuracy",
            Self::MnistTime => "mnist-time",
            Self::TextAccuracy => "text-accuracy",
            Self::MnistWeights => "mnist-weights",
            Self::TrecWeights => "trec-weights",
            Self::Honesty => "honesty",
        }
    }

    /// What it shows, in a line.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::MnistAccuracy => "The accuracy table on binary-class MNIST",
            Self::MnistTime => "Milliseconds per explanation",
            Self::TextAccuracy => "Accuracy against K on MPQA, Subj and TREC",
            Self::MnistWeights => "The weights for one image of each digit",
            Self::TrecWeights => "The weights for questions of each kind",
            Self::Honesty => {
                "How useful the features named by each method are to an independent judge; takes hours and is not part \
                 of all"
            }
        }
    }

    /// The data sets it needs.
    pub(crate) fn datasets(self) -> &'static [PaperDataset] {
        match self {
            Self::MnistAccuracy | Self::MnistTime | Self::MnistWeights => &[PaperDataset::Mnist],
            Self::TextAccuracy => &PaperDataset::TEXTS,
            Self::TrecWeights => &[PaperDataset::Trec],
            Self::Honesty => &PaperDataset::ALL,
        }
    }
}

/// A request: the results to compute, the data, and the output folder.
/// [`Request::new`] fills in the defaults.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The tables and figures.
    pub experiments: Vec<Experiment>,
    /// The folder that holds all data sets.
    pub data: PathBuf,
    /// The folder to fill: a new one, or that of an earlier run, whose results are used.
    pub out: PathBuf,
    /// The number of seeds; `None`: 5 on text and 3 on images, 3 for honesty, or 1 in the quick form.
    pub seeds: Option<u64>,
    /// The values of K; `None`: those of the paper.
    pub ks: Option<Vec<K>>,
    /// The methods that the accuracy tables compare, out of [`method_names`](crate::method_names), or
    /// honesty, out of [`honesty_method_names`](crate::honesty_method_names); `None`: all, or fewer in
    /// the quick form.
    pub methods: Option<Vec<String>>,
    /// The data sets of honesty, out of [`honesty_set_names`](crate::honesty_set_names); `None`: all.
    pub sets: Option<Vec<String>>,
    /// Whether to compute less, in about a quarter of an hour.
    pub quick: bool,
    /// The number of jobs that run in parallel, each on one thread.
    pub jobs: usize,
    /// The epochs of every training, to try things out; `None`: by data size.
    pub epochs: Option<usize>,
    /// The command to show on the page.
    pub command: String,
}

/// The file of finished results, in the output folder.
pub(crate) const RECORDS: &str = "records.jsonl";
/// The folder of models, in the output folder.
pub(crate) const MODELS: &str = "models";
/// The folder of the features that methods named, in the output folder.
pub(crate) const PICKS: &str = "picks";
/// The page, in the output folder.
pub(crate) const PAGE: &str = "README.md";
/// The first line of the page.
pub(crate) const HEADING: &str = "# The paper's experiments, computed again";

impl Request {
    /// A request with the defaults: everything that the experiments need, one job per core.
    pub fn new(
        experiments: Vec<Experiment>,
        data: impl Into<PathBuf>,
        out: impl Into<PathBuf>,
    ) -> Self {
        Self {
            experiments,
            data: data.into(),
            out: out.into(),
            seeds: None,
            ks: None,
            methods: None,
            sets: None,
            quick: false,
            jobs: rayon::current_num_threads(),
            epochs: None,
            command: "ngsll reproduce".to_string(),
        }
    }

    /// Refuses requests that cannot work, before anything is written.
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
        if self.is_honesty() {
            if self.experiments.len() > 1 {
                let expected = "it needs a separate folder, without other experiments";
                return Err(Error::setting("experiment", "honesty", expected));
            }
            honesty::check(self)?;
        } else if let Some(sets) = &self.sets {
            return Err(Error::setting("sets", sets.join(","), "only honesty has these data sets"));
        } else if let Some(names) = &self.methods {
            methods::check(names, &self.datasets())?;
        }
        if self.ks.as_ref().is_some_and(|ks| ks.iter().all(|k| *k == K::All)) {
            return Err(Error::setting("k", "all", "at least one number is needed, such as 1,all"));
        }
        let images = self.experiments.iter().any(|e| e.datasets().contains(&PaperDataset::Mnist));
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

    /// Refuses a folder with anything else in it, which the page and the tables might overwrite.
    fn check_out(&self) -> Result<()> {
        let refused = || {
            Location::file(&self.out).error(
                "it already exists and is not the folder of an earlier reproduce; choose another name",
            )
        };
        match std::fs::read_dir(&self.out) {
            Ok(entries) => {
                let records = self.out.join(RECORDS);
                let heading = if self.is_honesty() { honesty::HEADING } else { HEADING };
                let ours = match std::fs::read(self.out.join(PAGE)) {
                    Ok(page) => page.starts_with(heading.as_bytes()) && records.is_file(),
                    // The earlier run was stopped before it wrote the page.
                    Err(_) => holds_records(&records),
                };
                let just_started = || {
                    let ours = [RECORDS, MODELS, PICKS];
                    entries.flatten().all(|e| ours.iter().any(|n| e.file_name() == *n))
                };
                if ours || just_started() { Ok(()) } else { Err(refused()) }
            }
            Err(_) if self.out.exists() => Err(refused()),
            Err(_) => Ok(()),
        }
    }

    /// Whether it is the comparison of honesty.
    pub(crate) fn is_honesty(&self) -> bool {
        self.experiments.contains(&Experiment::Honesty)
    }

    /// Whether a method gets every seed because both it and the number of seeds were requested.
    pub(crate) fn insists_on(&self, method: &str) -> bool {
        let named = self.methods.iter().flatten().any(|name| name == method);
        named && self.seeds.is_some()
    }

    /// The data sets it needs.
    pub(crate) fn datasets(&self) -> Vec<PaperDataset> {
        let read = |dataset: &PaperDataset| {
            let asked = |names: &Vec<String>| names.iter().any(|name| name == dataset.name());
            self.sets.as_ref().is_none_or(asked)
                && self.experiments.iter().any(|e| e.datasets().contains(dataset))
        };
        PaperDataset::ALL.into_iter().filter(read).collect()
    }

    /// The amount of computation.
    pub(crate) fn budget(&self) -> Budget {
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

/// The number of features of z on MNIST.
const MNIST_CELLS: usize = 49;
