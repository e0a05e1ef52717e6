//! Rows of a table file, whatever its format.

use crate::source;
use ngsll::dataset::{CellValue, ColumnKind};
use ngsll::error::{Location, Result};
use std::path::Path;

/// A table file that is read row by row.
pub(super) trait RowReader {
    /// The names of all columns.
    fn names(&self) -> &[String];

    /// The kind of a column's cells, if the file itself gives it.
    fn kind(&self, column: usize) -> Option<ColumnKind>;

    /// Chooses the columns (by index in [`names`](Self::names)) that rows consist of; called once, before the first row.
    fn select(&mut self, columns: Vec<usize>) -> Result<()>;

    /// Whether a column that a row lacks is a missing value, so that a file may lack some altogether.
    fn may_lack_columns(&self) -> bool {
        false
    }

    /// How many rows the file says it has; 0 where it does not say.
    fn declared_rows(&self) -> usize {
        0
    }

    /// Reads the next row; `false` after the last.
    fn read_row(&mut self) -> Result<bool>;

    /// The current row's line or record, counted from 1.
    fn line(&self) -> u64;

    /// A cell of the current row, by its index in the selection.
    fn cell(&self, index: usize) -> CellValue<'_>;

    /// The separator of the cells; `None` if numbers are not stored as texts.
    fn separator(&self) -> Option<u8> {
        None
    }

    /// Notes for the user about how the file was read.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Opens a table file by its extension.
pub(super) fn open(path: &Path) -> Result<Box<dyn RowReader>> {
    match source::extension(path).as_str() {
        "csv" | "tsv" => open_delimited(path),
        "jsonl" | "ndjson" => open_json_lines(path),
        "parquet" => open_parquet(path),
        "json" => Err(Location::file(path).error(
            "a table in JSON has one object on each line, in a file whose name ends in .jsonl",
        )),
        _ => Err(Location::file(path).error(
            "the name of a table must end in .csv, .tsv, .jsonl (each also with .gz) or .parquet",
        )),
    }
}

#[cfg(feature = "delimited")]
pub(super) fn open_delimited(path: &Path) -> Result<Box<dyn RowReader>> {
    Ok(Box::new(super::delimited_rows::DelimitedRows::open(path)?))
}

#[cfg(not(feature = "delimited"))]
fn open_delimited(path: &Path) -> Result<Box<dyn RowReader>> {
    Err(crate::feature_is_off(path, "a delimited file", "delimited"))
}

#[cfg(feature = "delimited")]
fn open_json_lines(path: &Path) -> Result<Box<dyn RowReader>> {
    Ok(Box::new(super::json_rows::JsonRows::open(path)?))
}

#[cfg(not(feature = "delimited"))]
fn open_json_lines(path: &Path) -> Result<Box<dyn RowReader>> {
    Err(crate::feature_is_off(path, "a file of JSON lines", "delimited"))
}

#[cfg(feature = "parquet")]
pub(super) fn open_parquet(path: &Path) -> Result<Box<dyn RowReader>> {
    Ok(Box::new(super::parquet_rows::ParquetRows::open(path)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path) -> Result<Box<dyn RowReader>> {
    Err(crate::feature_is_off(path, "a Parquet file", "parquet"))
}
