//! The four data sets, as `ngsll data get` lays them out.

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
pub enum Dataset {
    /// Handwritten digits, 28×28 pixels.
    Mnist,
    /// Opinion phrases, negative or positive.
    Mpqa,
    /// Sentences of film reviews, subjective or objective.
    Subj,
    /// Questions of six kinds.
    Trec,
}

/// The two classes of binary-class MNIST.
pub const DIGIT_GROUPS: &str = "0-4=low,5-9=high";

impl Dataset {
    /// All data sets, in the order of their names.
    pub const ALL: [Dataset; 4] = [Dataset::Mnist, Dataset::Mpqa, Dataset::Subj, Dataset::Trec];
    /// Those of text.
    pub const TEXTS: [Dataset; 3] = [Dataset::Mpqa, Dataset::Subj, Dataset::Trec];

    /// The name, as the user writes it and as its folder is called.
    pub fn name(self) -> &'static str {
        match self {
            Dataset::Mnist => "mnist",
            Dataset::Mpqa => "mpqa",
            Dataset::Subj => "subj",
            Dataset::Trec => "trec",
        }
    }

    /// The name, as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Dataset::Mnist => "MNIST",
            Dataset::Mpqa => "MPQA",
            Dataset::Subj => "Subj",
            Dataset::Trec => "TREC",
        }
    }

    /// Images or text.
    pub fn task(self) -> Task {
        if self == Dataset::Mnist { Task::Image } else { Task::Text }
    }

    /// The files that are read.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Dataset::Mnist => &[
                "train-images-idx3-ubyte.gz",
                "train-labels-idx1-ubyte.gz",
                "t10k-images-idx3-ubyte.gz",
                "t10k-labels-idx1-ubyte.gz",
            ],
            Dataset::Mpqa => &["mpqa.tsv", "labels.txt"],
            Dataset::Subj => &["subj.tsv", "labels.txt"],
            // The paper joins them and splits at random.
            Dataset::Trec => &["train.tsv", "test.tsv", "labels.txt"],
        }
    }

    /// The paths of its files under the folder of all data sets; a missing one is an error.
    pub fn find(self, folder: &Path) -> Result<Vec<PathBuf>> {
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

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dataset {
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
pub struct Data {
    /// Which one.
    pub dataset: Dataset,
    /// The samples that are split by seed.
    pub samples: Chunk,
    /// The test samples, where they are fixed.
    pub test: Option<Chunk>,
    /// The digit of each of those, which the classes hide.
    pub digits: Vec<String>,
    /// SHA-256 of the files.
    pub digest: String,
}

impl Data {
    /// Reads the files under the folder of all data sets.
    pub fn load(dataset: Dataset, folder: &Path) -> Result<Self> {
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
        if dataset == Dataset::Mnist {
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

/// Appends texts; their places then count the joined lines.
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

/// Puts the names of `labels.txt` in place of their numbers.
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
