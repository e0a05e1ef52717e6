//! Rows of a table file, whatever its format.

use std::borrow::Cow;
use std::path::Path;

use super::ColumnKind;
use super::delimited::{Headed, Records};
use super::parquet_rows::ParquetRows;
use super::source;
use crate::error::{Place, Result};

/// Cells that stand for a missing value, besides the empty one; in any case.
const MISSING_MARKS: [&str; 5] = ["na", "n/a", "null", "none", "?"];

/// One cell as the file has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// None.
    Missing,
    /// A number.
    Number(f64),
    /// A text, which may also write a number or be a mark for a missing value.
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    /// The cell as trimmed text, `None` where it is missing.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Cell::Missing => None,
            Cell::Number(number) => Some(Cow::Owned(number.to_string())),
            Cell::Text(text) => match text.trim() {
                text if is_missing(text) => None,
                // Programs write truth values in any case; Parquet's come as these.
                text if text.eq_ignore_ascii_case("true") => Some(Cow::Borrowed("true")),
                text if text.eq_ignore_ascii_case("false") => Some(Cow::Borrowed("false")),
                text => Some(Cow::Borrowed(text)),
            },
        }
    }
}

/// Whether a trimmed cell stands for a missing value.
pub(super) fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING_MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// A table file that is read row by row.
pub(super) trait Rows {
    /// The names of all columns.
    fn names(&self) -> &[String];

    /// What the file itself says about a column's cells.
    fn kind(&self, column: usize) -> Option<ColumnKind>;

    /// Chooses the columns (by index in [`names`](Self::names)) that rows consist of; called once, before the first row.
    fn select(&mut self, columns: Vec<usize>) -> Result<()>;

    /// Moves on to the next row; `false` after the last.
    fn advance(&mut self) -> Result<bool>;

    /// The current row's line or record, counted from 1.
    fn line(&self) -> u64;

    /// A cell of the current row, by its index in the selection.
    fn cell(&self, index: usize) -> Cell<'_>;
}

/// Opens a table file by its extension.
pub(super) fn open(path: &Path) -> Result<Box<dyn Rows>> {
    match source::extension(path).as_str() {
        "csv" | "tsv" => {
            let records = Headed::new(Records::open(path)?)?;
            Ok(Box::new(DelimitedRows { records, selection: Vec::new() }))
        }
        "parquet" => Ok(Box::new(ParquetRows::open(path)?)),
        _ => Err(Place::file(path)
            .error("a table is a file .csv, .tsv (both also with .gz) or .parquet; its name ends otherwise")),
    }
}

/// Rows of a delimited file with a header.
struct DelimitedRows {
    records: Headed,
    selection: Vec<usize>,
}

impl Rows for DelimitedRows {
    fn names(&self) -> &[String] {
        self.records.names()
    }

    fn kind(&self, _: usize) -> Option<ColumnKind> {
        None
    }

    fn select(&mut self, columns: Vec<usize>) -> Result<()> {
        self.selection = columns;
        Ok(())
    }

    fn advance(&mut self) -> Result<bool> {
        self.records.advance()
    }

    fn line(&self) -> u64 {
        self.records.records().line()
    }

    fn cell(&self, index: usize) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(self.records.records().record().get(self.selection[index])))
    }
}
