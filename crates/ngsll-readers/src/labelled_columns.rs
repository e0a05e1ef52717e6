//! Which columns of a file hold the samples and their labels.

use crate::{LabelUse, column_names};
use ngsll::error::{Error, Location, Result};
use std::path::Path;

/// Names that a label column goes by when none is given.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// The column of the samples.
pub(crate) struct Content<'a> {
    /// Its name, where that is given.
    pub column: Option<&'a str>,
    /// Names that it goes by otherwise.
    pub usual: &'a [&'a str],
    /// What it holds, in a word.
    pub what: &'static str,
    /// The option that names it.
    pub option: &'static str,
}

/// The places of the samples, of the labels, where labels are read and there are any, and of the ids.
pub(crate) struct Places {
    pub content: usize,
    pub label: Option<usize>,
    pub id: Option<usize>,
}

/// Finds the columns of a file with these names; `target` and `id` are those of labels and ids, where they are given.
pub(crate) fn find(
    path: &Path,
    columns: &[String],
    content: &Content<'_>,
    (target, id): (Option<&str>, Option<&str>),
    labels: LabelUse,
) -> Result<Places> {
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
        None => usual(columns, content.usual).filter(|found| Some(*found) != label).or_else(|| {
            let is_free = |column: &usize| Some(*column) != label && Some(*column) != id;
            let mut left = (0..columns.len()).filter(is_free);
            left.next().filter(|_| left.next().is_none())
        }),
    };
    let found = found.ok_or_else(|| unclear(path, columns, content.what, content.option))?;
    if label == Some(found) {
        let (name, what) = (&columns[found], content.what);
        let message = format!("column {name:?} cannot be both the {what} and the label");
        return Err(Location::file(path).error(message));
    }
    let label = label.filter(|_| labels != LabelUse::Ignored);
    Ok(Places { content: found, label, id })
}

/// The first column with one of the usual names.
fn usual(columns: &[String], usual: &[&str]) -> Option<usize> {
    usual.iter().find_map(|name| columns.iter().position(|c| c.eq_ignore_ascii_case(name)))
}

/// The error for a column that no usual name tells from the others.
fn unclear(path: &Path, columns: &[String], what: &str, option: &'static str) -> Error {
    let list = column_names::list(columns);
    let message = format!("the names of the columns {list} do not tell which one is the {what}");
    Error::Unset { location: Location::file(path), name: option, message }
}
