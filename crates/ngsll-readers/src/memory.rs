//! Bounds the memory of a file's content, which the size of a compressed or dictionary-encoded file does not.

use ngsll::error::{Location, Result};
use std::path::Path;

/// The most bytes of samples held at once.
const MOST: usize = 4 << 30;
/// A cell: a number, or the place of a level.
const CELL: usize = 8;
/// A row besides its cells: its line, the places of its label and its name.
const ROW: usize = 64;
/// Allocation overhead of a string.
const TEXT: usize = 32;
/// The longest label or name of a row.
const LONGEST_LABEL: usize = 1 << 16;
/// Texts of a table up to this length count as a cell; they are usually levels, which are held once.
const SHORT: usize = 256;

/// The content of a file held in memory so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    bytes: usize,
}

impl Memory {
    /// Refuses a table with too many cells before it is read.
    #[cfg(feature = "delimited")]
    pub fn check_cells(path: &Path, rows: usize, columns: usize) -> Result<()> {
        Self::default().add(|| Location::file(path), rows.saturating_mul(columns * CELL))
    }

    /// Refuses too many rows of a table before they are read.
    pub fn check_rows(path: &Path, rows: usize, cells: usize) -> Result<()> {
        Self::default().add(|| Location::file(path), rows.saturating_mul(cells * CELL + ROW))
    }

    /// Counts a row of `cells` cells.
    pub fn add_row(&mut self, path: &Path, line: u64, cells: usize) -> Result<()> {
        self.add(|| Location::line(path, line), cells * CELL + ROW)
    }

    /// Counts the text of a cell.
    pub fn add_cell(&mut self, path: &Path, line: u64, text: &str) -> Result<()> {
        if text.len() <= SHORT { Ok(()) } else { self.add_text(path, line, text) }
    }

    /// Counts a text that is held as it is.
    pub fn add_text(&mut self, path: &Path, line: u64, text: &str) -> Result<()> {
        let bytes = if text.is_empty() { 0 } else { text.len() + TEXT };
        self.add(|| Location::line(path, line), bytes)
    }

    /// Counts a label or a name.
    pub fn add_label(&mut self, path: &Path, line: u64, label: &str) -> Result<()> {
        if label.len() > LONGEST_LABEL {
            let (found, most) = (label.len(), LONGEST_LABEL);
            let message = format!("a label of {found} bytes, expected at most {most}");
            return Err(Location::line(path, line).error(message));
        }
        self.add_text(path, line, label)
    }

    fn add(&mut self, at: impl FnOnce() -> Location, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MOST {
            return Ok(());
        }
        let message = "the samples take more than 4 GiB of memory; use a part of the file";
        Err(at().error(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest number of rows of one cell and a label.
    fn most_rows(label: &str) -> usize {
        let (path, mut memory) = (Path::new("a.csv"), Memory::default());
        (1_u64..)
            .take_while(|&line| {
                let row = memory.add_row(path, line, 1);
                row.and_then(|()| memory.add_label(path, line, label)).is_ok()
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
}
