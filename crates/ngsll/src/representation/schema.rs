//! The form of a model's samples, as plain data: for readers of files, servers and forms.

use crate::dataset::{CellForm, ColumnKind, ColumnSpec, ImageSize};
use serde::{Deserialize, Serialize};

/// The input of a model.
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
#[non_exhaustive]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// The values that training saw.
    pub domain: ColumnDomain,
    /// The written form of its cells.
    pub form: CellForm,
    /// Whether every training row had a value, so that nothing is known about a missing one.
    pub complete: bool,
    /// Whether it can change a prediction; a column that cannot is never chosen, and new data need not have it.
    pub has_effect: bool,
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
        /// Days since 2020-01-01; absent if the model does not read them.
        days: Option<NumericRange>,
        /// Whether they have a time.
        hours: bool,
    },
}

/// A summary of the training values of a numeric column, in its own units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// The range of a sorted list; `None` for an empty one.
    pub(super) fn of(sorted: &[f64]) -> Option<Self> {
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = sorted[(sorted.len() - 1) / 2];
        Some(Self { min, max, median, whole: sorted.iter().all(|v| v.fract() == 0.0) })
    }
}

impl Schema {
    /// The columns of a table; none of other samples.
    pub fn columns(&self) -> &[ColumnSchema] {
        match self {
            Self::Table(columns) => columns,
            _ => &[],
        }
    }
}

impl ColumnSchema {
    /// A column of plain cells, some of which were missing, that can change a prediction.
    pub fn new(name: impl Into<String>, domain: ColumnDomain) -> Self {
        let (name, form) = (name.into(), CellForm::default());
        Self { name, domain, form, complete: false, has_effect: true }
    }

    /// Name, kind and form, as readers of files take them.
    pub fn spec(&self) -> ColumnSpec {
        let kind = match self.domain {
            ColumnDomain::Numeric(_) => ColumnKind::Numeric,
            ColumnDomain::Categorical { .. } => ColumnKind::Categorical,
            ColumnDomain::Date { .. } => ColumnKind::Date,
        };
        let (name, form, optional) = (self.name.clone(), self.form.clone(), !self.has_effect);
        ColumnSpec { name, kind, form, optional }
    }
}
