//! Rows of named columns.

use super::Column;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Rows of named columns, stored column by column; all columns have the same length and different names.
///
/// ```
/// use ngsll::dataset::{Column, Table};
/// let size = Column::numeric("size", [1.0, 2.5, f64::NAN])?;
/// let colour = Column::categorical("colour", [Some("red"), None, Some("blue")]);
/// assert_eq!(Table::new([size.clone(), colour])?.len(), 3);
/// let ragged = Table::new([size, Column::numeric("weight", [1.0])?]).unwrap_err();
/// assert_eq!(ragged.to_string(), "column = weight: it has 1 row, but column \"size\" has 3");
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    /// The index of the column of each name: a linear search would be slow for very many columns.
    indices: HashMap<String, usize>,
}

impl Table {
    /// A table of the given columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Result<Self> {
        let columns: Vec<Column> = columns.into_iter().collect();
        let mut indices = HashMap::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let (name, first) = (column.name(), &columns[0]);
            if indices.insert(name.to_string(), index).is_some() {
                return Err(Error::setting("column", name, "expected each name once"));
            }
            if column.len() != first.len() {
                let (found, s) = (column.len(), if column.len() == 1 { "" } else { "s" });
                let expected = format!(
                    "it has {found} row{s}, but column {:?} has {}",
                    first.name(),
                    first.len()
                );
                return Err(Error::setting("column", name, expected));
            }
        }
        Ok(Self { columns, indices })
    }

    /// The number of rows; 0 for a table without columns.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.indices.get(name).map(|&index| &self.columns[index])
    }

    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|column| column.select(rows)).collect();
        Self { columns, indices: self.indices.clone() }
    }

    /// Appends the rows of a table with the same columns in the same order; `None`, and nothing is
    /// appended, where the columns differ.
    pub(super) fn append(&mut self, more: &Self) -> Option<()> {
        let alike = self.columns.len() == more.columns.len()
            && self.columns.iter().zip(&more.columns).all(|(own, more)| own.is_like(more));
        alike.then(|| {
            self.columns.iter_mut().zip(&more.columns).for_each(|(own, more)| own.append(more));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{CellValue, ColumnBuilder, ColumnKind, ColumnSpec, Values};

    fn column(name: &str, kind: ColumnKind, cells: &[CellValue]) -> Column {
        let mut builder = ColumnBuilder::new(&ColumnSpec::new(name, kind));
        cells.iter().for_each(|cell| builder.push(cell).unwrap());
        builder.finish().unwrap().remove(0)
    }

    #[test]
    fn appended_rows_keep_their_levels_and_gaps() {
        let text = |t: &'static str| CellValue::Text(t.into());
        let table = |sizes: &[CellValue], colours: &[CellValue]| {
            Table::new([
                column("size", ColumnKind::Numeric, sizes),
                column("colour", ColumnKind::Categorical, colours),
            ])
            .unwrap()
        };
        let first =
            table(&[CellValue::Number(1.0), CellValue::Number(2.0)], &[text("red"), text("blue")]);
        let more = table(
            &[3.0, 4.0, 5.0].map(CellValue::Number),
            &[text("green"), CellValue::Missing, text(" red ")],
        );
        let mut all = first.clone();
        all.append(&more).unwrap();
        assert_eq!(*all.columns[0].values(), Values::Numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0]));
        let Values::Categorical(colours) = all.columns[1].values() else { panic!("levels") };
        assert_eq!(colours.levels(), ["red", "blue", "green"]);
        let levels = [Some("red"), Some("blue"), Some("green"), None, Some("red")];
        assert_eq!(colours.iter().collect::<Vec<_>>(), levels);

        let mut other = first.clone();
        other.columns.reverse();
        assert_eq!(all.append(&other), None);
        assert_eq!(all.len(), 5);
    }

    #[test]
    fn a_name_is_given_once() {
        let column = || Column::numeric("size", [1.0]).unwrap();
        let wrong = Table::new([column(), column()]).unwrap_err();
        assert_eq!(wrong.to_string(), "column = size: expected each name once");
    }
}
