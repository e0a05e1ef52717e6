//! A row of a table: the chosen columns as bars, the others folded away.

use super::bars::{self, Label, Side};
use crate::escape;
use crate::interpretation::{Interpretation, Score};
use crate::terminal::lines::Style;
use ngsll::explanation::Term;

/// The columns of a row: name and value as written.
type RowCells = [(String, String)];

/// The chosen columns as a table of bars.
pub(super) fn html(interpretation: &Interpretation, score: &Score, cells: &RowCells) -> String {
    bars::html(interpretation.scale(), score, |term| label(term, cells))
}

/// Two rows' chosen columns side by side.
pub(super) fn side_by_side(
    before: (&Interpretation, &Score, &RowCells),
    now: (&Interpretation, &Score, &RowCells),
) -> String {
    let name = |cells: &RowCells, term: &Term| label(term, cells).0;
    let value = |cells: &RowCells, name: &str| {
        let written = cells.iter().find(|(column, _)| column == name).map(|(_, value)| value);
        let written = written.filter(|value| !value.is_empty());
        written.map_or("missing".to_string(), String::clone)
    };
    bars::side_by_side(
        &Side {
            scale: before.0.scale(),
            score: before.1,
            name: &|term| name(before.2, term),
            value: &|column| value(before.2, column),
        },
        &Side {
            scale: now.0.scale(),
            score: now.1,
            name: &|term| name(now.2, term),
            value: &|column| value(now.2, column),
        },
    )
}

/// The whole row, folded away.
pub(super) fn all_columns(cells: &RowCells) -> String {
    let row = |(name, value): &(String, String)| {
        let value = match value.as_str() {
            "" => "<span class=\"none\">missing</span>".to_string(),
            value => escape(value),
        };
        format!("<tr><th scope=\"row\">{}</th><td>{value}</td></tr>", escape(name))
    };
    let rows: String = cells.iter().map(row).collect();
    format!(
        "<details><summary>All {} columns</summary><table class=\"columns\">{rows}</table></details>",
        cells.len()
    )
}

/// The chosen columns as lines of the terminal.
pub(super) fn lines(
    interpretation: &Interpretation,
    score: &Score,
    cells: &RowCells,
    style: Style,
    width: usize,
) -> Vec<String> {
    bars::lines(interpretation.scale(), score, style, width, |term| label(term, cells))
}

/// A feature as column and value: `workclass=Private` is the value `Private` of `workclass`.
pub(super) fn label(term: &Term, cells: &RowCells) -> Label {
    let level = cells.iter().find(|(column, value)| {
        let level = term.name.strip_prefix(column.as_str()).and_then(|rest| rest.strip_prefix('='));
        level == Some(value)
    });
    if let Some((column, value)) = level {
        return (column.clone(), value.clone());
    }
    // A missing cell is empty; the observed value then says so.
    let shown = cells.iter().find(|(c, value)| *c == term.name && !value.is_empty());
    let shown = shown.map(|(_, value)| value.clone()).or_else(|| term.observed.clone());
    (term.name.clone(), shown.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::output;

    #[test]
    fn a_value_is_shown_as_the_row_has_it() {
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        let cells = [pair("age", "39"), pair("job=type", "Private"), pair("job", "type=x")];
        let mut terms =
            output("y", 0.0, &[("age", 1.0), ("job=type=Private", 1.0), ("z", 1.0)]).terms;
        assert_eq!(label(&terms[0], &cells), pair("age", "39"));
        assert_eq!(label(&terms[1], &cells), pair("job=type", "Private"));
        assert_eq!(label(&terms[2], &cells), pair("z", ""));
        terms[2].observed = Some("missing".to_string());
        assert_eq!(label(&terms[2], &cells), pair("z", "missing"));
    }
}
