//! Tables whose columns the content decides, read in one pass.

use super::TARGET_IS_MISSING;
use super::inferred_column::InferredColumn;
use super::rows::{self, RowReader};
use crate::{LabelUse, column_names, dataset};
use ngsll::dataset::{CellValue, ColumnKind, Dataset, Origin, Table};
use ngsll::error::{Location, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a whole table to learn from: all columns but `target`, which is the label, and those in `drop`.
///
/// A column of a delimited file is numeric when every cell that is not missing is a number, one of a Parquet file when
/// its type is; `kinds` decides otherwise. A column without any value is read as missing numbers. Cells are read as by
/// [`TableReader`](crate::TableReader).
pub fn read_table(
    path: impl AsRef<Path>,
    target: &str,
    kinds: &BTreeMap<String, ColumnKind>,
    drop: &[String],
    labels: LabelUse,
) -> Result<Dataset> {
    let path = path.as_ref();
    read_rows(rows::open(path)?, path, target, kinds, drop, labels)
}

/// Whether a label has its place among numbers.
fn is_number_or_missing(label: &str) -> bool {
    is_missing_number(label) || label.parse::<f64>().is_ok()
}

/// Whether a label is missing among numbers; `none` can be a class.
fn is_missing_number(label: &str) -> bool {
    CellValue::Text(label.into()).is_missing(ColumnKind::Numeric)
}

/// Reads a table of a format that is known: the same as [`read_table`] for all rows of `path`.
pub(super) fn read_rows(
    mut rows: Box<dyn RowReader>,
    path: &Path,
    target: &str,
    kinds: &BTreeMap<String, ColumnKind>,
    drop: &[String],
    labels: LabelUse,
) -> Result<Dataset> {
    let names = rows.names().to_vec();
    let label = column_names::find(path, &names, target)?;
    for name in kinds.keys().chain(drop) {
        column_names::find(path, &names, name)?;
    }
    let mut selection: Vec<usize> = (0..names.len())
        .filter(|&column| column != label && !drop.contains(&names[column]))
        .collect();
    if selection.is_empty() {
        let message = format!("no column is left beside the target {target:?}");
        return Err(Location::file(path).error(message));
    }
    let mut columns: Vec<InferredColumn> = selection
        .iter()
        .map(|&column| {
            let name = &names[column];
            InferredColumn::new(name, kinds.get(name).copied().or(rows.kind(column)))
        })
        .collect();
    let has_labels = labels != LabelUse::Ignored;
    selection.extend(has_labels.then_some(label));
    rows.select(selection)?;

    let (mut labels_read, mut lines) = (Vec::new(), Vec::new());
    while rows.read_row()? {
        let line = rows.line();
        for (index, column) in columns.iter_mut().enumerate() {
            column.push(&rows.cell(index), line);
        }
        if has_labels {
            let label = rows.cell(columns.len()).text().map(String::from);
            labels_read.push(label.unwrap_or_default());
        }
        lines.push(line);
    }

    if labels_read.iter().all(|label| is_number_or_missing(label)) {
        let missing = |label: &&mut String| is_missing_number(label);
        labels_read.iter_mut().filter(missing).for_each(String::clear);
    }
    if !columns.iter().any(InferredColumn::has_values) {
        return Err(Location::file(path).error("no column but the target has any value"));
    }
    let missing_target = || {
        let row = labels_read.iter().position(String::is_empty)?;
        (labels == LabelUse::Required).then(|| (lines[row], target, TARGET_IS_MISSING))
    };
    // Of the cells that cannot be read the first in the file, from left to right, the target last.
    let bad_cell = columns
        .iter()
        .filter_map(InferredColumn::bad_cell)
        .chain(missing_target())
        .min_by_key(|(line, ..)| *line);
    if let Some((line, column, message)) = bad_cell {
        return Err(Location::line(path, line).column(column).error(message));
    }
    let columns = columns.into_iter().map(InferredColumn::finish).collect::<Result<Vec<_>>>()?;
    let origin = Origin::Lines { file: path.to_path_buf(), lines };
    dataset(Table::new(columns)?, has_labels.then_some(labels_read), origin)
}
