//! Tables whose columns the content decides, read in one pass.

use super::TARGET_IS_MISSING;
use super::decimal::FileNumbers;
use super::inferred_column::InferredColumn;
use super::memory::Memory;
use super::rows::{self, RowReader};
use crate::{LabelUse, column_names, dataset};
use ngsll::config::DataConfig;
use ngsll::dataset::{CellValue, ColumnKind, Dataset, DecimalMark, Origin, Table, WrittenNumber};
use ngsll::error::{Error, Location, Result};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Reads a whole table to learn from: all columns but `target`, which is the label, and those in `drop`.
///
/// A column of a delimited file is numeric when every cell that is not missing is a number (also as in `1.234,5`,
/// `12 %` and `$1,200`), but for a few words, which are then missing values; one of a Parquet file when its type is;
/// `kinds` decides otherwise. A column without any value is read as missing numbers. Cells are read as by
/// [`TableReader`](crate::TableReader).
pub fn read_table(
    path: impl AsRef<Path>,
    target: &str,
    kinds: &BTreeMap<String, ColumnKind>,
    drop: &[String],
    labels: LabelUse,
) -> Result<Dataset> {
    let path = path.as_ref();
    let mut data = DataConfig::default();
    data.columns = kinds.iter().map(|(name, kind)| (name.clone(), (*kind).into())).collect();
    data.drop = drop.to_vec();
    Ok(read_rows(rows::open(path)?, path, target, &data, labels)?.0)
}

/// The same with all options of a table, and what a person should know about how it was read.
pub(crate) fn read_with(
    path: &Path,
    target: &str,
    data: &DataConfig,
    labels: LabelUse,
) -> Result<(Dataset, Vec<String>)> {
    read_rows(rows::open(path)?, path, target, data, labels)
}

/// Whether a label has its place among numbers.
fn is_number_or_missing(label: &str) -> bool {
    is_missing_number(label) || WrittenNumber::read(label).is_some()
}

/// Whether a label is missing among numbers; `none` can be a class. Other words are: a target must not be lost to a
/// guess.
fn is_missing_number(label: &str) -> bool {
    label.eq_ignore_ascii_case("none")
        || CellValue::Text(label.into()).is_missing(ColumnKind::Categorical)
}

/// Reads a table of a format that is known: the same as [`read_table`] for all rows of `path`.
pub(super) fn read_rows(
    mut rows: Box<dyn RowReader>,
    path: &Path,
    target: &str,
    data: &DataConfig,
    labels: LabelUse,
) -> Result<(Dataset, Vec<String>)> {
    let decided = &data.columns;
    let drop: HashSet<&str> = data.drop.iter().map(String::as_str).collect();
    let names = rows.names().to_vec();
    let label = column_names::find(path, &names, target)?;
    let id = data.id.as_deref().map(|id| column_names::find(path, &names, id)).transpose()?;
    if id == Some(label) {
        return Err(Error::setting("data.id", target, "it is the target"));
    }
    for name in decided.keys().chain(&data.drop) {
        column_names::find(path, &names, name)?;
    }
    let mut selection: Vec<usize> = (0..names.len())
        .filter(|&column| {
            column != label && Some(column) != id && !drop.contains(names[column].as_str())
        })
        .collect();
    if selection.is_empty() {
        let message = format!("there is no column besides the target {target:?}");
        return Err(Location::file(path).error(message));
    }
    let mut columns: Vec<InferredColumn> = selection
        .iter()
        .map(|&column| {
            let name = &names[column];
            let kind = decided.get(name).and_then(|decided| decided.kind);
            let kind = kind.or(rows.kind(column));
            InferredColumn::new(name, kind, data)
        })
        .collect();
    let has_labels = labels != LabelUse::Ignored;
    selection.extend(has_labels.then_some(label));
    rows.select(selection)?;

    let (mut labels_read, mut lines) = (Vec::new(), Vec::new());
    let mut memory = Memory::default();
    while rows.read_row()? {
        let line = rows.line();
        memory.add_rows(path, 1, columns.len())?;
        for (index, column) in columns.iter_mut().enumerate() {
            let cell = rows.cell(index);
            if let CellValue::Text(text) = &cell {
                memory.add_text(path, line, text)?;
            }
            column.push(&cell, line);
        }
        if has_labels {
            let label = rows.cell(columns.len()).text().map(String::from).unwrap_or_default();
            memory.add_label(path, line, &label)?;
            labels_read.push(label);
        }
        lines.push(line);
    }

    if labels_read.iter().all(|label| is_number_or_missing(label)) {
        let missing = |label: &&mut String| is_missing_number(label);
        labels_read.iter_mut().filter(missing).for_each(String::clear);
    }
    let mut file = FileNumbers { separator: rows.separator(), ..FileNumbers::default() };
    columns.iter_mut().for_each(|column| column.reconsider(data));
    columns.iter().filter_map(InferredColumn::numbers).for_each(|numbers| file.add(numbers));
    columns.iter_mut().for_each(|column| column.set_decimal(&file, data.decimal));
    file.plain_labels(&mut labels_read, DecimalMark::Point, data.decimal);
    if !columns.iter().any(InferredColumn::has_values) {
        return Err(Location::file(path).error("no column besides the target has any values"));
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
    let mut notes = rows.notes();
    notes.extend(decimal_commas(&columns));
    notes.extend(columns.iter().flat_map(InferredColumn::notes));
    let columns = columns.into_iter().map(InferredColumn::finish).collect::<Result<Vec<_>>>()?;
    let columns = columns.into_iter().flatten();
    let origin = Origin::Lines { file: path.to_path_buf(), lines };
    let labels_read = has_labels.then_some(labels_read);
    Ok((dataset(Table::new(columns)?, labels_read, origin)?, notes))
}

/// Says which columns are read with a decimal comma.
fn decimal_commas(columns: &[InferredColumn]) -> Option<String> {
    let names: Vec<String> = columns
        .iter()
        .filter(|column| column.has_decimal_comma())
        .map(|column| column.name().to_owned())
        .collect();
    let s = if names.len() == 1 { "" } else { "s" };
    (!names.is_empty()).then(|| {
        let names = column_names::list(&names);
        format!("decimal commas (12,5 is 12.5) are read in column{s} {names}")
    })
}
