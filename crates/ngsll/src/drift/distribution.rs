//! Counts in bins.

use serde::{Deserialize, Serialize};

/// The quantity that is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Variable {
    /// The values of a column.
    Column(String),
    /// The share of texts that contain a word.
    Word(String),
    /// The share of words that the model does not know.
    UnknownWords,
    /// The mean ink of a cell.
    Cell(String),
    /// The share of explanations that name a feature.
    Term(String),
}

/// The bounds or names of the bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Bins {
    /// Numbers: up to the first cut, above it up to the second, …, above the last, missing.
    Numbers(Vec<f64>),
    /// Levels: each of these, all others, missing.
    Levels(Vec<String>),
    /// No, yes.
    Occurs,
}

/// The number of samples in each bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Distribution {
    /// The quantity that is counted.
    pub of: Variable,
    /// The bounds or names of the bins.
    pub bins: Bins,
    /// One count for each bin.
    pub counts: Vec<u64>,
}

impl Bins {
    /// Cuts sorted numbers into parts of about the same size; fewer where many are the same.
    pub(super) fn of_numbers(sorted: &[f64], parts: usize) -> Self {
        let Some(last) = sorted.last() else { return Self::Numbers(Vec::new()) };
        let cut = |part: usize| sorted[(sorted.len() * part).div_ceil(parts) - 1];
        let mut cuts: Vec<f64> = (1..parts).map(cut).filter(|cut| cut < last).collect();
        cuts.dedup();
        Self::Numbers(cuts)
    }

    /// The number of bins.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(cuts) => cuts.len() + 2,
            Self::Levels(levels) => levels.len() + 2,
            Self::Occurs => 2,
        }
    }

    /// The bin of a number; NaN is missing.
    pub(super) fn of_number(&self, number: f64) -> usize {
        match self {
            Self::Numbers(cuts) if number.is_nan() => cuts.len() + 1,
            Self::Numbers(cuts) => cuts.partition_point(|cut| *cut < number),
            _ => 0,
        }
    }

    /// The bin of a level.
    pub(super) fn of_level(&self, level: Option<&str>) -> usize {
        let Self::Levels(levels) = self else { return 0 };
        match level {
            Some(level) => levels.iter().position(|own| own == level).unwrap_or(levels.len()),
            None => levels.len() + 1,
        }
    }

    /// A bin's name.
    pub(super) fn name(&self, bin: usize) -> String {
        match self {
            Self::Numbers(cuts) => {
                match (bin.checked_sub(1).and_then(|b| cuts.get(b)), cuts.get(bin)) {
                    _ if bin > cuts.len() => "missing".to_string(),
                    (None, Some(high)) => format!("up to {}", short(*high)),
                    (Some(low), Some(high)) => {
                        format!("above {} up to {}", short(*low), short(*high))
                    }
                    (Some(low), None) => format!("above {}", short(*low)),
                    (None, None) => "a number".to_string(),
                }
            }
            Self::Levels(levels) => match levels.get(bin) {
                Some(level) => level.clone(),
                None if bin == levels.len() => "another value".to_string(),
                None => "missing".to_string(),
            },
            Self::Occurs => ["no", "yes"][bin.min(1)].to_string(),
        }
    }
}

/// At most four digits after the point.
fn short(number: f64) -> String {
    match (number * 1e4).round() / 1e4 {
        rounded if rounded == 0.0 && number != 0.0 => format!("{number:e}"),
        rounded => rounded.to_string(),
    }
}
