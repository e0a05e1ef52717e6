//! Rows of delimited files with a header.

use super::rows::RowReader;
use crate::delimited::{HeaderedReader, RecordReader};
use crate::source;
use ngsll::dataset::{CellValue, ColumnKind};
use ngsll::error::Result;
use std::borrow::Cow;
use std::path::Path;

/// The rows of a delimited file with a header.
pub(super) struct DelimitedRows {
    reader: HeaderedReader,
    selection: Vec<usize>,
}

impl DelimitedRows {
    /// Opens a file that is comma-separated unless its name ends in `.tsv`.
    pub fn open(path: &Path) -> Result<Self> {
        let csv = source::extension(path) != "tsv";
        let reader = HeaderedReader::new(RecordReader::open_as(path, csv)?)?;
        Ok(Self { reader, selection: Vec::new() })
    }
}

impl RowReader for DelimitedRows {
    fn names(&self) -> &[String] {
        self.reader.headers()
    }

    fn kind(&self, _: usize) -> Option<ColumnKind> {
        None
    }

    fn select(&mut self, columns: Vec<usize>) -> Result<()> {
        self.selection = columns;
        Ok(())
    }

    fn read_row(&mut self) -> Result<bool> {
        self.reader.read_record()
    }

    fn line(&self) -> u64 {
        self.reader.get_ref().line()
    }

    fn separator(&self) -> Option<u8> {
        Some(self.reader.get_ref().delimiter())
    }

    fn notes(&self) -> Vec<String> {
        self.reader.get_ref().notes()
    }

    fn cell(&self, index: usize) -> CellValue<'_> {
        CellValue::Text(Cow::Borrowed(self.reader.get_ref().record().get(self.selection[index])))
    }
}
