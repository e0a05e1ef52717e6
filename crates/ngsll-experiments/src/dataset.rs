//! The paper's four data sets, in the layout of `ngsll data get`.

use ngsll::config::{DataConfig, Task};
use ngsll::dataset::{Dataset, Groups, Labels, Samples};
use ngsll::error::{Error, Location, Result};
use ngsll_readers::{LabelUse, open, read_all};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A data set of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PaperDataset {
    /// Handwritten digits, 28×28 pixels.
    Mnist,
    /// Opinion phrases: negative or positive.
    Mpqa,
    /// Sentences from film reviews: subjective or objective.
    Subj,
    /// Questions with six answer types.
    Trec,
}

/// The two classes of binary-class MNIST.
pub(crate) fn digit_groups() -> Groups {
    Groups::parse("0-4=low,5-9=high").expect("the groups do not overlap")
}

impl PaperDataset {
    /// All data sets, in the order of their names.
    pub const ALL: [PaperDataset; 4] =
        [PaperDataset::Mnist, PaperDataset::Mpqa, PaperDataset::Subj, PaperDataset::Trec];
    /// The text data sets.
    pub(crate) const TEXTS: [PaperDataset; 3] =
        [PaperDataset::Mpqa, PaperDataset::Subj, PaperDataset::Trec];

    /// The name, as in commands and as the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            PaperDataset::Mnist => "mnist",
            PaperDataset::Mpqa => "mpqa",
            PaperDataset::Subj => "subj",
            PaperDataset::Trec => "trec",
        }
    }

    /// The name, as in running text.
    pub(crate) fn title(self) -> &'static str {
        match self {
            PaperDataset::Mnist => "MNIST",
            PaperDataset::Mpqa => "MPQA",
            PaperDataset::Subj => "Subj",
            PaperDataset::Trec => "TREC",
        }
    }

    /// The kind of its samples.
    pub(crate) fn task(self) -> Task {
        if self == PaperDataset::Mnist { Task::Image } else { Task::Text }
    }

    /// The names of its files.
    fn files(self) -> &'static [&'static str] {
        match self {
            PaperDataset::Mnist => &[
                "train-images-idx3-ubyte.gz",
                "train-labels-idx1-ubyte.gz",
                "t10k-images-idx3-ubyte.gz",
                "t10k-labels-idx1-ubyte.gz",
            ],
            PaperDataset::Mpqa => &["mpqa.tsv", "labels.txt"],
            PaperDataset::Subj => &["subj.tsv", "labels.txt"],
            // The paper joins the two and splits them at random.
            PaperDataset::Trec => &["train.tsv", "test.tsv", "labels.txt"],
        }
    }

    /// The paths of its files in the folder that holds all data sets; a missing file is an error.
    pub(crate) fn find(self, folder: &Path) -> Result<Vec<PathBuf>> {
        let path = |file: &&str| folder.join(self.name()).join(file);
        let paths: Vec<PathBuf> = self.files().iter().map(path).collect();
        match paths.iter().find(|path| !path.is_file()) {
            Some(path) => Err(Location::file(path).error(format!(
                "there is no such file; \"ngsll data get {} --dir {}\" makes it",
                self.name(),
                folder.display()
            ))),
            None => Ok(paths),
        }
    }
}

impl fmt::Display for PaperDataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for PaperDataset {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::setting("dataset", name, format!("the datasets are {names}"))
        })
    }
}

/// A data set in memory.
#[derive(Debug)]
pub(crate) struct LoadedDataset {
    pub(crate) dataset: PaperDataset,
    /// The samples that seeds split.
    pub(crate) samples: Dataset,
    /// The test samples, where they are fixed.
    pub(crate) test: Option<Dataset>,
    /// The digit of each of those, which their classes (low or high) do not tell.
    pub(crate) digits: Vec<String>,
    /// SHA-256 of the files.
    pub(crate) digest: String,
}

impl LoadedDataset {
    /// Reads the files in the folder that holds all data sets.
    pub(crate) fn load(dataset: PaperDataset, folder: &Path) -> Result<Self> {
        let paths = dataset.find(folder)?;
        let mut hash = Sha256::new();
        for path in &paths {
            hash.update(std::fs::read(path).map_err(|e| Error::io(path, "read", e))?);
        }
        let digest = format!("{:x}", hash.finalize());
        let read = |path: &Path, labels: Option<&Path>| {
            let (task, config) = (dataset.task(), DataConfig::default());
            read_all(open(task, &config, path, labels, LabelUse::Required, None)?.as_mut())
        };
        if dataset == PaperDataset::Mnist {
            let groups = digit_groups();
            let samples = read(&paths[0], Some(&paths[1]))?.grouped(&groups)?;
            let test = read(&paths[2], Some(&paths[3]))?;
            let digits =
                test.labels().into_iter().flat_map(Labels::iter).map(String::from).collect();
            let test = Some(test.grouped(&groups)?);
            return Ok(Self { dataset, samples, test, digits, digest });
        }
        let (names, files) = paths.split_last().expect("every data set has files");
        let names = std::fs::read_to_string(names).map_err(|e| Error::io(names, "read", e))?;
        let names: Vec<&str> = names.lines().map(str::trim).collect();
        let mut parts = files.iter().map(|file| with_class_names(read(file, None)?, &names));
        let first = parts.next().expect("every data set has samples")?;
        let samples = parts.try_fold(first, |all, more| join(&all, &more?))?;
        Ok(Self { dataset, samples, test: None, digits: Vec::new(), digest })
    }
}

#[cfg(test)]
impl LoadedDataset {
    /// A stand-in of `n` texts of two classes, in turn.
    pub(crate) fn of_texts(dataset: PaperDataset, n: usize, digest: &str) -> Self {
        let texts = (0..n).map(|i| ["good", "bad"][i % 2]);
        let samples = Dataset::texts(texts, (0..n).map(|i| i % 2)).unwrap();
        Self { dataset, samples, test: None, digits: Vec::new(), digest: digest.to_string() }
    }
}

/// The samples of two files, in order.
fn join(all: &Dataset, more: &Dataset) -> Result<Dataset> {
    let samples = Samples::join([all, more].map(Dataset::samples)).expect("both are texts");
    let labels = [all, more].into_iter().filter_map(Dataset::labels).flat_map(Labels::iter);
    Dataset::new(samples).with_labels(labels)
}

/// The same samples with their class numbers replaced by the names in `labels.txt`.
fn with_class_names(data: Dataset, names: &[&str]) -> Result<Dataset> {
    let name = |(row, label): (usize, &str)| {
        let name = label.parse().ok().and_then(|number: usize| names.get(number).copied());
        name.ok_or_else(|| {
            let last = names.len().saturating_sub(1);
            data.location(row).error(format!("label {label:?} is not one of 0 to {last}"))
        })
    };
    let labels = data.labels().into_iter().flat_map(Labels::iter).enumerate();
    let labels = labels.map(name).collect::<Result<Vec<_>>>()?;
    data.with_labels(labels)
}
