//! How much of a table is held in memory: compressed files, and those that say a thing once for many rows, are no
//! measure of it.

use ngsll::error::{Location, Result};
use std::path::Path;

/// The most cells of a table.
const MOST_CELLS: usize = 1 << 29;
/// The longest label or name of a row.
const LONGEST_LABEL: usize = 1 << 16;
/// The most bytes of labels, of names of rows and of long texts.
const MOST_TEXT: usize = 1 << 30;
/// Texts up to this length count as a cell; they are usually levels, which are held once.
const SHORT: usize = 256;

/// What has been read of a table.
#[derive(Debug, Default)]
pub(super) struct Memory {
    cells: usize,
    text: usize,
}

impl Memory {
    /// Counts rows of so many cells.
    pub fn add_rows(&mut self, path: &Path, rows: usize, cells: usize) -> Result<()> {
        self.cells = self.cells.saturating_add(rows.saturating_mul(cells));
        if self.cells <= MOST_CELLS {
            return Ok(());
        }
        let message = format!("the table has more than {MOST_CELLS} cells; use a part of it");
        Err(Location::file(path).error(message))
    }

    /// Counts a cell.
    pub fn add_text(&mut self, path: &Path, line: u64, text: &str) -> Result<()> {
        if text.len() <= SHORT { Ok(()) } else { self.add(path, line, text.len()) }
    }

    /// Counts a label or a name.
    pub fn add_label(&mut self, path: &Path, line: u64, label: &str) -> Result<()> {
        if label.len() > LONGEST_LABEL {
            let (found, most) = (label.len(), LONGEST_LABEL);
            let message = format!("a label of {found} bytes, expected at most {most}");
            return Err(Location::line(path, line).error(message));
        }
        self.add(path, line, label.len())
    }

    fn add(&mut self, path: &Path, line: u64, bytes: usize) -> Result<()> {
        self.text = self.text.saturating_add(bytes);
        if self.text <= MOST_TEXT {
            return Ok(());
        }
        let message = "the table holds more than 1 GiB of labels and long texts up to here";
        Err(Location::line(path, line).error(message))
    }
}
