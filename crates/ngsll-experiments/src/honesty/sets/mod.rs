//! The data sets of the comparison: four of the paper's, and planted ones, whose reasons are known.

mod phrase;
mod planted;
mod shapes;
mod syn;

pub(super) use planted::{Planted, precision_and_recall};

use super::size::Size;
use crate::PaperDataset;
use crate::dataset::LoadedDataset;
use ngsll::config::Task;
use ngsll::error::Result;
use ngsll::objective::ObjectiveChoice;
use ngsll::random::{Purpose, stream};
use ngsll::representation::Representation;
use ngsll::{Config, Dataset, Device, Evidence, TrainingSetup};
use planted::Reason;
use std::collections::BTreeSet;

/// A data set of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JudgedSet {
    /// One of the paper's.
    Paper(PaperDataset),
    /// One of the six synthetic tables, from 1.
    Syn(u8),
    /// Texts in which a phrase decides.
    Phrase,
    /// Images with a shape at a random place.
    Shapes,
}

impl JudgedSet {
    /// All, in the order of the page.
    pub(super) const ALL: [Self; 12] = [
        Self::Paper(PaperDataset::Mnist),
        Self::Paper(PaperDataset::Trec),
        Self::Paper(PaperDataset::Subj),
        Self::Paper(PaperDataset::Mpqa),
        Self::Syn(1),
        Self::Syn(2),
        Self::Syn(3),
        Self::Syn(4),
        Self::Syn(5),
        Self::Syn(6),
        Self::Phrase,
        Self::Shapes,
    ];

    /// The name in results.
    pub(super) fn name(self) -> String {
        match self {
            Self::Paper(dataset) => dataset.name().to_string(),
            Self::Syn(table) => format!("syn{table}"),
            Self::Phrase => "phrase".to_string(),
            Self::Shapes => "shapes".to_string(),
        }
    }

    /// The name in tables and figures.
    pub(super) fn title(self) -> String {
        match self {
            Self::Paper(dataset) => dataset.title().to_string(),
            Self::Syn(table) => format!("Syn{table}"),
            Self::Phrase => "Phrase".to_string(),
            Self::Shapes => "Shapes".to_string(),
        }
    }

    /// The kind of its samples.
    pub(super) fn task(self) -> Task {
        match self {
            Self::Paper(dataset) => dataset.task(),
            Self::Syn(_) => Task::Tabular,
            Self::Phrase => Task::Text,
            Self::Shapes => Task::Image,
        }
    }

    /// Whether the reasons are known.
    pub(super) fn is_planted(self) -> bool {
        !matches!(self, Self::Paper(_))
    }

    /// The numbers of features to explain with, given the requested ones. If the number of relevant features
    /// of a row is known, it is that number, whatever was requested.
    pub(super) fn ks(self, asked: Option<&[usize]>, quick: bool) -> Vec<usize> {
        let default: &[usize] = match (self, quick) {
            (Self::Syn(table), _) => return syn::ks(table),
            (Self::Phrase, _) => return vec![2],
            (Self::Paper(PaperDataset::Mnist), false) => &[1, 3, 5, 10],
            (Self::Paper(PaperDataset::Mnist), true) => &[1, 5],
            (Self::Paper(_), false) => &[1, 2, 3, 5],
            (Self::Shapes, false) => &[1, 3, 5],
            (Self::Paper(_) | Self::Shapes, true) => &[1, 3],
        };
        asked.unwrap_or(default).to_vec()
    }

    /// Whether K is the number of relevant features of each row.
    pub(super) fn k_by_row(self) -> bool {
        matches!(self, Self::Syn(_))
    }

    /// The options of a model with this evidence: the library's defaults.
    pub(super) fn config(self, size: &Size, seed: u64, evidence: Evidence) -> Config {
        let mut config = Config::with_evidence(self.task(), evidence);
        (config.k, config.seed) = (1, seed);
        config.training.epochs = size.epochs(self);
        if self.task() == Task::Tabular {
            config.objective = ObjectiveChoice::Classes;
        }
        (config.data.valid_fraction, config.data.test_fraction) = match self {
            Self::Paper(PaperDataset::Mnist) => (1.0 / 12.0, 0.0),
            Self::Paper(_) => (0.1, 0.1),
            _ => (0.1, 0.0),
        };
        config
    }

    /// Draws or splits the samples by a seed. `loaded` are the files of the paper's data sets.
    pub(super) fn prepare(
        self,
        loaded: &[LoadedDataset],
        size: &Size,
        seed: u64,
    ) -> Result<JudgedData> {
        let (learned, judged) = (size.learned(self), size.judged(self));
        let draw = |n: usize, part: u64| match self {
            Self::Syn(table) => syn::draw(table, n, seed, part),
            Self::Phrase => phrase::draw(n, seed, part),
            _ => shapes::draw(n, seed, part),
        };
        let Self::Paper(dataset) = self else {
            let samples = draw(learned, 0)?.data;
            let Planted { data, reasons } = draw(judged, 1)?;
            return Ok(JudgedData {
                set: self,
                seed,
                samples,
                judged: data,
                reasons: Some(reasons),
            });
        };
        let files = loaded.iter().find(|loaded| loaded.dataset == dataset);
        let files = files.expect("every data set of the request is loaded");
        let drawn = |data: &Dataset, most: usize| {
            data.thinned(most, &mut stream(seed, Purpose::Sample, 0, 0))
        };
        let samples = drawn(&files.samples, learned);
        let test = match &files.test {
            Some(test) => test.clone(),
            None => {
                let config = self.config(size, seed, Evidence::Whole);
                let setup =
                    TrainingSetup::new(config.check()?, &samples, None, &Device::default())?;
                samples.select(&setup.rows().test)
            }
        };
        let judged = drawn(&test, judged);
        Ok(JudgedData { set: self, seed, samples, judged, reasons: None })
    }
}

/// A data set, drawn or split by a seed.
pub(super) struct JudgedData {
    pub(super) set: JudgedSet,
    pub(super) seed: u64,
    /// The samples for training and validation, by the shares of the options.
    pub(super) samples: Dataset,
    /// The test samples that every method explains.
    pub(super) judged: Dataset,
    /// The reason for the label of each, if known.
    reasons: Option<Vec<Reason>>,
}

impl JudgedData {
    /// The samples, split and encoded for a model with this evidence.
    pub(super) fn setup(&self, size: &Size, evidence: Evidence) -> Result<TrainingSetup> {
        let options = self.set.config(size, self.seed, evidence).check()?;
        TrainingSetup::new(options, &self.samples, None, &Device::default())
    }

    /// The features as the judge counts them.
    pub(super) fn features(&self, setup: &TrainingSetup) -> Result<Representation> {
        let config = &setup.config().representation;
        config.fit(self.samples.samples(), &setup.rows().train, Evidence::Chosen)
    }

    /// The relevant features of each judged sample, if known.
    pub(super) fn relevant(&self, features: &Representation) -> Option<Vec<BTreeSet<usize>>> {
        let of = |reason: &Reason| reason.features(features);
        self.reasons.as_ref().map(|reasons| reasons.iter().map(of).collect())
    }
}
