//! Tables whose columns are known: the wanted columns and the label, chunk by chunk.

use super::IS_MISSING;
use super::decimal::{FileNumbers, LabelNumbers};
use super::rows::{self, RowReader};
use crate::memory::Memory;
use crate::{LabelUse, Reader, ReaderNote, column_names, dataset, with_ids};
use ngsll::dataset::{CellValue, ColumnBuilder, ColumnSpec, Dataset, DecimalMark, Origin, Table};
use ngsll::error::{Error, Location, Result};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Reads named columns from a `.csv` or `.tsv` file with a header (each also as `.gz`) or a `.parquet` file.
///
/// Cells are trimmed. An empty cell, `NA`, `N/A`, `null` and `?`, in any case, are missing values, and so are words
/// such as `none`, `unknown` and `-` in a numeric column, and those of the column's form; in a categorical column they
/// are levels. A numeric column holds finite numbers only, also as in `1.234,5`, `12 %` and `$1,200`; how `1.234` is read
/// depends on the other numbers so far, else on the column's form. A column of dates becomes the columns of its parts.
pub struct TableReader {
    path: PathBuf,
    rows: Box<dyn RowReader>,
    columns: Vec<ColumnSpec>,
    /// The index of each column in the selection; `None` if the file lacks it.
    indices: Vec<Option<usize>>,
    /// The label is the cell after those of the columns.
    target: Option<String>,
    labels: LabelUse,
    /// The index in the selection of the column that identifies a row.
    id: Option<usize>,
    /// The decimal marks of its numbers so far.
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

    /// The same, with the column `id` as the user's identifier of each row.
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
        let mut selection = find_columns(path, rows.as_ref(), columns)?;
        let found = selection.iter().map(|&at| rows.names()[at].as_str());
        let found: HashMap<&str, usize> = found.enumerate().map(|(at, name)| (name, at)).collect();
        let indices =
            columns.iter().map(|column| found.get(column.name.as_str()).copied()).collect();
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
        // A column that is already read need not be read twice.
        let id = id.map(|id| {
            selection.iter().position(|column| *column == id).unwrap_or_else(|| {
                selection.push(id);
                selection.len() - 1
            })
        });
        rows.select(selection)?;
        let numbers = FileNumbers { separator: rows.separator(), ..FileNumbers::default() };
        let (path, columns) = (path.to_path_buf(), columns.to_vec());
        Ok(Self { path, rows, columns, indices, target, labels, id, numbers })
    }

    /// The current row's label, empty if it has none.
    fn label(&self, target: &str) -> Result<String> {
        let columns = self.indices.iter().flatten().count();
        match self.rows.cell(columns).text() {
            Some(label) => Ok(label.into_owned()),
            None if self.labels == LabelUse::Required => {
                Err(self.location(target).error(format!("the target {IS_MISSING}")))
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
        let mut memory = Memory::new(&self.path);
        let declared = self.rows.declared_rows().min(max_rows);
        Memory::check_rows(&self.path, declared, builders.len())?;
        while lines.len() < max_rows.max(1) && self.rows.read_row()? {
            let line = self.rows.line();
            memory.add_row(line, builders.len())?;
            for (index, builder) in builders.iter_mut().enumerate() {
                let cell = self.indices[index].map_or(CellValue::Missing, |at| self.rows.cell(at));
                memory
                    .push(line, builder, &cell)?
                    .map_err(|message| self.location(&self.columns[index].name).error(message))?;
            }
            if let Some(target) = &self.target {
                let label = self.label(target)?;
                memory.add_label(line, &label)?;
                labels.push(label);
            }
            if let (Some(ids), Some(id)) = (&mut ids, self.id) {
                let name = self.rows.cell(id).text().unwrap_or_default().into_owned();
                memory.add_label(line, &name)?;
                ids.push(name);
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let label_numbers = LabelNumbers::of(&labels);
        let of_labels = label_numbers.as_ref().map(|labels| &labels.cells);
        let numbers = builders.iter().filter_map(ColumnBuilder::numbers).chain(of_labels);
        numbers.for_each(|numbers| self.numbers.add(numbers));
        for (builder, spec) in builders.iter_mut().zip(&self.columns) {
            let numbers = builder.numbers();
            let mark = numbers.map(|numbers| self.numbers.decide(numbers, spec.form.decimal));
            mark.into_iter().for_each(|mark| builder.set_decimal(mark));
        }
        let commas = self.columns.iter().any(|c| c.form.decimal == DecimalMark::Comma);
        let trained = if commas { DecimalMark::Comma } else { DecimalMark::Point };
        if let Some(numbers) = label_numbers {
            numbers.plain(&mut labels, self.numbers.decide(&numbers.cells, trained));
        }
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

    fn notes(&self) -> Vec<ReaderNote> {
        let absent = self.columns.iter().zip(&self.indices).filter(|(_, index)| index.is_none());
        let absent = absent.filter(|(column, _)| !column.optional);
        let absent: Vec<String> = absent.map(|(column, _)| column.name.clone()).collect();
        let (s, its) = if absent.len() == 1 { ("", "its") } else { ("s", "their") };
        let note = || {
            format!(
                "no row has the column{s} {}: {its} values are missing",
                column_names::list(&absent)
            )
        };
        let absent = (!absent.is_empty()).then(note);
        self.rows.notes().into_iter().chain(absent).map(ReaderNote::from).collect()
    }
}

/// The indices of the columns in the file, which may lack some if its format allows.
fn find_columns(path: &Path, rows: &dyn RowReader, columns: &[ColumnSpec]) -> Result<Vec<usize>> {
    let known: HashSet<&str> = rows.names().iter().map(String::as_str).collect();
    let names = columns.iter().map(|column| column.name.as_str());
    // A file without any of them is the wrong file.
    let lacks_some = rows.may_lack_columns() && names.clone().any(|name| known.contains(name));
    let needed = |(column, name): &(&ColumnSpec, &str)| {
        known.contains(name) || !(column.optional || lacks_some)
    };
    let wanted = columns.iter().zip(names).filter(needed).map(|(_, name)| name);
    column_names::find_all(path, rows.names(), wanted)
}
