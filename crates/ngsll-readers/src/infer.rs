//! Which columns a table has to learn from, and of which kind.

use std::collections::BTreeMap;
use std::path::Path;

use super::rows::{self, Cell};
use super::{ColumnKind, ColumnSpec, names};
use crate::error::{Place, Result};

/// The columns of a table to learn from: all but `target` and those in `drop`, found in one pass over the file.
///
/// A column of a delimited file is numeric when every cell that is not missing is a number, one of a Parquet file when
/// its type is; `overrides` decides otherwise. A column without any value is left out.
pub fn infer_columns(
    path: impl AsRef<Path>,
    target: &str,
    overrides: &BTreeMap<String, ColumnKind>,
    drop: &[String],
) -> Result<Vec<ColumnSpec>> {
    let path = path.as_ref();
    let mut rows = rows::open(path)?;
    let names = rows.names().to_vec();
    for name in [target].into_iter().chain(overrides.keys().chain(drop).map(String::as_str)) {
        names::find(path, &names, name)?;
    }
    let chosen: Vec<usize> = (0..names.len())
        .filter(|column| names[*column] != target && !drop.contains(&names[*column]))
        .collect();
    if chosen.is_empty() {
        let message = format!("no column is left beside the target {target:?}");
        return Err(Place::file(path).error(message));
    }
    rows.select(chosen.clone())?;
    let mut seen = vec![Seen { any: false, numbers: true }; chosen.len()];
    while rows.advance()? {
        seen.iter_mut().enumerate().for_each(|(index, seen)| seen.look_at(&rows.cell(index)));
    }
    let columns: Vec<ColumnSpec> = chosen
        .iter()
        .zip(&seen)
        .filter(|(_, seen)| seen.any)
        .map(|(column, seen)| {
            let name = names[*column].clone();
            let found = if seen.numbers { ColumnKind::Numeric } else { ColumnKind::Categorical };
            let kind = overrides.get(&name).copied().or(rows.kind(*column)).unwrap_or(found);
            ColumnSpec { name, kind }
        })
        .collect();
    if columns.is_empty() {
        return Err(Place::file(path).error("no column but the target has any value"));
    }
    Ok(columns)
}

/// What is known of a column's cells.
#[derive(Clone)]
struct Seen {
    /// One is not missing.
    any: bool,
    /// All that are not missing are numbers.
    numbers: bool,
}

impl Seen {
    fn look_at(&mut self, cell: &Cell) {
        // Once a column is known to hold texts there is nothing left to learn.
        if self.any && !self.numbers {
            return;
        }
        match cell {
            Cell::Missing => {}
            Cell::Number(_) => self.any = true,
            Cell::Text(_) => {
                if let Some(text) = cell.text() {
                    self.any = true;
                    self.numbers &= text.parse::<f64>().is_ok();
                }
            }
        }
    }
}
