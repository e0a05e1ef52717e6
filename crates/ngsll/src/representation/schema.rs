//! What a sample has to look like, as plain data: for readers of files, servers and forms.

use crate::dataset::{CellForm, ColumnKind, ColumnSpec, ImageSize};
use serde::{Deserialize, Serialize};

/// What a model reads.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Schema {
    /// Free text.
    Text,
    /// Images of this size.
    Image(ImageSize),
    /// Rows with these columns.
    Table(Vec<ColumnSchema>),
}

/// A column that a model reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// The values that training saw.
    pub domain: ColumnDomain,
    /// How its cells are written.
    pub form: CellForm,
}

/// The values that training saw in a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ColumnDomain {
    /// Numbers in this range.
    Numeric(NumericRange),
    /// These levels, the most frequent first.
    Categorical {
        /// The levels that are features.
        levels: Vec<String>,
    },
    /// Dates, of which the model reads parts.
    Date {
        /// Days since 2020-01-01; absent where the model does not read them.
        days: Option<NumericRange>,
        /// Whether they have a time.
        hours: bool,
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
    pub(super) fn of(sorted: &[f64]) -> Option<Self> {
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = sorted[(sorted.len() - 1) / 2];
        Some(Self { min, max, median, whole: sorted.iter().all(|v| v.fract() == 0.0) })
    }
}

impl ColumnSchema {
    /// Name, kind and form, as readers of files take them.
    pub fn spec(&self) -> ColumnSpec {
        let kind = match self.domain {
            ColumnDomain::Numeric(_) => ColumnKind::Numeric,
            ColumnDomain::Categorical { .. } => ColumnKind::Categorical,
            ColumnDomain::Date { .. } => ColumnKind::Date,
        };
        ColumnSpec { name: self.name.clone(), kind, form: self.form.clone() }
    }
}
