//! Table rows as their columns.
//!
//! In z a numeric column is its standardised value and a categorical column one feature per level
//! (`workclass=Private`), 1 where it holds. Missing values and levels that training never saw are
//! not listed, so they are masked. In x a numeric column is also encoded piecewise linearly over
//! bins at its quantiles, so that the network sees detail in heavy tails and in columns that are
//! mostly zero.

use super::{Encoded, EncodedX, SparseRow};
use crate::data::{Column, ColumnKind, ColumnSpec, MISSING, Table, Values};
use crate::error::{Error, Result};
use crate::moments::Moments;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `bins` | 32 | bins at the quantiles of all values, and as many at those of the distinct values | 0 and up |
/// | `max_levels` | 256 | levels of a categorical column that are features, the most frequent first | 1 and up |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ColumnsConfig {
    /// Bins at the quantiles of all values, and as many at those of the distinct values.
    pub bins: usize,
    /// Levels of a categorical column that are features, the most frequent first.
    pub max_levels: usize,
}

impl Default for ColumnsConfig {
    fn default() -> Self {
        Self { bins: 32, max_levels: 256 }
    }
}

/// How one column is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ColumnEncoding {
    /// Numbers.
    Numeric {
        /// The column's name.
        name: String,
        /// Mean of the training values.
        mean: f64,
        /// Standard deviation of the training values; 1 where they do not vary.
        deviation: f64,
        /// Borders of the bins, in standardised units.
        borders: Vec<f32>,
        /// What the training values were, for people; absent in older models and without values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<NumericRange>,
    },
    /// Levels.
    Categorical {
        /// The column's name.
        name: String,
        /// The levels that are features, the most frequent first.
        levels: Vec<String>,
    },
}

/// The training values of a numeric column in short, in the column's own units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumericRange {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The one in the middle (of two, the smaller), so it is a value that occurs.
    pub median: f64,
    /// Whether all are whole numbers.
    pub whole: bool,
}

impl NumericRange {
    /// Of a sorted list; `None` for an empty one.
    fn of(sorted: &[f64]) -> Option<Self> {
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = sorted[(sorted.len() - 1) / 2];
        Some(Self { min, max, median, whole: sorted.iter().all(|v| v.fract() == 0.0) })
    }
}

/// All columns of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Columns {
    encodings: Vec<ColumnEncoding>,
    names: Vec<String>,
}

/// What is written of [`Columns`]: the rest follows from it.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    columns: Vec<ColumnEncoding>,
}

impl ColumnEncoding {
    /// The column's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Numeric { name, .. } | Self::Categorical { name, .. } => name,
        }
    }

    /// Features of z.
    fn features(&self) -> usize {
        match self {
            Self::Numeric { .. } => 1,
            Self::Categorical { levels, .. } => levels.len(),
        }
    }

    /// Numbers in x: the value (or one per level), the bins, and whether it is missing.
    fn width(&self) -> usize {
        match self {
            Self::Numeric { borders, .. } => 2 + borders.len().saturating_sub(1),
            Self::Categorical { levels, .. } => 1 + levels.len(),
        }
    }

    fn fit(config: &ColumnsConfig, column: &Column, rows: &[usize]) -> Result<Self> {
        let name = column.name.clone();
        Ok(match &column.values {
            Values::Numeric(values) => {
                let mut present: Vec<f64> =
                    rows.iter().map(|&r| values[r]).filter(|v| !v.is_nan()).collect();
                present.sort_by(f64::total_cmp);
                let Moments { mean, deviation } = Moments::of(present.iter().copied());
                if !(mean.is_finite() && deviation.is_finite()) {
                    let expected = "its numbers are too large to standardise";
                    return Err(Error::setting("column", name, expected));
                }
                let range = NumericRange::of(&present);
                let standardise = |v: f64| ((v - mean) / deviation) as f32;
                let mut borders: Vec<f32> =
                    quantiles(&present, config.bins).map(standardise).collect();
                present.dedup();
                borders.extend(quantiles(&present, config.bins).map(standardise));
                borders.sort_by(f32::total_cmp);
                borders.dedup();
                Self::Numeric { name, mean, deviation, borders, range }
            }
            Values::Categorical { levels, ids } => {
                let mut counts = vec![0_usize; levels.len()];
                for id in rows.iter().map(|&r| ids[r]).filter(|&id| id != MISSING) {
                    counts[id as usize] += 1;
                }
                let mut seen: Vec<usize> = (0..levels.len()).filter(|&l| counts[l] > 0).collect();
                seen.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(levels[a].cmp(&levels[b])));
                seen.truncate(config.max_levels);
                Self::Categorical {
                    name,
                    levels: seen.iter().map(|&l| levels[l].clone()).collect(),
                }
            }
        })
    }
}

/// Values at `n` + 1 evenly spaced ranks of a sorted list; none for an empty one.
fn quantiles(sorted: &[f64], n: usize) -> impl Iterator<Item = f64> {
    let last = sorted.len().saturating_sub(1);
    let count = if sorted.is_empty() || n == 0 { 0 } else { n + 1 };
    (0..count).map(move |i| sorted[(i * last + n / 2) / n])
}

impl Columns {
    /// Reads means, bins and levels off the given rows.
    pub fn fit(config: &ColumnsConfig, table: &Table, rows: &[usize]) -> Result<Self> {
        if config.max_levels == 0 {
            return Err(Error::setting("representation.max_levels", 0, "at least 1"));
        }
        if table.columns.is_empty() {
            let expected = "at least one column besides the target";
            return Err(Error::setting("columns", "none", expected));
        }
        let encode = |column| ColumnEncoding::fit(config, column, rows);
        let encodings = table.columns.iter().map(encode).collect::<Result<Vec<_>>>()?;
        Ok(Stored { columns: encodings }.into())
    }

    /// How each column is read.
    pub fn encodings(&self) -> &[ColumnEncoding] {
        &self.encodings
    }

    /// The columns that a file has to have.
    pub fn specs(&self) -> Vec<ColumnSpec> {
        let kind = |e: &ColumnEncoding| match e {
            ColumnEncoding::Numeric { .. } => ColumnKind::Numeric,
            ColumnEncoding::Categorical { .. } => ColumnKind::Categorical,
        };
        self.encodings
            .iter()
            .map(|e| ColumnSpec { name: e.name().to_string(), kind: kind(e) })
            .collect()
    }

    /// How many cells of each categorical column hold a level that training never saw; such a cell
    /// can only be left out. Columns without any are not listed.
    pub fn unseen(&self, table: &Table) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for encoding in &self.encodings {
            let column = table.columns.iter().find(|c| c.name == encoding.name());
            let (ColumnEncoding::Categorical { levels, .. }, Some(column)) = (encoding, column)
            else {
                continue;
            };
            let Values::Categorical { levels: theirs, ids } = &column.values else { continue };
            let new: Vec<bool> = theirs.iter().map(|level| !levels.contains(level)).collect();
            let count = ids.iter().filter(|id| **id != MISSING && new[**id as usize]).count();
            if count > 0 {
                found.push((column.name.clone(), count));
            }
        }
        found
    }

    /// The names of the features of z.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Numbers per row of x.
    pub fn width(&self) -> usize {
        self.encodings.iter().map(ColumnEncoding::width).sum()
    }

    /// The column that feature j belongs to.
    pub fn column_of(&self, j: usize) -> usize {
        let mut end = 0;
        self.encodings
            .iter()
            .position(|e| {
                end += e.features();
                j < end
            })
            .expect("the feature is one of this table's")
    }

    pub(super) fn encode(&self, table: &Table) -> Result<Encoded> {
        let width = self.encodings.len();
        let len = table.len();
        let mut out = vec![f32::NAN; len * width];
        for (c, encoding) in self.encodings.iter().enumerate() {
            let column = table.columns.iter().find(|column| column.name == encoding.name());
            let column = column.ok_or_else(|| {
                Error::setting(
                    "column",
                    encoding.name(),
                    "this model reads it, but the data has none",
                )
            })?;
            let mut put = |row: usize, value: f32| out[row * width + c] = value;
            match (encoding, &column.values) {
                (ColumnEncoding::Numeric { mean, deviation, .. }, Values::Numeric(values)) => {
                    for (row, v) in values.iter().enumerate() {
                        let z = ((v - mean) / deviation) as f32;
                        if z.is_infinite() {
                            let expected = format!("{v} in row {row} is too large for this model");
                            return Err(Error::setting("column", encoding.name(), expected));
                        }
                        put(row, z);
                    }
                }
                (
                    ColumnEncoding::Categorical { levels, .. },
                    Values::Categorical { levels: theirs, ids },
                ) => {
                    let known: HashMap<&str, usize> =
                        levels.iter().enumerate().map(|(l, name)| (name.as_str(), l)).collect();
                    // A level training never saw is outside the list but not missing.
                    let ours =
                        |l: &String| known.get(l.as_str()).map_or(levels.len(), |&l| l) as f32;
                    let ours: Vec<f32> = theirs.iter().map(ours).collect();
                    for (row, &id) in ids.iter().enumerate().filter(|(_, id)| **id != MISSING) {
                        put(row, ours[id as usize]);
                    }
                }
                _ => {
                    let expected = "the data holds it as another type than the training data did";
                    return Err(Error::setting("column", encoding.name(), expected));
                }
            }
        }
        Ok(Encoded { len, x: EncodedX::Columns(out) })
    }

    /// The listed features of a row: everything that is not missing.
    pub(super) fn z(&self, row: &[f32]) -> SparseRow {
        let mut z = SparseRow::default();
        let mut first = 0;
        for (encoding, &value) in self.encodings.iter().zip(row) {
            match encoding {
                _ if value.is_nan() => {}
                ColumnEncoding::Numeric { .. } => z.push(first, value),
                ColumnEncoding::Categorical { levels, .. } if (value as usize) < levels.len() => {
                    z.push(first + value as usize, 1.0);
                }
                ColumnEncoding::Categorical { .. } => {}
            }
            first += encoding.features();
        }
        z
    }

    /// Writes the network's view of a row.
    pub(super) fn write_x(&self, row: &[f32], mut x: &mut [f32]) {
        for (encoding, &value) in self.encodings.iter().zip(row) {
            let (own, rest) = x.split_at_mut(encoding.width());
            x = rest;
            if value.is_nan() {
                own[0] = 1.0;
                continue;
            }
            match encoding {
                ColumnEncoding::Numeric { borders, .. } => {
                    own[1] = value.clamp(-LIMIT, LIMIT);
                    for (bin, pair) in own[2..].iter_mut().zip(borders.windows(2)) {
                        *bin = ((value - pair[0]) / (pair[1] - pair[0])).clamp(0.0, 1.0);
                    }
                }
                ColumnEncoding::Categorical { .. } => {
                    if let Some(level) = own[1..].get_mut(value as usize) {
                        *level = 1.0;
                    }
                }
            }
        }
    }
}

/// Standard deviations beyond which the network's own view of a number is cut off; z is not.
const LIMIT: f32 = 10.0;

impl From<Stored> for Columns {
    fn from(Stored { columns: encodings }: Stored) -> Self {
        let mut names = Vec::new();
        for encoding in &encodings {
            match encoding {
                ColumnEncoding::Numeric { name, .. } => names.push(name.clone()),
                ColumnEncoding::Categorical { name, levels } => {
                    names.extend(levels.iter().map(|level| format!("{name}={level}")));
                }
            }
        }
        Self { encodings, names }
    }
}

impl From<Columns> for Stored {
    fn from(columns: Columns) -> Self {
        Self { columns: columns.encodings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let size = Values::Numeric(vec![0.0, 10.0, f64::NAN, 20.0]);
        let ids = vec![0, 1, MISSING, 2];
        let colour = Values::Categorical {
            levels: ["red", "blue", "green"].map(String::from).to_vec(),
            ids,
        };
        let column = |name: &str, values| Column { name: name.into(), values };
        Table { columns: vec![column("size", size), column("colour", colour)] }
    }

    #[test]
    fn missing_values_and_new_levels_are_not_listed() {
        // "green" (row 3) is not among the training rows.
        let columns = Columns::fit(&ColumnsConfig::default(), &table(), &[0, 1, 2]).unwrap();
        assert_eq!(columns.names(), ["size", "colour=blue", "colour=red"]);
        let encoded = columns.encode(&table()).unwrap();
        let row = |r| columns.z(encoded.columns(r, 2));
        // Mean 5, deviation 5.
        assert_eq!(row(0), SparseRow { indices: vec![0, 2], values: vec![-1.0, 1.0] });
        assert_eq!(row(2), SparseRow::default());
        assert_eq!(row(3), SparseRow { indices: vec![0], values: vec![3.0] });
        assert_eq!((columns.column_of(0), columns.column_of(2)), (0, 1));
    }

    #[test]
    fn the_range_is_kept_and_columns_without_one_are_read() {
        let columns = Columns::fit(&ColumnsConfig::default(), &table(), &[0, 1, 2, 3]).unwrap();
        let ColumnEncoding::Numeric { range, .. } = &columns.encodings()[0] else {
            panic!("a number")
        };
        let expected = NumericRange { min: 0.0, max: 20.0, median: 10.0, whole: true };
        assert_eq!(*range, Some(expected));
        let mut json = serde_json::to_value(&columns).unwrap();
        assert_eq!(serde_json::from_value::<Columns>(json.clone()).unwrap(), columns);
        // As written before ranges were kept.
        json["columns"][0].as_object_mut().unwrap().remove("range").unwrap();
        let older: Columns = serde_json::from_value(json).unwrap();
        let encoded = columns.encode(&table()).unwrap();
        assert_eq!(older.z(encoded.columns(3, 2)), columns.z(encoded.columns(3, 2)));
        // Without values there is no range.
        let none = Columns::fit(&ColumnsConfig::default(), &table(), &[2]).unwrap();
        assert!(matches!(none.encodings()[0], ColumnEncoding::Numeric { range: None, .. }));
        assert_eq!(NumericRange::of(&[0.5, 1.0]).map(|r| (r.median, r.whole)), Some((0.5, false)));
    }

    #[test]
    fn bins_fill_up_from_the_left_and_missing_is_marked() {
        let config = ColumnsConfig { bins: 2, ..ColumnsConfig::default() };
        let columns = Columns::fit(&config, &table(), &[0, 1, 3]).unwrap();
        let encoded = columns.encode(&table()).unwrap();
        let x = |r: usize| {
            let mut x = vec![0.0; columns.width()];
            columns.write_x(encoded.columns(r, 2), &mut x);
            x
        };
        // size: missing, value, bins 0–10 and 10–20; colour: missing and three levels.
        let deviation = (200.0_f32 / 3.0).sqrt();
        assert_eq!(x(0), [0.0, -10.0 / deviation, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(x(1)[..4], [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(x(2), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(x(3)[2..4], [1.0, 1.0]);
    }
}
