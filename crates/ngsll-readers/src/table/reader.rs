//! Tables whose columns are known: the wanted columns and the label, chunk by chunk.

use super::TARGET_IS_MISSING;
use super::rows::{self, RowReader};
use crate::{LabelUse, Reader, column_names, dataset};
use ngsll::dataset::{ColumnBuilder, ColumnSpec, Dataset, Origin, Table};
use ngsll::error::{Error, Location, Result};
use std::path::{Path, PathBuf};

/// Reads named columns from a `.csv` or `.tsv` file with a header (each also as `.gz`) or a `.parquet` file.
///
/// Cells are trimmed. An empty cell, `NA`, `N/A`, `null` and `?`, in any case, are missing values, and so is `none`
/// in a numeric column; in a categorical one it is a level. A numeric
/// column holds finite numbers only. Dates and times of Parquet are seconds since 1970 (or since midnight).
pub struct TableReader {
    path: PathBuf,
    rows: Box<dyn RowReader>,
    columns: Vec<ColumnSpec>,
    /// The label is the cell after those of the columns.
    target: Option<String>,
    labels: LabelUse,
}

impl TableReader {
    /// Opens `path` to read exactly `columns`, in this order, and `target` as the label; the file may have more.
    pub fn open(
        path: impl AsRef<Path>,
        columns: &[ColumnSpec],
        target: Option<&str>,
        labels: LabelUse,
    ) -> Result<Self> {
        let path = path.as_ref();
        if columns.is_empty() {
            return Err(Error::setting("columns", "none", "at least one column is needed"));
        }
        let mut rows = rows::open(path)?;
        let mut selection = columns
            .iter()
            .map(|column| column_names::find(path, rows.names(), &column.name))
            .collect::<Result<Vec<_>>>()?;
        let label = match (target, labels) {
            (Some(target), LabelUse::Required) => {
                Some(column_names::find(path, rows.names(), target)?)
            }
            (None, LabelUse::Required) => return Err(unknown_target(path)),
            (Some(target), LabelUse::Optional) => rows.names().iter().position(|n| n == target),
            (None, LabelUse::Optional) | (_, LabelUse::Ignored) => None,
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
            None if self.labels == LabelUse::Required => {
                Err(self.location(target).error(TARGET_IS_MISSING))
            }
            None => Ok(String::new()),
        }
    }

    fn location(&self, column: &str) -> Location {
        Location::line(&self.path, self.rows.line()).column(column)
    }
}

/// The error for a table without a named target.
pub(crate) fn unknown_target(path: &Path) -> Error {
    Error::Unset {
        location: Location::file(path),
        name: "data.target",
        message: "it is not said which column to predict".into(),
    }
}

impl Reader for TableReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let mut builders: Vec<ColumnBuilder> =
            self.columns.iter().map(ColumnBuilder::new).collect();
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        while lines.len() < max_rows.max(1) && self.rows.read_row()? {
            for (index, builder) in builders.iter_mut().enumerate() {
                builder
                    .push(&self.rows.cell(index))
                    .map_err(|message| self.location(&self.columns[index].name).error(message))?;
            }
            if let Some(target) = &self.target {
                labels.push(self.label(target)?);
            }
            lines.push(self.rows.line());
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let table = Table::new(builders.into_iter().map(ColumnBuilder::finish))?;
        let origin = Origin::Lines { file: self.path.clone(), lines };
        dataset(table, self.target.is_some().then_some(labels), origin).map(Some)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
