//! Table rows as their columns.
//!
//! In z a numeric column is its standardised value and a categorical column one feature per level
//! (`workclass=Private`), 1 where it holds. Missing values and levels that training never saw are
//! not listed, so they are masked. In x a numeric column is also encoded piecewise linearly over
//! bins at its quantiles, so that the network sees detail in heavy tails and in columns that are
//! mostly zero.

mod cell_text;
mod config;
mod embedding_spans;
mod encoding;
mod monotone;
mod rows;

pub use config::ColumnsConfig;
pub use embedding_spans::ColumnRows;
pub(crate) use embedding_spans::{EmbeddingSpan, EmbeddingSpans};
pub use encoding::ColumnEncoding;
pub(crate) use encoding::FARTHEST;
pub use monotone::Monotone;
pub(crate) use monotone::{MONOTONE_WEIGHTS, sentence as monotone_sentence};
pub use rows::TableRows;

use cell_text::cell_text;

use super::encoded::EncodedX;
use super::kind::{Change, Kind};
use super::{
    ColumnDomain, ColumnSchema, Encoded, SampleView, Schema, SparseRow, TokenSlots, UnseenCells, X,
    XShape,
};
use crate::dataset::{Column, DateForm, DatePart, Samples, Table, Values};
use crate::error::{Error, Result};
use crate::evidence::choice::{Rule, Side};
use crate::evidence::subsets::SubsetSizes;
use crate::evidence::{Choice, Evidence};
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All columns of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredColumns", into = "StoredColumns")]
pub struct Columns {
    encodings: Arc<[ColumnEncoding]>,
    names: Vec<String>,
    features: ColumnFeatures,
    constant: Vec<String>,
    uninformative: Vec<usize>,
}

/// The written part of [`Columns`]: the rest follows from it.
#[derive(Clone, Serialize, Deserialize)]
struct StoredColumns {
    columns: Vec<ColumnEncoding>,
    #[serde(default, skip_serializing_if = "ColumnFeatures::is_levels")]
    features: ColumnFeatures,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constant: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uninformative: Vec<usize>,
}

/// The features of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ColumnFeatures {
    /// A number, or a level of a categorical column; missing values have no feature.
    #[default]
    Levels,
    /// A column. Its term is a level plus, for numbers, a slope times the standardised value, so that
    /// a number near its mean, a missing value and a level that training never saw can contribute.
    Columns,
}

impl ColumnFeatures {
    fn is_levels(&self) -> bool {
        matches!(self, Self::Levels)
    }
}

impl Columns {
    /// Reads means, bins and levels off the given rows. If columns are features, those that have
    /// the same value in every row are left out.
    pub fn fit(
        config: &ColumnsConfig,
        table: &Table,
        rows: &[usize],
        evidence: Evidence,
    ) -> Result<Self> {
        config.check()?;
        if table.columns().is_empty() {
            let expected = "expected at least one column besides the target";
            return Err(Error::setting("columns", "none", expected));
        }
        let features = match evidence {
            Evidence::Chosen => ColumnFeatures::Columns,
            Evidence::Whole => ColumnFeatures::Levels,
        };
        let (constant, used): (Vec<&Column>, Vec<&Column>) = table
            .columns()
            .iter()
            .partition(|column| evidence == Evidence::Chosen && column.is_constant(rows));
        if used.is_empty() {
            let expected = "expected a column whose values vary";
            return Err(Error::setting("columns", "all constant", expected));
        }
        let encode = |column| ColumnEncoding::fit(config, column, rows);
        let columns = used.into_iter().map(encode).collect::<Result<Vec<_>>>()?;
        let constant = constant.into_iter().map(|column| column.name().to_string()).collect();
        Ok(StoredColumns { columns, features, constant, uninformative: Vec::new() }.into())
    }

    /// Columns that are not read because they have the same value in every row.
    pub fn constant(&self) -> &[String] {
        &self.constant
    }

    /// Columns that are never chosen because they do not help on held-out rows.
    pub fn uninformative(&self) -> Vec<String> {
        let known = self.uninformative.iter().filter_map(|&c| self.encodings.get(c));
        known.map(|encoding| encoding.name().to_string()).collect()
    }

    /// Marks columns as never chosen.
    pub(super) fn without(self, uninformative: Vec<usize>) -> Self {
        Self { uninformative, ..self }
    }

    /// Marks columns as monotone; unknown names are ignored.
    pub(super) fn with_monotone(self, directions: &BTreeMap<String, Monotone>) -> Self {
        let mut encodings = self.encodings.to_vec();
        for encoding in &mut encodings {
            if let ColumnEncoding::Numeric { name, monotone, .. } = encoding {
                *monotone = directions.get(name).copied();
            }
        }
        Self { encodings: encodings.into(), ..self }
    }

    /// The columns in whose value the score may only rise or only fall.
    pub fn monotone(&self) -> impl Iterator<Item = (&str, Monotone)> {
        self.encodings.iter().filter_map(|encoding| Some((encoding.name(), encoding.monotone()?)))
    }

    /// The encoding of each column.
    pub fn encodings(&self) -> &[ColumnEncoding] {
        &self.encodings
    }

    /// The dates of a column whose parts are read.
    fn dates(&self, form: &DateForm) -> ColumnDomain {
        let is_days = |encoding: &&ColumnEncoding| {
            let date = encoding.form().date.as_ref();
            date.is_some_and(|date| date.column == form.column && date.part == DatePart::Days)
        };
        let days = self.encodings.iter().find(is_days).and_then(|days| match days.domain() {
            ColumnDomain::Numeric(range) => Some(range),
            _ => None,
        });
        ColumnDomain::Date { days, hours: form.hours }
    }

    /// Numbers per row of x.
    fn width(&self) -> usize {
        self.encodings.iter().map(ColumnEncoding::width).sum()
    }

    /// The column that feature j belongs to.
    fn column_of(&self, j: usize) -> usize {
        if self.features == ColumnFeatures::Columns {
            return j;
        }
        let mut end = 0;
        self.encodings
            .iter()
            .position(|e| {
                end += e.features();
                j < end
            })
            .expect("the feature is one of this table's")
    }

    /// The listed features of a row: everything that is not missing, or a level and a slope for each
    /// column.
    fn listed(&self, row: &[f32]) -> SparseRow {
        let mut z = SparseRow::default();
        if self.features == ColumnFeatures::Columns {
            for (c, (encoding, &value)) in self.encodings.iter().zip(row).enumerate() {
                z.push(2 * c, 1.0);
                z.push(2 * c + 1, encoding.slope_value(value));
            }
            return z;
        }
        let mut first = 0;
        for (encoding, &value) in self.encodings.iter().zip(row) {
            if let Some((offset, value)) = encoding.z(value) {
                z.push(first + offset, value);
            }
            first += encoding.features();
        }
        z
    }
}

impl Kind for Columns {
    fn reads(&self) -> &'static str {
        "tables"
    }

    fn features(&self) -> usize {
        self.names.len()
    }

    fn name(&self, j: usize) -> String {
        self.names[j].clone()
    }

    fn owner_name(&self, j: usize) -> String {
        self.encodings[self.column_of(j)].name().to_string()
    }

    fn x_shape(&self) -> XShape {
        let columns = self.encodings.iter().map(ColumnEncoding::column_rows).collect();
        XShape::Columns { width: self.width(), columns }
    }

    fn lists_all(&self) -> bool {
        self.features == ColumnFeatures::Columns
    }

    fn weights_per_feature(&self) -> usize {
        match self.features {
            ColumnFeatures::Levels => 1,
            ColumnFeatures::Columns => 2,
        }
    }

    /// A column that does not help, and one missing here that never was in training.
    fn is_closed(&self, encoded: &Encoded, row: usize, j: usize) -> bool {
        let missing = || encoded.columns(row, self.encodings.len())[j].is_nan();
        self.features == ColumnFeatures::Columns
            && (self.uninformative.contains(&j) || (self.encodings[j].is_complete() && missing()))
    }

    fn subset_sizes(&self) -> SubsetSizes {
        SubsetSizes::Columns
    }

    fn choice(&self) -> Choice {
        Choice::new(Rule::Effect, Side::Both)
    }

    fn encode(&self, samples: &Samples) -> Result<Option<Encoded>> {
        let Samples::Table(table) = samples else { return Ok(None) };
        let (len, width) = (table.len(), self.encodings.len());
        let mut out = vec![f32::NAN; len * width];
        let mut missing = Vec::new();
        for (c, encoding) in self.encodings.iter().enumerate() {
            match table.column(encoding.name()) {
                Some(column) => {
                    encoding.encode(column, |row, value| out[row * width + c] = value)?
                }
                None if self.uninformative.contains(&c) => {}
                None => missing.push(encoding.name()),
            }
        }
        if !missing.is_empty() {
            let (name, them) =
                if missing.len() == 1 { ("column", "it") } else { ("columns", "them") };
            let expected = format!("the model reads {them}, but the data do not have {them}");
            return Err(Error::setting(name, missing.join(", "), expected));
        }
        Ok(Some(Encoded { len, x: EncodedX::Columns(out) }))
    }

    fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        self.listed(encoded.columns(row, self.encodings.len()))
    }

    fn x(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        _sparse: &[SparseRow],
        _slots: usize,
        device: &Device,
    ) -> (X, Option<TokenSlots>) {
        let values = rows.iter().flat_map(|&row| encoded.columns(row, self.encodings.len()));
        let rows = TableRows::new(values.copied().collect(), self.encodings.clone(), device);
        (X::Columns(rows), None)
    }

    fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded> {
        let mut values = encoded.columns(row, self.encodings.len()).to_vec();
        match change {
            Change::Remove { feature } => values[self.column_of(feature)] = f32::NAN,
            Change::Take { feature, from } => {
                let column = self.column_of(feature);
                values[column] = encoded.columns(from, self.encodings.len())[column];
            }
            Change::Add { feature, by } => {
                let column = self.column_of(feature);
                if !matches!(self.encodings[column], ColumnEncoding::Numeric { .. })
                    || values[column].is_nan()
                {
                    return None;
                }
                values[column] += by as f32;
            }
        }
        Some(Encoded { len: 1, x: EncodedX::Columns(values) })
    }

    fn schema(&self) -> Schema {
        let mut columns: Vec<ColumnSchema> = Vec::new();
        for encoding in self.encodings.iter() {
            let name = encoding.source().to_string();
            let domain = match &encoding.form().date {
                None => encoding.domain(),
                // The parts of a date stand side by side, and are one column to the user.
                Some(_) if columns.last().is_some_and(|last| last.name == name) => continue,
                Some(form) => self.dates(form),
            };
            let own = || self.encodings.iter().enumerate().filter(|(_, e)| e.source() == name);
            let has_effect = own().any(|(c, _)| !self.uninformative.contains(&c));
            let (complete, form) = (encoding.is_complete(), encoding.form().clone());
            columns.push(ColumnSchema { name, domain, form, complete, has_effect });
        }
        Schema::Table(columns)
    }

    fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        let Samples::Table(table) = samples else { return None };
        let cell = |c: &Column| (c.name().to_string(), cell_text(c, row).unwrap_or_default());
        Some(SampleView::Row { cells: table.columns().iter().map(cell).collect() })
    }

    /// A number as the user wrote it: its z is standardised.
    fn observed(&self, samples: &Samples, row: usize, j: usize) -> Option<String> {
        let Samples::Table(table) = samples else { return None };
        let column = table.column(self.encodings[self.column_of(j)].name())?;
        match (column.values(), self.features) {
            (_, ColumnFeatures::Columns) => {
                Some(column.text(row).unwrap_or_else(|| "missing".to_string()))
            }
            (Values::Numeric(values), _) => Some(values[row].to_string()),
            (Values::Categorical(_), _) => None,
        }
    }

    fn unseen(&self, samples: &Samples) -> Vec<UnseenCells> {
        let Samples::Table(table) = samples else { return Vec::new() };
        let count = |encoding: &ColumnEncoding| {
            let column = table.column(encoding.name())?;
            let (levels, far_outside) = (encoding.unseen(column), encoding.far_outside(column));
            let missing = column.missing();
            let never_missing = encoding.is_complete();
            // The parts of a date are missing together.
            let is_part = encoding.form().date.as_ref().is_some_and(|d| d.part != DatePart::Days);
            let missing = if is_part && never_missing { 0 } else { missing };
            let name =
                if never_missing && missing > 0 { encoding.source() } else { encoding.name() };
            let column = name.to_string();
            Some(UnseenCells { column, levels, far_outside, missing, never_missing })
        };
        // Columns that are never chosen have no influence.
        let read =
            self.encodings.iter().enumerate().filter(|(c, _)| !self.uninformative.contains(c));
        read.filter_map(|(_, encoding)| count(encoding)).filter(|found| !found.is_empty()).collect()
    }

    fn knows_nothing_of(&self, samples: &Samples, row: usize) -> bool {
        let Samples::Table(table) = samples else { return false };
        let is_missing = |encoding: &ColumnEncoding| {
            table.column(encoding.name()).is_none_or(|column| column.is_missing(row))
        };
        self.features == ColumnFeatures::Columns
            && self.encodings.iter().enumerate().all(|(c, encoding)| {
                self.uninformative.contains(&c) || (encoding.is_complete() && is_missing(encoding))
            })
    }

    fn describe(&self) -> String {
        let column = |e: &ColumnEncoding| match e {
            ColumnEncoding::Numeric { name, .. } => name.clone(),
            ColumnEncoding::Categorical { name, levels, .. } => {
                let s = if levels.len() == 1 { "" } else { "s" };
                format!("{name} ({} level{s})", levels.len())
            }
        };
        let all = &self.encodings;
        let shown: Vec<String> = all.iter().take(LISTED).map(column).collect();
        let s = if all.len() == 1 { "" } else { "s" };
        let more = if all.len() > LISTED { ", …" } else { "" };
        let never = match self.uninformative().join(", ") {
            names if names.is_empty() => names,
            names => format!("; never chosen, as they do not help: {names}"),
        };
        format!("{} column{s}: {}{more}{never}", all.len(), shown.join(", "))
    }

    fn file_name(&self) -> &'static str {
        "columns.json"
    }

    fn check(&self) -> Result<(), String> {
        if self.encodings.is_empty() {
            return Err("it has no columns".into());
        }
        self.encodings.iter().try_for_each(ColumnEncoding::check)?;
        match self.uninformative.iter().find(|&&column| column >= self.encodings.len()) {
            Some(column) => {
                Err(format!("column {column} is listed as never chosen, but does not exist"))
            }
            None => Ok(()),
        }
    }
}

/// The most columns that a description lists; the rest are counted.
const LISTED: usize = 12;

impl From<StoredColumns> for Columns {
    fn from(
        StoredColumns { columns: encodings, features, constant, uninformative }: StoredColumns,
    ) -> Self {
        let names = match features {
            ColumnFeatures::Levels => encodings.iter().flat_map(ColumnEncoding::names).collect(),
            ColumnFeatures::Columns => encodings.iter().map(|e| e.name().to_string()).collect(),
        };
        Self { encodings: encodings.into(), names, features, constant, uninformative }
    }
}

impl From<Columns> for StoredColumns {
    fn from(columns: Columns) -> Self {
        let Columns { encodings, features, constant, uninformative, .. } = columns;
        Self { columns: encodings.to_vec(), features, constant, uninformative }
    }
}

#[cfg(test)]
mod tests;
