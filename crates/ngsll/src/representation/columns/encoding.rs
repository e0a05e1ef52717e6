//! The encoding of one column.

use super::{ColumnsConfig, Monotone};
use crate::dataset::{Categories, CellForm, Column, Values};
use crate::error::{Error, Result};
use crate::mean_std::MeanStd;
use crate::readable::number;
use crate::representation::{ColumnDomain, NumericRange};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Standard deviations at which the network's own view of a number is cut off; z is not.
const LIMIT: f32 = 10.0;

/// Standard deviations beyond which a term stops growing: so far out there is hardly a row to learn the slope
/// from, and a single misplaced decimal point would dominate the score.
pub(crate) const FARTHEST: f32 = 6.0;

/// The distance outside the training range from which a number is reported, as a share of the range.
const FAR: f64 = 0.25;

/// The rows needed for each bin, and the number of bins made even from fewer.
const ROWS_PER_BIN: usize = 10;
const FEWEST_BINS: usize = 8;

/// The encoding of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnEncoding {
    /// Numbers.
    Numeric {
        /// The column's name.
        name: String,
        /// Mean of the training values.
        mean: f64,
        /// Standard deviation of the training values; 1 if they do not vary.
        deviation: f64,
        /// Borders of the bins, in standardised units.
        borders: Vec<f32>,
        /// The range of the training values, for people; absent in older models and without values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<NumericRange>,
        /// The written form of its cells.
        #[serde(default, skip_serializing_if = "CellForm::is_plain")]
        form: CellForm,
        /// Whether every training row had a value; older models lack it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        complete: bool,
        /// The direction in which the score may move as the value rises; either if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        monotone: Option<Monotone>,
    },
    /// Levels.
    Categorical {
        /// The column's name.
        name: String,
        /// The levels that are features, the most frequent first.
        levels: Vec<String>,
        /// The written form of its cells.
        #[serde(default, skip_serializing_if = "CellForm::is_plain")]
        form: CellForm,
        /// Whether every training row had a value; older models lack it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        complete: bool,
    },
}

impl ColumnEncoding {
    /// Standard deviations at which the network's own view of a number is cut off.
    pub const LIMIT: f32 = LIMIT;

    /// Standard deviations beyond which a term stops growing.
    pub const FARTHEST: f32 = FARTHEST;

    /// The column's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Numeric { name, .. } | Self::Categorical { name, .. } => name,
        }
    }

    /// The column that a user supplies for it: itself, or the dates that it is a part of.
    pub fn source(&self) -> &str {
        self.form().date.as_ref().map_or(self.name(), |date| &date.column)
    }

    /// The written form of its cells.
    pub fn form(&self) -> &CellForm {
        match self {
            Self::Numeric { form, .. } | Self::Categorical { form, .. } => form,
        }
    }

    /// Whether every training row had a value, so that nothing is known about a missing one.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Numeric { complete, .. } | Self::Categorical { complete, .. } => *complete,
        }
    }

    /// The direction in which the score may move as its value rises, if the options set one.
    pub fn monotone(&self) -> Option<Monotone> {
        match self {
            Self::Numeric { monotone, .. } => *monotone,
            Self::Categorical { .. } => None,
        }
    }

    /// The names of its features.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Numeric { name, .. } => vec![name.clone()],
            Self::Categorical { name, levels, .. } => {
                levels.iter().map(|level| format!("{name}={level}")).collect()
            }
        }
    }

    /// Features of z.
    pub(super) fn features(&self) -> usize {
        match self {
            Self::Numeric { .. } => 1,
            Self::Categorical { levels, .. } => levels.len(),
        }
    }

    /// Numbers in x: the value (or one per level), the bins, and whether it is missing.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Numeric { borders, .. } => 2 + borders.len().saturating_sub(1),
            Self::Categorical { levels, .. } => 1 + levels.len(),
        }
    }

    /// The values that training saw.
    pub(super) fn domain(&self) -> ColumnDomain {
        match self {
            Self::Numeric { mean, deviation, borders, range, .. } => {
                // Older models keep no range; their bins go from the smallest value to the largest.
                let value = |border: Option<&f32>| {
                    border.map_or(*mean, |b| mean + deviation * f64::from(*b))
                };
                ColumnDomain::Numeric(range.unwrap_or_else(|| NumericRange {
                    min: value(borders.first()),
                    max: value(borders.last()),
                    median: *mean,
                    whole: false,
                }))
            }
            Self::Categorical { levels, .. } => {
                ColumnDomain::Categorical { levels: levels.clone() }
            }
        }
    }

    /// Refuses numbers that no training gives.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self::Numeric { name, mean, deviation, borders, range, .. } = self else {
            return Ok(());
        };
        let is_standard = mean.is_finite() && deviation.is_finite() && *deviation > 0.0;
        let is_sorted = borders.windows(2).all(|pair| pair[0] < pair[1]);
        let is_finite = borders.iter().all(|border| border.is_finite())
            && range.is_none_or(|range| range.min <= range.max);
        if is_standard && is_sorted && is_finite {
            return Ok(());
        }
        Err(format!("column {name:?}: mean, deviation or bins are not valid for a numeric column"))
    }

    pub(super) fn fit(config: &ColumnsConfig, column: &Column, rows: &[usize]) -> Result<Self> {
        match column.values() {
            Values::Numeric(values) => Self::fit_numbers(config, column, values, rows),
            Values::Categorical(categories) => {
                Ok(Self::fit_levels(config, column, categories, rows))
            }
        }
    }

    fn fit_numbers(
        config: &ColumnsConfig,
        column: &Column,
        values: &[f64],
        rows: &[usize],
    ) -> Result<Self> {
        let (name, form) = (column.name().to_string(), column.form().clone());
        let mut present: Vec<f64> =
            rows.iter().map(|&r| values[r]).filter(|v| !v.is_nan()).collect();
        present.sort_by(f64::total_cmp);
        let MeanStd { mean, deviation } = MeanStd::of(present.iter().copied());
        if !(mean.is_finite() && deviation.is_finite()) {
            return Err(Error::setting("column", name, "its numbers are too large to standardise"));
        }
        let range = NumericRange::of(&present);
        let standardise = |v: f64| ((v - mean) / deviation) as f32;
        // Each bin needs enough rows to learn from.
        let enough = (present.len() / ROWS_PER_BIN).max(FEWEST_BINS);
        let [bins, distinct_bins] = [config.bins, config.distinct_bins].map(|n| n.min(enough));
        let mut borders: Vec<f32> = quantiles(&present, bins).map(standardise).collect();
        present.dedup();
        borders.extend(quantiles(&present, distinct_bins).map(standardise));
        borders.sort_by(f32::total_cmp);
        borders.dedup();
        let complete = rows.iter().all(|&row| !values[row].is_nan());
        Ok(Self::Numeric { name, mean, deviation, borders, range, form, complete, monotone: None })
    }

    fn fit_levels(
        config: &ColumnsConfig,
        column: &Column,
        categories: &Categories,
        rows: &[usize],
    ) -> Self {
        let levels = categories.levels();
        let mut counts = vec![0_usize; levels.len()];
        rows.iter().filter_map(|&r| categories.id(r)).for_each(|id| counts[id] += 1);
        let mut seen: Vec<usize> = (0..levels.len()).filter(|&l| counts[l] > 0).collect();
        seen.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(levels[a].cmp(&levels[b])));
        seen.truncate(config.max_levels);
        let levels = seen.iter().map(|&l| levels[l].clone()).collect();
        let (name, form) = (column.name().to_string(), column.form().clone());
        let complete = rows.iter().all(|&row| categories.id(row).is_some());
        Self::Categorical { name, levels, form, complete }
    }

    /// Passes one number per row to `put`: the standardised value or the level's number. Missing values are
    /// skipped.
    pub(super) fn encode(&self, column: &Column, mut put: impl FnMut(usize, f32)) -> Result<()> {
        match (self, column.values()) {
            (Self::Numeric { name, mean, deviation, .. }, Values::Numeric(values)) => {
                for (row, v) in values.iter().enumerate() {
                    let z = ((v - mean) / deviation) as f32;
                    if z.is_infinite() {
                        let expected =
                            format!("{} in row {row} is too large for this model", number(*v));
                        return Err(Error::setting("column", name, expected));
                    }
                    put(row, z);
                }
            }
            (Self::Categorical { levels, .. }, Values::Categorical(categories)) => {
                let known: HashMap<&str, usize> =
                    levels.iter().enumerate().map(|(l, name)| (name.as_str(), l)).collect();
                // A level training never saw is outside the list but not missing.
                let ours = |l: &String| known.get(l.as_str()).map_or(levels.len(), |&l| l) as f32;
                let ours: Vec<f32> = categories.levels().iter().map(ours).collect();
                for row in 0..categories.len() {
                    if let Some(id) = categories.id(row) {
                        put(row, ours[id]);
                    }
                }
            }
            _ => {
                let expected = "its type differs from that in the training data";
                return Err(Error::setting("column", self.name(), expected));
            }
        }
        Ok(())
    }

    /// The number of rows with a level that training never saw.
    pub(super) fn unseen(&self, column: &Column) -> usize {
        let (Self::Categorical { levels, .. }, Values::Categorical(categories)) =
            (self, column.values())
        else {
            return 0;
        };
        let new: Vec<bool> =
            categories.levels().iter().map(|level| !levels.contains(level)).collect();
        (0..categories.len()).filter(|&row| categories.id(row).is_some_and(|id| new[id])).count()
    }

    /// The number of rows with a number outside the training range by more than a quarter of it.
    pub(super) fn far_outside(&self, column: &Column) -> usize {
        let (ColumnDomain::Numeric(range), Values::Numeric(values)) =
            (self.domain(), column.values())
        else {
            return 0;
        };
        let margin = FAR * (range.max - range.min);
        let far = |v: &&f64| **v < range.min - margin || **v > range.max + margin;
        values.iter().filter(far).count()
    }

    /// The active feature, counted from the column's first, and its z; `None` if there is none.
    pub(super) fn z(&self, value: f32) -> Option<(usize, f32)> {
        match self {
            _ if value.is_nan() => None,
            Self::Numeric { .. } => Some((0, value)),
            Self::Categorical { levels, .. } => {
                let level = value as usize;
                (level < levels.len()).then_some((level, 1.0))
            }
        }
    }

    /// The factor of a column's slope: the standardised number, up to [`FARTHEST`]; 0 if there
    /// is none.
    pub(super) fn slope_value(&self, value: f32) -> f32 {
        match self {
            Self::Numeric { .. } if !value.is_nan() => value.clamp(-FARTHEST, FARTHEST),
            _ => 0.0,
        }
    }

    /// Writes the network's view of a value.
    pub(super) fn write_x(&self, value: f32, x: &mut [f32]) {
        if value.is_nan() {
            x[0] = 1.0;
            return;
        }
        match self {
            Self::Numeric { borders, .. } => {
                x[1] = value.clamp(-LIMIT, LIMIT);
                for (bin, pair) in x[2..].iter_mut().zip(borders.windows(2)) {
                    *bin = ((value - pair[0]) / (pair[1] - pair[0])).clamp(0.0, 1.0);
                }
            }
            Self::Categorical { .. } => {
                if let Some(level) = x[1..].get_mut(value as usize) {
                    *level = 1.0;
                }
            }
        }
    }
}

/// Values at `n` + 1 evenly spaced ranks of a sorted list; none for an empty one.
fn quantiles(sorted: &[f64], n: usize) -> impl Iterator<Item = f64> {
    let last = sorted.len().saturating_sub(1);
    let count = if sorted.is_empty() || n == 0 { 0 } else { n + 1 };
    (0..count).map(move |i| sorted[(i * last + n / 2) / n])
}
