//! Tables whose columns are known: the wanted columns and the label, chunk by chunk.

use super::TARGET_IS_MISSING;
use super::decimal::FileNumbers;
use super::memory::Memory;
use super::rows::{self, RowReader};
use crate::{LabelUse, Reader, column_names, dataset, with_ids};
use ngsll::dataset::{CellValue, ColumnBuilder, ColumnSpec, Dataset, DecimalMark, Origin, Table};
use ngsll::error::{Error, Location, Result};
use std::path::{Path, PathBuf};

/// Reads named columns from a `.csv` or `.tsv` file with a header (each also as `.gz`) or a `.parquet` file.
///
/// Cells are trimmed. An empty cell, `NA`, `N/A`, `null` and `?`, in any case, are missing values, and so are words
/// such as `none`, `unknown` and `-` in a numeric column, and those of the column's form; in a categorical column they
/// are levels. A numeric column holds finite numbers only, also as in `1.234,5`, `12 %` and `$1,200`; what `1.234` is,
/// other numbers read so far tell, else the column's form. A column of dates becomes the columns of its parts.
pub struct TableReader {
    path: PathBuf,
    rows: Box<dyn RowReader>,
    columns: Vec<ColumnSpec>,
    /// The label is the cell after those of the columns.
    target: Option<String>,
    labels: LabelUse,
    /// The place in the selection of the column that names a row.
    id: Option<usize>,
    /// What its numbers so far say about their decimal mark.
    numbers: FileNumbers,
}

impl TableReader {
    /// Opens `path` to read exactly `columns`, in this order, and `target` as the label; the file may have more.
    pub fn open(
        path: impl AsRef<Path>,
        columns: &[ColumnSpec],
        target: Option<&str>,
        labels: LabelUse,
    ) -> Result<Self> {
        Self::open_with_id(path, columns, target, labels, None)
    }

    /// The same, with the column `id` as what the user calls each row.
    pub fn open_with_id(
        path: impl AsRef<Path>,
        columns: &[ColumnSpec],
        target: Option<&str>,
        labels: LabelUse,
        id: Option<&str>,
    ) -> Result<Self> {
        let path = path.as_ref();
        if columns.is_empty() {
            return Err(Error::setting("columns", "none", "at least one column is needed"));
        }
        let mut rows = rows::open(path)?;
        let wanted = columns.iter().map(|column| column.name.as_str());
        let mut selection = column_names::find_all(path, rows.names(), wanted)?;
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
        let id = id.map(|id| column_names::find(path, rows.names(), id)).transpose()?;
        // A column that is read already need not be read twice.
        let id = id.map(|id| {
            selection.iter().position(|column| *column == id).unwrap_or_else(|| {
                selection.push(id);
                selection.len() - 1
            })
        });
        rows.select(selection)?;
        let numbers = FileNumbers { separator: rows.separator(), ..FileNumbers::default() };
        let (path, columns) = (path.to_path_buf(), columns.to_vec());
        Ok(Self { path, rows, columns, target, labels, id, numbers })
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
        message: "no target column is given".into(),
    }
}

impl Reader for TableReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let mut builders: Vec<ColumnBuilder> =
            self.columns.iter().map(ColumnBuilder::new).collect();
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        let mut ids = self.id.map(|_| Vec::new());
        let mut memory = Memory::default();
        while lines.len() < max_rows.max(1) && self.rows.read_row()? {
            let line = self.rows.line();
            memory.add_rows(&self.path, 1, builders.len())?;
            for (index, builder) in builders.iter_mut().enumerate() {
                let cell = self.rows.cell(index);
                if let CellValue::Text(text) = &cell {
                    memory.add_text(&self.path, line, text)?;
                }
                builder
                    .push(&cell)
                    .map_err(|message| self.location(&self.columns[index].name).error(message))?;
            }
            if let Some(target) = &self.target {
                let label = self.label(target)?;
                memory.add_label(&self.path, line, &label)?;
                labels.push(label);
            }
            if let (Some(ids), Some(id)) = (&mut ids, self.id) {
                let name = self.rows.cell(id).text().unwrap_or_default().into_owned();
                memory.add_label(&self.path, line, &name)?;
                ids.push(name);
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        for builder in &builders {
            builder.numbers().into_iter().for_each(|numbers| self.numbers.add(numbers));
        }
        for (builder, spec) in builders.iter_mut().zip(&self.columns) {
            let numbers = builder.numbers();
            let mark = numbers.map(|numbers| self.numbers.decide(numbers, spec.form.decimal));
            mark.into_iter().for_each(|mark| builder.set_decimal(mark));
        }
        let commas = self.columns.iter().any(|c| c.form.decimal == DecimalMark::Comma);
        let trained = if commas { DecimalMark::Comma } else { DecimalMark::Point };
        self.numbers.plain_labels(&mut labels, trained, None);
        let columns =
            builders.into_iter().map(ColumnBuilder::finish).collect::<Result<Vec<_>>>()?;
        let table = Table::new(columns.into_iter().flatten())?;
        let origin = Origin::Lines { file: self.path.clone(), lines };
        let dataset = dataset(table, self.target.is_some().then_some(labels), origin)?;
        with_ids(dataset, ids).map(Some)
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn notes(&self) -> Vec<String> {
        self.rows.notes()
    }
}
