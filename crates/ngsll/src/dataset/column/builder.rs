//! Columns that are built cell by cell.

use super::{Categories, CellValue, Column, ColumnKind, ColumnSpec, Values};
use crate::dataset::{CellForm, DecimalMark, NumberCells, date_columns};
use crate::error::Result;

/// A column under construction, cell by cell, by the same rules for every source.
#[derive(Debug)]
pub struct ColumnBuilder {
    name: String,
    cells: BuilderCells,
    form: CellForm,
}

#[derive(Debug)]
enum BuilderCells {
    Numbers(NumberCells),
    Levels(Categories),
    /// Timestamps.
    Dates(Vec<f64>),
}

impl ColumnBuilder {
    /// A column without rows.
    pub fn new(spec: &ColumnSpec) -> Self {
        let cells = match spec.kind {
            ColumnKind::Numeric => BuilderCells::Numbers(NumberCells::default()),
            ColumnKind::Categorical => BuilderCells::Levels(Categories::default()),
            ColumnKind::Date => BuilderCells::Dates(Vec::new()),
        };
        Self { name: spec.name.clone(), cells, form: spec.form.clone() }
    }

    /// The kind of its cells.
    pub fn kind(&self) -> ColumnKind {
        match &self.cells {
            BuilderCells::Numbers(_) => ColumnKind::Numeric,
            BuilderCells::Levels(_) => ColumnKind::Categorical,
            BuilderCells::Dates(_) => ColumnKind::Date,
        }
    }

    /// Appends a cell; the error is the message for it. Texts are trimmed, and marks such as the empty text or
    /// `NA` are missing values, as [`CellValue::is_missing`] and the column's form say.
    pub fn push(&mut self, cell: &CellValue<'_>) -> Result<(), String> {
        match &mut self.cells {
            BuilderCells::Numbers(numbers) => cell.push_to(numbers, &self.form)?,
            BuilderCells::Levels(categories) => {
                let level = cell.text().filter(|text| !self.form.is_missing(text));
                categories.push(level.as_deref());
            }
            BuilderCells::Dates(timestamps) => timestamps.push(cell.timestamp(&self.form)?),
        }
        Ok(())
    }

    /// Its numbers so far; `None` for levels.
    pub fn numbers(&self) -> Option<&NumberCells> {
        match &self.cells {
            BuilderCells::Numbers(numbers) => Some(numbers),
            BuilderCells::Levels(_) | BuilderCells::Dates(_) => None,
        }
    }

    /// Its levels so far; `None` for numbers.
    pub fn levels(&self) -> Option<&Categories> {
        match &self.cells {
            BuilderCells::Levels(levels) => Some(levels),
            BuilderCells::Numbers(_) | BuilderCells::Dates(_) => None,
        }
    }

    /// Its timestamps so far; `None` for numbers and levels.
    pub fn timestamps(&self) -> Option<&[f64]> {
        match &self.cells {
            BuilderCells::Dates(timestamps) => Some(timestamps),
            BuilderCells::Numbers(_) | BuilderCells::Levels(_) => None,
        }
    }

    /// Sets the decimal mark for numbers such as `1.234`, in place of the form's.
    pub fn set_decimal(&mut self, mark: DecimalMark) {
        self.form.decimal = mark;
    }

    /// The column; for dates, the columns of all their parts.
    pub fn finish(self) -> Result<Vec<Column>> {
        let values = match self.cells {
            BuilderCells::Numbers(numbers) => Values::Numeric(numbers.finish(self.form.decimal)),
            BuilderCells::Levels(levels) => Values::Categorical(levels),
            BuilderCells::Dates(timestamps) => {
                let form = self.form.date.unwrap_or_default();
                return date_columns(&self.name, &timestamps, &form);
            }
        };
        Ok(vec![Column { name: self.name, values, form: self.form }])
    }
}
