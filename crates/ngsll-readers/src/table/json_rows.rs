//! Rows of files with a JSON object on each line.

use super::rows::RowReader;
use crate::json_lines::{JsonLines, NESTED};
use crate::memory::Memory;
use ngsll::dataset::{CellValue, ColumnKind, LARGEST_EXACT};
use ngsll::error::{Error, Location, Result};
use ngsll::findings::Remedy;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The rows of a file. A name that an object does not have is a missing value there.
pub(super) struct JsonRows {
    reader: JsonLines,
    names: Vec<String>,
    /// The position in the selection of each selected name.
    selection: HashMap<String, usize>,
    cells: Vec<Value>,
}

impl JsonRows {
    /// Reads the file a first time for the names of its columns, in the order in which they first appear. The last
    /// line may have a name that no other has, and the columns must be known before the first row is given out. The
    /// alternative to parsing lines twice is to hold them all, in several times the memory of a table that is given out
    /// in pieces.
    pub fn open(path: &Path) -> Result<Self> {
        let (mut names, mut known, mut rows) = (Vec::new(), HashSet::new(), 0);
        let mut reader = JsonLines::open(path)?;
        while reader.read_object()? {
            rows += 1;
            for (name, _) in &reader.object().0 {
                if !known.contains(name) {
                    known.insert(name.clone());
                    names.push(name.clone());
                }
            }
        }
        if names.is_empty() {
            return Err(Location::file(path).error("it is empty: expected at least one sample"));
        }
        // Names that only some objects have make a table far larger than its file.
        Memory::check_cells(path, rows, names.len())?;
        let (selection, cells) = (HashMap::new(), Vec::new());
        Ok(Self { reader: JsonLines::open(path)?, names, selection, cells })
    }
}

impl RowReader for JsonRows {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn kind(&self, _: usize) -> Option<ColumnKind> {
        None
    }

    fn may_lack_columns(&self) -> bool {
        true
    }

    fn select(&mut self, columns: Vec<usize>) -> Result<()> {
        self.cells = vec![Value::Null; columns.len()];
        let names = columns.into_iter().map(|column| self.names[column].clone());
        self.selection = names.enumerate().map(|(index, name)| (name, index)).collect();
        Ok(())
    }

    fn read_row(&mut self) -> Result<bool> {
        if !self.reader.read_object()? {
            return Ok(false);
        }
        self.cells.fill(Value::Null);
        for (name, value) in &self.reader.object().0 {
            let Some(&index) = self.selection.get(name) else { continue };
            if value.is_array() || value.is_object() {
                return Err(Error::Undecided {
                    location: self.reader.location().column(name),
                    message: format!("{NESTED}; remove it from the file"),
                    remedy: Box::new(Remedy::leaving_out(name)),
                });
            }
            self.cells[index] = value.clone();
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.reader.line()
    }

    fn cell(&self, index: usize) -> CellValue<'_> {
        match &self.cells[index] {
            Value::Bool(truth) => {
                CellValue::Text(Cow::Borrowed(if *truth { "true" } else { "false" }))
            }
            Value::Number(number) => match (number.as_f64(), number.as_i64(), number.as_u64()) {
                (_, Some(whole), _) if whole.unsigned_abs() > LARGEST_EXACT => text(whole),
                (_, _, Some(whole)) if whole > LARGEST_EXACT => text(whole),
                (Some(number), ..) => CellValue::Number(number),
                (None, ..) => text(number),
            },
            Value::String(text) => CellValue::Text(Cow::Borrowed(text)),
            Value::Null | Value::Array(_) | Value::Object(_) => CellValue::Missing,
        }
    }
}

fn text(value: impl ToString) -> CellValue<'static> {
    CellValue::Text(Cow::Owned(value.to_string()))
}
