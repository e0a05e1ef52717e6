//! Tables: the wanted columns and the label, chunk by chunk.

use std::path::{Path, PathBuf};

use super::rows::{self, Rows};
use super::table::ColumnBuilder;
use super::{Chunk, ColumnSpec, Labels, Origin, Reader, Samples, Table, names};
use crate::error::{Error, Place, Result};

/// Reads named columns from a `.csv` or `.tsv` file with a header (each also as `.gz`) or a `.parquet` file.
///
/// Cells are trimmed. An empty cell, `NA`, `N/A`, `null`, `None` and `?`, in any case, are missing values. A numeric
/// column holds finite numbers only. Dates and times of Parquet are seconds since 1970 (or since midnight).
pub struct TableReader {
    path: PathBuf,
    rows: Box<dyn Rows>,
    columns: Vec<ColumnSpec>,
    /// The label is the cell after those of the columns.
    target: Option<String>,
    labels: Labels,
}

impl TableReader {
    /// Opens `path` to read exactly `columns`, in this order, and `target` as the label; the file may have more.
    pub fn open(
        path: impl AsRef<Path>,
        columns: &[ColumnSpec],
        target: Option<&str>,
        labels: Labels,
    ) -> Result<Self> {
        let path = path.as_ref();
        if columns.is_empty() {
            return Err(Error::setting("columns", "none", "at least one column is needed"));
        }
        let mut rows = rows::open(path)?;
        let mut selection = columns
            .iter()
            .map(|column| names::find(path, rows.names(), &column.name))
            .collect::<Result<Vec<_>>>()?;
        let label = match (target, labels) {
            (Some(target), Labels::Required) => Some(names::find(path, rows.names(), target)?),
            (None, Labels::Required) => {
                return Err(Error::setting("target", "none", "the column to predict is needed"));
            }
            (Some(target), Labels::Optional) => rows.names().iter().position(|n| n == target),
            (None, Labels::Optional) | (_, Labels::Ignored) => None,
        };
        let target = label.map(|label| rows.names()[label].clone());
        selection.extend(label);
        rows.select(selection)?;
        Ok(Self { path: path.to_path_buf(), rows, columns: columns.to_vec(), target, labels })
    }

    /// The current row's label, empty where it has none.
    fn label(&self, target: &str) -> Result<String> {
        match self.rows.cell(self.columns.len()).text() {
            Some(label) => Ok(label.into_owned()),
            None if self.labels == Labels::Required => {
                let message = "the target is missing, and every row needs one";
                Err(self.place(target).error(message))
            }
            None => Ok(String::new()),
        }
    }

    fn place(&self, column: &str) -> Place {
        Place::line(&self.path, self.rows.line()).column(column)
    }
}

impl Reader for TableReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let mut builders: Vec<ColumnBuilder> =
            self.columns.iter().map(ColumnBuilder::new).collect();
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        while lines.len() < max_rows.max(1) && self.rows.advance()? {
            for (index, builder) in builders.iter_mut().enumerate() {
                builder
                    .push(&self.rows.cell(index))
                    .map_err(|message| self.place(&self.columns[index].name).error(message))?;
            }
            if let Some(target) = &self.target {
                labels.push(self.label(target)?);
            }
            lines.push(self.rows.line());
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let labelled = labels.iter().any(|label| !label.is_empty());
        Ok(Some(Chunk {
            samples: Samples::Table(Table {
                columns: builders.into_iter().map(ColumnBuilder::finish).collect(),
            }),
            labels: labelled.then_some(labels),
            origin: Origin::Lines { file: self.path.clone(), lines },
        }))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
