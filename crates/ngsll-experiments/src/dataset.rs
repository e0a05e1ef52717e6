//! The paper's four data sets, in the layout of `ngsll data get`.

use ngsll::Config;
use ngsll::config::Task;
use ngsll::data::{Chunk, Groups, Labels, Origin, Samples, read_all};
use ngsll::error::{Error, Place, Result};
use ngsll::objective::group;
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
pub(crate) const DIGIT_GROUPS: &str = "0-4=low,5-9=high";

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
            Some(path) => Err(Place::file(path).error(format!(
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
    pub(crate) samples: Chunk,
    /// The test samples, where they are fixed.
    pub(crate) test: Option<Chunk>,
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
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let config = Config::new(dataset.task());
        let read = |path: &Path, labels: Option<&Path>| {
            read_all(config.open(path, labels, Labels::Required, None)?.as_mut())
        };
        if dataset == PaperDataset::Mnist {
            let groups = Groups::parse(DIGIT_GROUPS)?;
            let mut samples = read(&paths[0], Some(&paths[1]))?;
            let mut test = read(&paths[2], Some(&paths[3]))?;
            let digits = test.labels.clone().unwrap_or_default();
            group(&mut samples, &groups)?;
            group(&mut test, &groups)?;
            return Ok(Self { dataset, samples, test: Some(test), digits, digest });
        }
        let (names, files) = paths.split_last().expect("every data set has files");
        let mut samples = read(&files[0], None)?;
        for file in &files[1..] {
            join(&mut samples, read(file, None)?);
        }
        name_classes(&mut samples, names)?;
        Ok(Self { dataset, samples, test: None, digits: Vec::new(), digest })
    }
}

#[cfg(test)]
impl LoadedDataset {
    /// A stand-in of `n` texts of two classes, in turn.
    pub(crate) fn of_texts(dataset: PaperDataset, n: usize, digest: &str) -> Self {
        let samples = Chunk {
            samples: Samples::Texts((0..n).map(|i| ["good", "bad"][i % 2]).collect()),
            labels: Some((0..n).map(|i| (i % 2).to_string()).collect()),
            origin: Origin::Lines { file: "memory".into(), lines: (1..=n as u64).collect() },
        };
        Self { dataset, samples, test: None, digits: Vec::new(), digest: digest.to_string() }
    }
}

/// Appends texts; their line numbers continue those of the first file.
fn join(all: &mut Chunk, more: Chunk) {
    if let (Samples::Texts(all), Samples::Texts(more)) = (&mut all.samples, &more.samples) {
        more.iter().for_each(|text| all.push(text));
    }
    if let (Some(all), Some(more)) = (&mut all.labels, more.labels) {
        all.extend(more);
    }
    if let (Origin::Lines { lines, .. }, Origin::Lines { lines: more, .. }) =
        (&mut all.origin, more.origin)
    {
        let before = lines.len() as u64;
        lines.extend(more.into_iter().map(|line| before + line));
    }
}

/// Replaces class numbers by the names in `labels.txt`.
fn name_classes(chunk: &mut Chunk, path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
    let names: Vec<&str> = text.lines().map(str::trim).collect();
    let places: Vec<Place> = (0..chunk.len()).map(|row| chunk.place(row)).collect();
    for (label, place) in chunk.labels.iter_mut().flatten().zip(places) {
        let name = label.parse::<usize>().ok().and_then(|number| names.get(number));
        *label = match name {
            Some(name) => (*name).to_string(),
            None => {
                let known = names.len();
                return Err(place.error(format!(
                    "label {label:?} is not one of 0 to {}",
                    known.saturating_sub(1)
                )));
            }
        };
    }
    Ok(())
}
