//! Findings as sentences.

use super::Finding;
use crate::readable::{count, count_of, number};

/// The most names that a sentence lists; the rest are counted.
const LISTED: usize = 5;

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::IdColumn { column, distinct, values, left_out } => {
                let left_out = if *left_out { ", and is left out" } else { "" };
                let (distinct, values) = (count(*distinct), count(*values));
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
                "of {} columns only the {read} that predict the target best on their own are read, as there are too few rows for more",
                count(left_out + read)
            ),
            Self::FewerFeatures { k, features } => {
                let are = if *features == 1 { "is" } else { "are" };
                let features_are = count_of(*features, "feature");
                write!(f, "there {are} only {features_are}, so K is {features}, not {k}")
            }
            Self::WordVectors { found, words, others } => {
                let more = match others {
                    0 => String::new(),
                    others => format!("; words known only by their vectors: {}", count(*others)),
                };
                let (found, words) = (count(*found), count(*words));
                write!(
                    f,
                    "{found} of {words} words of the training texts have a pretrained vector{more}"
                )
            }
            Self::CutTexts { cut, texts, tokens, longest } => {
                let are = if *cut == 1 { "is" } else { "are" };
                write!(
                    f,
                    "{cut} of {texts} texts {are} longer than {tokens} tokens, of which only the first {tokens} are read; the longest has {longest}"
                )
            }
            Self::ManyLevels { column, levels, rows } => {
                let (levels, rows) = (count(*levels), count(*rows));
                write!(
                    f,
                    "column {column:?} has {levels} distinct values in {rows} rows; are they names or ids?"
                )
            }
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
            Self::FarTargets { value, location, others, middle: [low, high] } => {
                let [value, low, high] = [value, low, high].map(|value| number(*value));
                let others = match others {
                    0 => String::new(),
                    others => format!(", and {} as far off", count_of(*others, "other")),
                };
                write!(
                    f,
                    "the target is {value} in {location}{others}, while the middle half of all values is between {low} and {high}; correct it if it is an error"
                )
            }
            Self::TotalsRow { location } => {
                write!(
                    f,
                    "{location} holds the sums of the rows above, but is used for training like any other; remove it"
                )
            }
            Self::SparseColumns { columns, rows } => {
                let most = columns.iter().map(|(_, filled)| *filled).max().unwrap_or(0);
                let (s, filled) = match columns.len() {
                    1 => ("", "has a value in only"),
                    _ => ("s", "have values in at most"),
                };
                let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
                write!(
                    f,
                    "column{s} {} {filled} {most} of {} rows; if cells were merged in a spreadsheet, fill all of them",
                    listed(&names),
                    count(*rows)
                )
            }
            Self::AlikeClasses { classes, .. } => {
                let alike = classes.iter().take(LISTED).map(|names| listed(names));
                let alike: Vec<String> = alike.collect();
                let more = if classes.len() > LISTED { "; …" } else { "" };
                write!(f, "classes differ by case or spaces only ({}{more})", alike.join("; "))
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
                        "there {} only {samples} validation sample{s}, so the figures are rough",
                        if *samples == 1 { "is" } else { "are" }
                    ),
                }
            }
            Self::UselessColumns { columns } => {
                let (s, do_not) =
                    if columns.len() == 1 { ("", "does not") } else { ("s", "do not") };
                let names: Vec<String> = columns.iter().map(|name| format!("{name:?}")).collect();
                write!(
                    f,
                    "column{s} {} {do_not} help on the validation rows and will not be chosen",
                    names.join(", ")
                )
            }
            Self::NoBetterThanAGuess { part, guess } => {
                let part = part.as_ref().map(|part| format!("{part} ")).unwrap_or_default();
                write!(
                    f,
                    "on the {part}samples the model is no better than always predicting {guess}"
                )
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
