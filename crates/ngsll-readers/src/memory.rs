//! Bounds the memory of a file's content, which the size of a compressed or dictionary-encoded file does not.

use ngsll::dataset::{CellValue, ColumnBuilder};
use ngsll::error::{Location, Result};
use std::path::{Path, PathBuf};

/// The most bytes of samples held at once.
const MOST: usize = 4 << 30;
/// A cell: a number, or the place of a level.
const CELL: usize = 8;
/// A row besides its cells: its line, the places of its label and its name.
const ROW: usize = 64;
/// Allocation overhead of a string.
const TEXT: usize = 32;
/// What a level of a column takes besides its bytes, which are held twice, in a list and in a map that finds its place:
/// the room of both, which is up to twice what is in them, and what the system takes for two texts. Measured with two
/// million levels of five bytes.
const LEVEL: usize = 160;
/// What is held of a number that is written otherwise than it would be shown, besides its bytes: its row, and its place
/// among the others.
const SPELLING: usize = 16;
/// The longest label or name of a row.
const LONGEST_LABEL: usize = 1 << 16;

/// What has been read of a file and is held in memory.
#[derive(Debug)]
pub(crate) struct Memory {
    path: PathBuf,
    bytes: usize,
}

impl Memory {
    /// Nothing has been read yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), bytes: 0 }
    }

    /// As much has been read that so many bytes are left.
    #[cfg(test)]
    pub fn nearly_full(left: usize) -> Self {
        Self { path: PathBuf::from("a.csv"), bytes: MOST - left }
    }

    /// Refuses a table of so many rows and columns, before it is read.
    #[cfg(feature = "delimited")]
    pub fn check_cells(path: &Path, rows: usize, columns: usize) -> Result<()> {
        Self::new(path).add(None, rows.saturating_mul(columns * CELL))
    }

    /// Refuses too many rows of a table before they are read.
    pub fn check_rows(path: &Path, rows: usize, cells: usize) -> Result<()> {
        Self::new(path).add(None, rows.saturating_mul(cells * CELL + ROW))
    }

    /// Counts a row of so many cells.
    pub fn add_row(&mut self, line: u64, cells: usize) -> Result<()> {
        self.add(Some(line), cells * CELL + ROW)
    }

    /// Appends a cell to a column, and counts a level that the column did not have. The inner error is the message for
    /// the cell.
    pub fn push(
        &mut self,
        line: u64,
        column: &mut ColumnBuilder,
        cell: &CellValue<'_>,
    ) -> Result<Result<(), String>> {
        let known = column.levels().map_or(0, |levels| levels.levels().len());
        let pushed = column.push(cell);
        let new = column.levels().and_then(|levels| levels.levels().get(known));
        self.add(Some(line), new.map_or(0, |level| 2 * level.len() + LEVEL))?;
        Ok(pushed)
    }

    /// Counts the spelling of a number.
    pub fn add_spelling(&mut self, line: u64, text: &str) -> Result<()> {
        self.add(Some(line), text.len() + SPELLING)
    }

    /// Counts a text that is held as it is.
    pub fn add_text(&mut self, line: u64, text: &str) -> Result<()> {
        let bytes = if text.is_empty() { 0 } else { text.len() + TEXT };
        self.add(Some(line), bytes)
    }

    /// Counts a label or a name.
    pub fn add_label(&mut self, line: u64, label: &str) -> Result<()> {
        if label.len() > LONGEST_LABEL {
            let (found, most) = (label.len(), LONGEST_LABEL);
            let message = format!("a label of {found} bytes, expected at most {most}");
            return Err(Location::line(&self.path, line).error(message));
        }
        self.add_text(line, label)
    }

    fn add(&mut self, line: Option<u64>, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MOST {
            return Ok(());
        }
        let path = &self.path;
        let at = line.map_or_else(|| Location::file(path), |line| Location::line(path, line));
        let message = "the samples take more than 4 GiB of memory; use a part of the file";
        Err(at.error(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::dataset::{ColumnKind, ColumnSpec};

    /// The largest number of rows of one cell and a label.
    fn most_rows(label: &str) -> usize {
        let mut memory = Memory::new(Path::new("a.csv"));
        (1_u64..)
            .take_while(|&line| {
                let row = memory.add_row(line, 1);
                row.and_then(|()| memory.add_label(line, label)).is_ok()
            })
            .count()
    }

    #[test]
    fn rows_and_labels_count_what_they_take() {
        // A line of text, its label as a text of its own, the place of that: some hundred bytes, not eight.
        assert_eq!(most_rows("a"), MOST / (CELL + ROW + TEXT + 1));
        assert_eq!(most_rows(&"a".repeat(1 << 16)), MOST / (CELL + ROW + TEXT + (1 << 16)));
        let path = Path::new("a.csv");
        assert!(Memory::check_rows(path, 10_000_000, 20).is_ok());
        let error = Memory::check_rows(path, 500_000_000, 1).unwrap_err().to_string();
        assert!(error.starts_with("a.csv: the samples take more than 4 GiB"), "{error}");
        assert!(Memory::check_rows(path, usize::MAX, 1).is_err());
    }

    #[test]
    fn a_level_is_counted_once() {
        let mut memory = Memory::new(Path::new("a.csv"));
        let mut levels = ColumnBuilder::new(&ColumnSpec::new("x", ColumnKind::Categorical));
        for text in ["red", "NA", "blue", "red", " red "] {
            memory.push(1, &mut levels, &CellValue::Text(text.into())).unwrap().unwrap();
        }
        assert_eq!(memory.bytes, 2 * LEVEL + 2 * "redblue".len());
        let mut numbers = ColumnBuilder::new(&ColumnSpec::new("x", ColumnKind::Numeric));
        memory.push(1, &mut numbers, &CellValue::Text("1.5".into())).unwrap().unwrap();
        assert!(memory.push(1, &mut numbers, &CellValue::Text("red".into())).unwrap().is_err());
        assert_eq!(memory.bytes, 2 * LEVEL + 2 * "redblue".len());
    }
}
