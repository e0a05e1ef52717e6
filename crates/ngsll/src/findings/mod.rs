//! Traps in the data of a training that nobody would notice otherwise, each with its way out.
//!
//! [`TrainingSetup::findings`](crate::TrainingSetup::findings) gives them before training, and
//! [`Notes::findings`](crate::Notes) keeps them with the model. A [`Finding`] says what was found; its
//! [`Remedy`] names the option that changes it, which a program puts into its own words.

mod codes;
mod column_words;
mod ids;
mod leak;
mod repeated;

pub(crate) use codes::is_code;
pub(crate) use ids::{IdColumn, id_columns};
pub(crate) use leak::{Single, single_column};
pub(crate) use repeated::{repeats_would_be_odd, row_hashes};

use serde::{Deserialize, Serialize};

/// A class of fewer samples is too small to learn, and to measure.
pub(crate) const SMALL_CLASS: usize = 10;

/// Figures of fewer validation samples are rough.
pub(crate) const FEW_VALIDATION_SAMPLES: usize = 50;

/// Names that a sentence lists; of more, only the first.
const LISTED: usize = 5;

/// Something about the data that a user may want to look at before training.
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
        /// Its name.
        column: String,
        /// Its different values.
        distinct: usize,
        /// Its rows that hold a value.
        values: usize,
        /// Whether the model does without it.
        left_out: bool,
    },
    /// Columns that hold the same in every row to learn from, or nothing; they are left out.
    ConstantColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// A table with more columns than its rows can tell apart.
    ManyColumns {
        /// Columns that are read.
        read: usize,
        /// Columns that are not.
        left_out: usize,
    },
    /// A categorical column with so many levels that most are hardly seen.
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
    /// Samples that are measured although the same ones, answers included, are learned from.
    RepeatedSamples {
        /// Of the validation samples.
        validation: usize,
        /// Of the test samples.
        test: usize,
    },
    /// A column that tells the answer nearly by itself.
    Leak {
        /// Its name.
        column: String,
        /// How well it does on held-out rows: accuracy of classes, R² of a number.
        figure: f64,
        /// The share of the most frequent class; `None` for a number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_rate: Option<f64>,
    },
    /// A class of a single sample.
    SingleSample {
        /// Its name.
        class: String,
        /// Where the sample is.
        location: String,
    },
    /// Classes of fewer than ten samples, but more than one.
    SmallClasses {
        /// Their names and numbers of samples.
        classes: Vec<(String, usize)>,
    },
    /// So few validation samples that their figures are rough.
    FewValidationSamples {
        /// How many.
        samples: usize,
        /// Whether cross-validation decides how long to train, and not they.
        cross_validated: bool,
    },
}

/// An option that changes what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// Its path in [`Config`](crate::Config), or `folds`.
    pub option: String,
    /// What to set it to, as TOML; `None` where the user has to say.
    pub value: Option<String>,
    /// What that does: "keeps it".
    pub effect: &'static str,
}

impl Finding {
    /// The option that changes it, where there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        let columns = |option: &str, column: &str, effect| {
            let (option, value) = (option.to_string(), Some(format!("[{column:?}]")));
            Some(Remedy { option, value, effect })
        };
        match self {
            Self::IdColumn { column, left_out: true, .. } => {
                columns("data.keep", column, "keeps it")
            }
            Self::IdColumn { column, .. } | Self::ManyLevels { column, .. } => {
                columns("data.drop", column, "leaves it out")
            }
            Self::Leak { column, .. } => columns("data.drop", column, "leaves it out"),
            Self::NumberCodes { columns } => {
                let effect = match columns.len() {
                    1 => "reads it as a category",
                    _ => "reads the first one as a category",
                };
                let name = columns.first()?;
                let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
                let name = if plain { name.clone() } else { format!("{name:?}") };
                let value = Some("categorical".to_string());
                Some(Remedy { option: format!("data.columns.{name}"), value, effect })
            }
            Self::SmallClasses { .. } => {
                let option = "data.group".to_string();
                Some(Remedy { option, value: None, effect: "merges classes" })
            }
            Self::FewValidationSamples { .. } => {
                let (option, value) = ("folds".to_string(), Some("5".to_string()));
                Some(Remedy { option, value, effect: "measures on all samples" })
            }
            Self::ConstantColumns { .. }
            | Self::ManyColumns { .. }
            | Self::RepeatedSamples { .. }
            | Self::SingleSample { .. } => None,
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::IdColumn { column, distinct, values, left_out } => {
                let left_out = if *left_out { ", and is left out" } else { "" };
                write!(
                    f,
                    "column {column:?} has {distinct} distinct values in {values} rows, like an id{left_out}"
                )
            }
            Self::ConstantColumns { columns } => {
                let one = columns.len() == 1;
                let (s, hold, are) = if one { ("", "has", "is") } else { ("s", "have", "are") };
                write!(
                    f,
                    "column{s} {} {hold} the same value in every training row, or no value at all, and {are} left out",
                    listed(columns)
                )
            }
            Self::ManyColumns { read, left_out } => write!(
                f,
                "of {} columns only the {read} that say most about the target on their own are read, as there are too few rows to tell more of them apart",
                left_out + read
            ),
            Self::ManyLevels { column, levels, rows } => write!(
                f,
                "column {column:?} has {levels} distinct values in {rows} rows; are they names or ids?"
            ),
            Self::NumberCodes { columns } => {
                let (s, hold) = if columns.len() == 1 { ("", "holds") } else { ("s", "hold") };
                write!(
                    f,
                    "column{s} {} {hold} whole numbers that look like category codes, but are read as quantities",
                    listed(columns)
                )
            }
            Self::RepeatedSamples { validation, test } => {
                let parts = [(validation, "validation"), (test, "test")];
                let parts = parts.into_iter().filter(|(n, _)| **n > 0);
                let parts: Vec<String> =
                    parts.map(|(n, part)| format!("{n} {part} sample{}", plural(*n))).collect();
                let one = validation + test == 1;
                let is = if one { "is" } else { "are" };
                write!(
                    f,
                    "{} {is} also among the training samples, so figures look better than they should; remove repeated samples from the data",
                    parts.join(" and ")
                )
            }
            Self::Leak { column, figure, base_rate } => {
                let figure = match base_rate {
                    Some(base) => format!(
                        "with an accuracy of {figure:.4} on held-out rows, where the most frequent class alone reaches {base:.4}"
                    ),
                    None => format!("with an R² of {figure:.4} on held-out rows"),
                };
                write!(
                    f,
                    "column {column:?} predicts the target by itself, {figure}; will it be known when a prediction is made?"
                )
            }
            Self::SingleSample { class, location } => {
                write!(
                    f,
                    "the class {class:?} has only one sample, {location}; is that line a header?"
                )
            }
            Self::SmallClasses { classes } => {
                let shown = classes.iter().take(LISTED);
                let shown: Vec<String> = shown.map(|(name, n)| format!("{name:?} {n}")).collect();
                let more = if classes.len() > LISTED { ", …" } else { "" };
                let (es, have) = if classes.len() == 1 { ("", "has") } else { ("es", "have") };
                write!(
                    f,
                    "{} class{es} {have} fewer than ten samples ({}{more}), too few to learn from or to measure",
                    classes.len(),
                    shown.join(", ")
                )
            }
            Self::FewValidationSamples { samples, cross_validated } => {
                let s = plural(*samples);
                match cross_validated {
                    true => write!(
                        f,
                        "figures from {samples} validation row{s} are rough; cross-validation of the training rows decides how long to train"
                    ),
                    false => write!(
                        f,
                        "only {samples} validation sample{s} decide{} when to stop, so the figures are rough",
                        if *samples == 1 { "s" } else { "" }
                    ),
                }
            }
        }
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect();
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}
