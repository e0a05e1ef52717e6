//! Tables whose column kinds are inferred from the content, read in one pass.

use super::IS_MISSING;
use super::decimal::{FileNumbers, LabelNumbers};
use super::inferred_column::InferredColumn;
use super::rows::{self, RowReader};
use crate::memory::Memory;
use crate::{LabelUse, ReaderNote, column_names, dataset};
use ngsll::config::DataConfig;
use ngsll::dataset::{
    CellValue, ColumnKind, Dataset, DecimalMark, Labels, Origin, Table, WrittenNumber,
};
use ngsll::error::{Error, Location, Result};
use ngsll::readable::count;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Reads a whole table for training: all columns but `target`, which is the label, and those in `drop`.
///
/// A column of a delimited file is numeric if every cell that is not missing is a number (also as in `1.234,5`,
/// `12 %` and `$1,200`), except for a few words, which are then missing values; one of a Parquet file if its type is;
/// `kinds` overrides this. A column without any value is read as missing numbers. Cells are read as by
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

/// The same with all options of a table, and notes for the user about how it was read.
pub(crate) fn read_with(
    path: &Path,
    target: &str,
    data: &DataConfig,
    labels: LabelUse,
) -> Result<(Dataset, Vec<ReaderNote>)> {
    read_rows(rows::open(path)?, path, target, data, labels)
}

/// Empties labels that mean a missing number, if the labels are numbers; returns the first such word.
fn clear_missing(labels: &mut [String]) -> Option<String> {
    let is_usual = |label: &str| CellValue::Text(label.into()).is_missing(ColumnKind::Numeric);
    // Beside a few whole numbers other words may be classes: a target must not be lost to a guess.
    let is_certain = |label: &str| {
        ["none", "nan"].iter().any(|word| label.eq_ignore_ascii_case(word))
            || CellValue::Text(label.into()).is_missing(ColumnKind::Categorical)
    };
    let is_missing: &dyn Fn(&str) -> bool =
        if Labels::nearly_all_numbers(labels.iter().map(String::as_str)).is_some() {
            &is_usual
        } else if labels
            .iter()
            .all(|label| is_certain(label) || WrittenNumber::read(label).is_some())
        {
            &is_certain
        } else {
            return None;
        };
    let first = labels.iter().find(|label| is_missing(label)).cloned();
    labels.iter_mut().filter(|label| is_missing(label)).for_each(String::clear);
    first.filter(|word| !word.is_empty())
}

/// Reads a table of a known format: the same as [`read_table`] for all rows of `path`.
pub(super) fn read_rows(
    mut rows: Box<dyn RowReader>,
    path: &Path,
    target: &str,
    data: &DataConfig,
    labels: LabelUse,
) -> Result<(Dataset, Vec<ReaderNote>)> {
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
    let mut memory = Memory::new(path);
    Memory::check_rows(path, rows.declared_rows(), columns.len())?;
    while rows.read_row()? {
        let line = rows.line();
        memory.add_row(line, columns.len())?;
        for (index, column) in columns.iter_mut().enumerate() {
            column.push(&rows.cell(index), line, &mut memory)?;
        }
        if has_labels {
            let label = rows.cell(columns.len()).text().map(String::from).unwrap_or_default();
            memory.add_label(line, &label)?;
            labels_read.push(label);
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return Err(Location::file(path).error("it is empty: expected at least one sample"));
    }

    let missing_word = clear_missing(&mut labels_read);
    let mut file = FileNumbers { separator: rows.separator(), ..FileNumbers::default() };
    columns.iter_mut().for_each(|column| column.reconsider(data));
    let label_numbers = LabelNumbers::of(&labels_read);
    let of_labels = label_numbers.as_ref().map(|labels| &labels.cells);
    let numbers = columns.iter().filter_map(InferredColumn::numbers).chain(of_labels);
    numbers.for_each(|numbers| file.add(numbers));
    columns.iter_mut().for_each(|column| column.set_decimal(&file, data.decimal));
    if let Some(labels) = &label_numbers {
        let mark = data.decimal.unwrap_or_else(|| file.decide(&labels.cells, DecimalMark::Point));
        labels.plain(&mut labels_read, mark);
    }
    if !columns.iter().any(InferredColumn::has_values) {
        return Err(Location::file(path).error("no column besides the target has any values"));
    }
    let missing = labels_read.iter().filter(|label| label.is_empty()).count();
    let message = missing_target(missing, lines.len(), missing_word.as_deref());
    let unlabelled = labels_read.iter().position(String::is_empty);
    let unlabelled = unlabelled.filter(|_| labels == LabelUse::Required);
    let unlabelled = unlabelled.map(|row| (lines[row], target, message.as_str()));
    // Of the unreadable cells the first in the file, from left to right, the target last.
    let bad_cell = columns
        .iter()
        .filter_map(InferredColumn::bad_cell)
        .chain(unlabelled)
        .min_by_key(|(line, ..)| *line);
    if let Some((line, column, message)) = bad_cell {
        return Err(Location::line(path, line).column(column).error(message));
    }
    let unit = label_numbers.and_then(|labels| labels.form.unit);
    let unit = unit.map(|unit| format!("the target {target:?} is read as numbers in {unit}"));
    let of_file = rows.notes().into_iter().chain(decimal_commas(&columns)).chain(unit);
    let mut notes: Vec<ReaderNote> = of_file.map(ReaderNote::from).collect();
    notes.extend(columns.iter().flat_map(|column| column.notes(&lines)));
    let columns = columns.into_iter().map(InferredColumn::finish).collect::<Result<Vec<_>>>()?;
    let columns = columns.into_iter().flatten();
    let origin = Origin::Lines { file: path.to_path_buf(), lines };
    let labels_read = has_labels.then_some(labels_read);
    Ok((dataset(Table::new(columns)?, labels_read, origin)?, notes))
}

/// The message about `missing` of `rows` rows without a target, at the first of them, with the file's word for it.
fn missing_target(missing: usize, rows: usize, word: Option<&str>) -> String {
    let target = word.map_or("the target".to_string(), |word| format!("the target ({word:?})"));
    if missing < 2 {
        return format!("{target} {IS_MISSING}");
    }
    let (others, rows) = (count(missing - 1), count(rows));
    format!(
        "{target} is missing, here and in {others} more of {rows} rows; leave these rows out of the file"
    )
}

/// A note on the columns that are read with a decimal comma.
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
