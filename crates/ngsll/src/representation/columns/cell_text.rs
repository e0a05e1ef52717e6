//! A cell as a person reads it.

use crate::dataset::{Column, DatePart, Values, timestamp_of_days, timestamp_text};
use crate::readable;

/// Signs that stand before a number; other units stand after it.
const BEFORE: [&str; 7] = ["$", "£", "¥", "₹", "₩", "₽", "₺"];

/// The cell of a row: a number with its unit (as in `$1,200`), the date or time that it encodes, or a level. `None`
/// where it is missing.
pub(super) fn cell_text(column: &Column, row: usize) -> Option<String> {
    let Values::Numeric(values) = column.values() else { return column.text(row) };
    let value = Some(values[row]).filter(|value| !value.is_nan())?;
    let form = column.form();
    if form.date.as_ref().is_some_and(|date| date.part == DatePart::Days) {
        return Some(timestamp_text(timestamp_of_days(value)));
    }
    if form.clock {
        return Some(clock(value));
    }
    let number = readable::number(value);
    Some(match form.unit.as_deref() {
        None => number,
        Some(unit) if BEFORE.contains(&unit) => format!("{unit}{number}"),
        Some(unit) => format!("{number} {unit}"),
    })
}

/// Seconds as hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    let (whole, sign) = (seconds.abs().round() as u64, if seconds < 0.0 { "−" } else { "" });
    format!("{sign}{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::CellForm;

    #[test]
    fn numbers_have_their_units() {
        let column = |unit: Option<&str>| {
            let form = CellForm { unit: unit.map(String::from), ..Default::default() };
            Column::numeric("price", [12_345.678, f64::NAN]).unwrap().with_form(form)
        };
        for (unit, expected) in
            [(None, "12,345.7"), (Some("$"), "$12,345.7"), (Some("kg"), "12,345.7 kg")]
        {
            assert_eq!(cell_text(&column(unit), 0).as_deref(), Some(expected));
            assert_eq!(cell_text(&column(unit), 1), None);
        }
        let form = CellForm { clock: true, ..Default::default() };
        let time = Column::numeric("time", [16_128.0]).unwrap().with_form(form);
        assert_eq!(cell_text(&time, 0).as_deref(), Some("4:28:48"));
        let zip = Column::categorical("zip", [Some("80331")]);
        assert_eq!(cell_text(&zip, 0).as_deref(), Some("80331"));
    }
}
