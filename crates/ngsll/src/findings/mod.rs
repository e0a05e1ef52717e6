//! Common problems in training data, most with a suggested fix.
//!
//! [`TrainingSetup::findings`](crate::TrainingSetup::findings) returns them before training, and
//! [`Notes::findings`](crate::Notes) keeps them with the model. A [`Finding`] says what was found; its
//! [`Remedy`] names the option that changes it, which a program translates into its own terms.

mod codes;
mod column_words;
mod ids;
mod leak;
mod repeated;
mod sentence;
mod sums;
mod targets;
mod trained;

pub(crate) use codes::is_code;
pub(crate) use column_words::names_an_id;
pub(crate) use ids::{IdColumn, id_columns};
pub(crate) use leak::{Single, single_column};
pub(crate) use repeated::{repeats_would_be_odd, row_hashes};
pub(crate) use sums::totals_row;
pub(crate) use targets::{alike_classes, far_targets};

pub use crate::error::Remedy;

use serde::{Deserialize, Serialize};

/// A smaller class has too few samples to learn from, and to measure.
pub(crate) const SMALL_CLASS: usize = 10;

/// With fewer validation samples, figures are rough.
pub(crate) const FEW_VALIDATION_SAMPLES: usize = 50;

/// A notable property of the data, or of what could be learned from them.
///
/// ```
/// use ngsll::findings::Finding;
/// let found = Finding::IdColumn { column: "id".into(), distinct: 891, values: 891, left_out: true };
/// assert_eq!(found.to_string(), "column \"id\" has 891 distinct values in 891 rows, like an id, and is left out");
/// let remedy = found.remedy().unwrap();
/// assert_eq!((remedy.option.as_str(), remedy.value.as_deref()), ("data.keep", Some("[\"id\"]")));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// A column with another value in nearly every row, as ids and names have.
    IdColumn {
        /// The column's name.
        column: String,
        /// Its different values.
        distinct: usize,
        /// Its rows that hold a value.
        values: usize,
        /// Whether the model leaves it out.
        left_out: bool,
    },
    /// Columns with the same value, or none, in every training row; they are left out.
    ConstantColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// A table with more columns than its rows can tell apart.
    ManyColumns {
        /// Columns that are read.
        read: usize,
        /// Columns that are left out.
        left_out: usize,
    },
    /// Fewer features than requested terms.
    FewerFeatures {
        /// The requested K.
        k: usize,
        /// The features that there are: K is their number.
        features: usize,
    },
    /// The number of words that start from a pretrained vector, if vectors are given.
    WordVectors {
        /// Words of the training texts with a vector.
        found: usize,
        /// All words of the training texts.
        words: usize,
        /// Other words that are known by their vectors.
        #[serde(default, skip_serializing_if = "is_zero")]
        others: usize,
    },
    /// Texts of which only the beginning is read.
    CutTexts {
        /// The number of cut texts.
        cut: usize,
        /// All texts.
        texts: usize,
        /// Tokens that are read.
        tokens: usize,
        /// Tokens of the longest text.
        longest: usize,
    },
    /// A categorical column with so many levels that most are rare.
    ManyLevels {
        /// Its name.
        column: String,
        /// Its different values.
        levels: usize,
        /// All rows.
        rows: usize,
    },
    /// Columns of whole numbers that look like codes of categories.
    NumberCodes {
        /// Their names.
        columns: Vec<String>,
    },
    /// Validation or test samples that also occur, labels included, among the training samples.
    RepeatedSamples {
        /// The number of validation samples.
        validation: usize,
        /// The number of test samples.
        test: usize,
    },
    /// A column that determines the target almost alone.
    Leak {
        /// Its name.
        column: String,
        /// Its accuracy for classes, or R² for a number, on held-out rows.
        figure: f64,
        /// The share of the most frequent class; `None` for a number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_rate: Option<f64>,
    },
    /// Values of the target so far from the others that they dominate everything.
    FarTargets {
        /// The farthest one.
        value: f64,
        /// Its location.
        location: String,
        /// The number of others that are as far.
        others: usize,
        /// The range of the middle half of all values.
        middle: [f64; 2],
    },
    /// A row that holds the sums of those above it.
    TotalsRow {
        /// Its location.
        location: String,
    },
    /// Columns with a value in hardly any row.
    SparseColumns {
        /// Their names and numbers of values.
        columns: Vec<(String, usize)>,
        /// All rows.
        rows: usize,
    },
    /// Classes whose names differ by case or spaces only.
    AlikeClasses {
        /// Those that are alike, the most frequent spelling first.
        classes: Vec<Vec<String>>,
        /// Groups that merge them, if they can be written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        groups: Option<String>,
    },
    /// A class of a single sample.
    SingleSample {
        /// Its name.
        class: String,
        /// The location of the sample.
        location: String,
    },
    /// Classes of fewer than ten samples, but more than one.
    SmallClasses {
        /// Their names and numbers of samples.
        classes: Vec<(String, usize)>,
    },
    /// So few validation samples that their figures are rough.
    FewValidationSamples {
        /// The number of validation samples.
        samples: usize,
        /// Whether cross-validation, not these samples, decides how long to train.
        cross_validated: bool,
    },
    /// Columns that the trained model never chooses, as they do not help on held-out rows.
    UselessColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// The trained model is no better than one and the same answer for every sample.
    NoBetterThanAGuess {
        /// The evaluated samples: `validation` or `test`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// That answer: `the mean`, or the most frequent class in quotation marks.
        guess: String,
    },
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Finding {
    /// The option that changes it, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::IdColumn { column, left_out: true, .. } => {
                Some(Remedy::of_column("data.keep", column, "keeps it"))
            }
            Self::IdColumn { column, .. }
            | Self::ManyLevels { column, .. }
            | Self::Leak { column, .. } => Some(Remedy::leaving_out(column)),
            Self::NumberCodes { columns } => {
                let effect = match columns.len() {
                    1 => "reads it as a category",
                    _ => "reads the first one as a category",
                };
                let name = columns.first()?;
                let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
                let name = if plain { name.clone() } else { format!("{name:?}") };
                Some(Remedy::new(format!("data.columns.{name}"), "categorical", effect))
            }
            Self::FarTargets { .. } => {
                Some(Remedy::new("training.loss", "huber", "makes them count less"))
            }
            Self::AlikeClasses { groups, .. } => {
                let (option, value) = ("data.group".to_string(), groups.clone());
                Some(Remedy { option, value, effect: "makes one class of each" })
            }
            Self::SmallClasses { .. } => {
                let option = "data.group".to_string();
                Some(Remedy { option, value: None, effect: "merges classes" })
            }
            Self::FewValidationSamples { .. } => {
                Some(Remedy::new("folds", "5", "measures on all samples"))
            }
            Self::CutTexts { longest, .. } => {
                let option = "representation.max_tokens";
                Some(Remedy::new(option, longest.to_string(), "reads them all"))
            }
            Self::UselessColumns { .. } => {
                Some(Remedy::new("training.screening", "false", "keeps all"))
            }
            Self::ConstantColumns { .. }
            | Self::FewerFeatures { .. }
            | Self::ManyColumns { .. }
            | Self::NoBetterThanAGuess { .. }
            | Self::RepeatedSamples { .. }
            | Self::TotalsRow { .. }
            | Self::SparseColumns { .. }
            | Self::SingleSample { .. }
            | Self::WordVectors { .. } => None,
        }
    }

    /// The finding as a sentence. `worded` phrases the remedy; it is omitted if there is none or `worded` returns `None`.
    ///
    /// ```
    /// use ngsll::findings::Finding;
    /// let found = Finding::CutTexts { cut: 1, texts: 60, tokens: 512, longest: 700 };
    /// let sentence = found.sentence(|remedy| Some(format!("max_tokens={} {}", remedy.value.as_ref()?, remedy.effect)));
    /// assert!(sentence.ends_with("the longest has 700; max_tokens=700 reads them all"));
    /// assert_eq!(found.sentence(|_| None), found.to_string());
    /// ```
    pub fn sentence(&self, worded: impl FnOnce(&Remedy) -> Option<String>) -> String {
        let found = self.to_string();
        match self.remedy().as_ref().and_then(worded) {
            Some(remedy) if found.ends_with('?') => format!("{found} {remedy}"),
            Some(remedy) => format!("{found}; {remedy}"),
            None => found,
        }
    }
}
