//! Columns of dates, detected when all of their cells are read.

use ngsll::dataset::{Categories, CellValue, ColumnKind, WrittenDate};

/// A column of dates that was read as levels.
pub(super) struct Dates {
    /// Seconds since 1970, NaN where a date is missing.
    pub timestamps: Vec<f64>,
    /// Whether the month comes before the day where the order is ambiguous.
    pub month_first: bool,
    /// Whether nothing decides between the two, and it matters.
    pub unclear: bool,
}

/// The dates of a column; `None` if a level is not a date. Whether day or month comes first is one decision for the whole
/// column: by `given`, else by the unambiguous dates, else the day.
pub(super) fn find(levels: &Categories, given: Option<bool>) -> Option<Dates> {
    let dates: Vec<Option<WrittenDate>> = levels
        .levels()
        .iter()
        .map(|level| match CellValue::Text(level.into()).is_missing(ColumnKind::Date) {
            true => Some(None),
            false => WrittenDate::read(level).map(Some),
        })
        .collect::<Option<_>>()?;
    let all = || dates.iter().flatten();
    let possible = |month_first: bool| all().all(|date| date.timestamp(month_first).is_some());
    let month_first = given.unwrap_or_else(|| !possible(false));
    if all().next().is_none() || !possible(month_first) {
        return None;
    }
    let differs = all().any(|date| date.day_first != date.month_first);
    let unclear = given.is_none() && differs && possible(true) && possible(false);
    let timestamps: Vec<f64> = dates
        .iter()
        .map(|date| date.and_then(|date| date.timestamp(month_first)).unwrap_or(f64::NAN))
        .collect();
    let timestamp = |row| levels.id(row).map_or(f64::NAN, |id| timestamps[id]);
    Some(Dates { timestamps: (0..levels.len()).map(timestamp).collect(), month_first, unclear })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::dataset::timestamp_text;

    fn found(cells: &[&str], given: Option<bool>) -> Option<(Vec<String>, bool, bool)> {
        let mut levels = Categories::default();
        cells.iter().for_each(|cell| levels.push(Some(*cell).filter(|cell| !cell.is_empty())));
        let Dates { timestamps, month_first, unclear } = find(&levels, given)?;
        let text = |m: &f64| if m.is_nan() { String::new() } else { timestamp_text(*m) };
        Some((timestamps.iter().map(text).collect(), month_first, unclear))
    }

    #[test]
    fn the_whole_column_decides_what_comes_first() {
        let dates = |dates: &[&str]| dates.iter().map(|date| date.to_string()).collect::<Vec<_>>();
        let day = (dates(&["2024-02-01", "2024-01-31"]), false, false);
        assert_eq!(found(&["01/02/2024", "31/01/2024"], None), Some(day));
        let month = (dates(&["2024-01-02", "2024-01-31"]), true, false);
        assert_eq!(found(&["01/02/2024", "01/31/2024"], None), Some(month));
        let unclear = (dates(&["2024-02-01", "", ""]), false, true);
        assert_eq!(found(&["01/02/2024", "", "unknown"], None), Some(unclear));
        let given = (dates(&["2024-01-02"]), true, false);
        assert_eq!(found(&["01/02/2024"], Some(true)), Some(given));
        // The same either way.
        let same = (dates(&["2024-02-02", "2024-01-31"]), false, false);
        assert_eq!(found(&["02/02/2024", "31.01.2024"], None), Some(same));
        for other in
            [&["31/01/2024", "01/31/2024"][..], &["2024-01-31", "later"], &["unknown"], &[]]
        {
            assert_eq!(found(other, None), None, "{other:?}");
        }
        assert_eq!(found(&["31/01/2024"], Some(true)), None);
    }
}
