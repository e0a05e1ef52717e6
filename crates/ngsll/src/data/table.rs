//! Columns of values, and building them cell by cell.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::rows::{Cell, is_missing};

/// The id of a missing value in [`Values::Categorical`].
pub const MISSING: u32 = u32::MAX;

/// Rows of named columns, stored column by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The columns, all of the same length.
    pub columns: Vec<Column>,
}

impl Table {
    /// The number of rows; 0 for a table without columns.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| match &column.values {
            Values::Numeric(values) => values.len(),
            Values::Categorical { ids, .. } => ids.len(),
        })
    }

    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let pick = |values: &Values| match values {
            Values::Numeric(v) => Values::Numeric(rows.iter().map(|&r| v[r]).collect()),
            Values::Categorical { levels, ids } => Values::Categorical {
                levels: levels.clone(),
                ids: rows.iter().map(|&r| ids[r]).collect(),
            },
        };
        let column = |c: &Column| Column { name: c.name.clone(), values: pick(&c.values) };
        Self { columns: self.columns.iter().map(column).collect() }
    }

    /// Appends the rows of a table with the same columns in the same order; `None`, and no longer a whole table,
    /// where the columns differ.
    pub(super) fn append(&mut self, more: &Self) -> Option<()> {
        if self.columns.len() != more.columns.len() {
            return None;
        }
        for (column, more) in self.columns.iter_mut().zip(&more.columns) {
            match (&mut column.values, &more.values) {
                _ if column.name != more.name => return None,
                (Values::Numeric(all), Values::Numeric(more)) => all.extend(more),
                (
                    Values::Categorical { levels, ids },
                    Values::Categorical { levels: theirs, ids: more },
                ) => {
                    let mut id_of = |level: &String| {
                        levels.iter().position(|own| own == level).unwrap_or_else(|| {
                            levels.push(level.clone());
                            levels.len() - 1
                        }) as u32
                    };
                    let ours: Vec<u32> = theirs.iter().map(&mut id_of).collect();
                    ids.extend(more.iter().map(|&id| match id {
                        MISSING => MISSING,
                        id => ours[id as usize],
                    }));
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name in the file.
    pub name: String,
    /// One value per row.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Finite numbers; NaN stands for a missing one.
    Numeric(Vec<f64>),
    /// Texts, each stored once.
    Categorical {
        /// The distinct texts, in the order of their first appearance in the chunk.
        levels: Vec<String>,
        /// Each row's index in `levels`, or [`MISSING`].
        ids: Vec<u32>,
    },
}

/// What a column's cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Texts that name a level.
    Categorical,
}

/// A column to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSpec {
    /// Its name in the file.
    pub name: String,
    /// What its cells are.
    pub kind: ColumnKind,
}

/// A column under construction, cell by cell, by the same rules whatever the cells come from.
#[derive(Debug)]
pub struct ColumnBuilder {
    name: String,
    values: Values,
    /// The index in `levels` of each level.
    ids_of: HashMap<String, u32>,
}

impl ColumnBuilder {
    /// A column without rows.
    pub fn new(spec: &ColumnSpec) -> Self {
        let values = match spec.kind {
            ColumnKind::Numeric => Values::Numeric(Vec::new()),
            ColumnKind::Categorical => Values::Categorical { levels: Vec::new(), ids: Vec::new() },
        };
        Self { name: spec.name.clone(), values, ids_of: HashMap::new() }
    }

    /// Appends a cell; the error is the message for it. Texts are trimmed, and marks such as the empty text or
    /// `NA` are missing values.
    pub fn push(&mut self, cell: &Cell) -> Result<(), String> {
        match &mut self.values {
            Values::Numeric(numbers) => numbers.push(number(cell)?),
            Values::Categorical { levels, ids } => ids.push(match cell.text() {
                None => MISSING,
                Some(text) => match self.ids_of.get(text.as_ref()) {
                    Some(id) => *id,
                    None => {
                        let id = levels.len() as u32;
                        levels.push(text.to_string());
                        self.ids_of.insert(text.into_owned(), id);
                        id
                    }
                },
            }),
        }
        Ok(())
    }

    /// The column.
    pub fn finish(self) -> Column {
        Column { name: self.name, values: self.values }
    }
}

/// The cell's number, NaN where it is missing.
fn number(cell: &Cell) -> Result<f64, String> {
    let (value, text) = match cell {
        Cell::Missing => return Ok(f64::NAN),
        Cell::Number(value) => (*value, value.to_string()),
        Cell::Text(text) => {
            let text = text.trim();
            if is_missing(text) {
                return Ok(f64::NAN);
            }
            let value = text
                .parse()
                .map_err(|_| format!("{text:?} is not a number, and the column is numeric"))?;
            (value, text.to_owned())
        }
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!(
            "{text} is not a finite number; leave the cell empty where the value is missing"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: ColumnKind, cells: &[Cell]) -> Column {
        let mut builder = ColumnBuilder::new(&ColumnSpec { name: name.into(), kind });
        cells.iter().for_each(|cell| builder.push(cell).unwrap());
        builder.finish()
    }

    #[test]
    fn appended_rows_keep_their_levels_and_gaps() {
        let text = |t: &'static str| Cell::Text(t.into());
        let table = |sizes: &[Cell], colours: &[Cell]| Table {
            columns: vec![
                column("size", ColumnKind::Numeric, sizes),
                column("colour", ColumnKind::Categorical, colours),
            ],
        };
        let first = table(&[Cell::Number(1.0), Cell::Number(2.0)], &[text("red"), text("blue")]);
        let more = table(
            &[3.0, 4.0, 5.0].map(Cell::Number),
            &[text("green"), Cell::Missing, text(" red ")],
        );
        let mut all = first.clone();
        all.append(&more).unwrap();
        assert_eq!(all.columns[0].values, Values::Numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0]));
        let levels = ["red", "blue", "green"].map(String::from).to_vec();
        let ids = vec![0, 1, 2, MISSING, 0];
        assert_eq!(all.columns[1].values, Values::Categorical { levels, ids });

        let mut other = first.clone();
        other.columns.reverse();
        assert_eq!(all.append(&other), None);
    }
}
