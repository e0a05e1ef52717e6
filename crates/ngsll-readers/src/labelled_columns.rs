//! The columns of a file that hold the samples and their labels.

use crate::{LabelUse, column_names};
use ngsll::error::{Error, Location, Result};
use std::path::Path;

/// The usual names of a label column.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// The column of the samples.
pub(crate) struct Content<'a> {
    /// Its name, if given.
    pub column: Option<&'a str>,
    /// Its usual names.
    pub usual: &'a [&'a str],
    /// Its content, in a word.
    pub what: &'static str,
    /// The option for its name.
    pub option: &'static str,
}

/// The indices of the columns of the samples, of the labels, if labels are read and there are any, and of the ids.
pub(crate) struct ColumnIndices {
    pub content: usize,
    pub label: Option<usize>,
    pub id: Option<usize>,
}

/// Finds the columns of a file with these names; `target` and `id` are the names of labels and ids, if given.
pub(crate) fn find(
    path: &Path,
    columns: &[String],
    content: &Content<'_>,
    (target, id): (Option<&str>, Option<&str>),
    labels: LabelUse,
) -> Result<ColumnIndices> {
    let id = id.map(|id| column_names::find(path, columns, id)).transpose()?;
    let label = match target {
        Some(target) if labels == LabelUse::Required => {
            Some(column_names::find(path, columns, target)?)
        }
        Some(target) => columns.iter().position(|column| column == target),
        None => usual(columns, &LABEL_NAMES),
    };
    if label.is_none() && labels == LabelUse::Required {
        return Err(unclear(path, columns, "label", "data.target"));
    }
    let found = match content.column {
        Some(column) => Some(column_names::find(path, columns, column)?),
        None => {
            let is_free = |column: &usize| Some(*column) != label && Some(*column) != id;
            let usual = usual(columns, content.usual).filter(|found| Some(*found) != label);
            let named = |column: &usize| ends_like(&columns[*column], content.usual);
            usual
                .or_else(|| only((0..columns.len()).filter(is_free).filter(named)))
                .or_else(|| only((0..columns.len()).filter(is_free)))
        }
    };
    let found = found.ok_or_else(|| unclear(path, columns, content.what, content.option))?;
    if label == Some(found) {
        let (name, what) = (&columns[found], content.what);
        let message = format!("column {name:?} cannot be both the {what} and the label");
        return Err(Location::file(path).error(message));
    }
    let label = label.filter(|_| labels != LabelUse::Ignored);
    Ok(ColumnIndices { content: found, label, id })
}

/// The first column with one of the usual names.
fn usual(columns: &[String], usual: &[&str]) -> Option<usize> {
    usual.iter().find_map(|name| columns.iter().position(|c| c.eq_ignore_ascii_case(name)))
}

/// Whether the last of a name's words is a usual name: `review_text`, `Review Text`, `reviewText`.
fn ends_like(name: &str, usual: &[&str]) -> bool {
    let lower = name.to_lowercase();
    usual.iter().any(|usual| {
        let start = lower.strip_suffix(usual).map_or(0, str::len);
        let camel = name.get(start..).is_some_and(|word| word.starts_with(char::is_uppercase));
        start > 0 && (camel || lower[..start].ends_with(|c: char| !c.is_alphanumeric()))
    })
}

/// The only element, if there is exactly one.
fn only(mut columns: impl Iterator<Item = usize>) -> Option<usize> {
    columns.next().filter(|_| columns.next().is_none())
}

/// The error for a column whose name is not unique.
fn unclear(path: &Path, columns: &[String], what: &str, option: &'static str) -> Error {
    let list = column_names::list(columns);
    let message = format!("it is not clear which of the columns {list} is the {what}");
    Error::Unset { location: Location::file(path), name: option, message }
}
