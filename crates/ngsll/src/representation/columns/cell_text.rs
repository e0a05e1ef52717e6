//! A cell as a person reads it.

use crate::dataset::{Column, DatePart, Values, moment_of_days, moment_text};
use crate::readable;

/// Units that stand after a number; others stand before it.
const AFTER: [char; 2] = ['%', '€'];

/// The cell of a row: a number with its sign (as in `$1,200`), the date that a number of days is, or a level. `None`
/// where it is missing.
pub(super) fn cell_text(column: &Column, row: usize) -> Option<String> {
    let Values::Numeric(values) = column.values() else { return column.text(row) };
    let value = Some(values[row]).filter(|value| !value.is_nan())?;
    let form = column.form();
    if form.date.as_ref().is_some_and(|date| date.part == DatePart::Days) {
        return Some(moment_text(moment_of_days(value)));
    }
    let number = readable::number(value);
    Some(match form.unit {
        None => number,
        Some(unit) if AFTER.contains(&unit) => format!("{number} {unit}"),
        Some(unit) => format!("{unit}{number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::CellForm;

    #[test]
    fn numbers_have_their_units() {
        let column = |unit| {
            let form = CellForm { unit, ..Default::default() };
            Column::numeric("price", [12_345.678, f64::NAN]).unwrap().with_form(form)
        };
        for (unit, expected) in
            [(None, "12,345.7"), (Some('$'), "$12,345.7"), (Some('%'), "12,345.7 %")]
        {
            assert_eq!(cell_text(&column(unit), 0).as_deref(), Some(expected));
            assert_eq!(cell_text(&column(unit), 1), None);
        }
        let zip = Column::categorical("zip", [Some("80331")]);
        assert_eq!(cell_text(&zip, 0).as_deref(), Some("80331"));
    }
}
