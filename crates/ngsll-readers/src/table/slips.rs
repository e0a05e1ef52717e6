//! Columns of levels that are almost columns of numbers or dates.

use super::numbers_among_levels::{Level, counts, form, kind};
use crate::ReaderNote;
use ngsll::dataset::{Categories, CellValue, ColumnKind, WrittenDate, loses_digits};
use ngsll::findings::Remedy;
use ngsll::readable::count;

/// The share of the cells, in percent, that must be numbers or dates for the others to be errors.
const NEARLY_ALL: usize = 95;

/// The most errors that a note names.
const NAMED: usize = 5;

/// Whether a text is of some kind.
type Test<'a> = &'a dyn Fn(&str) -> bool;

/// The note about a column of levels whose cells, except for a few, are numbers or dates; `lines` are those of its
/// rows.
pub(super) fn note(name: &str, levels: &Categories, lines: &[u64]) -> Option<ReaderNote> {
    let (counts, texts) = (counts(levels), levels.levels());
    if texts.iter().any(|text| loses_digits(text)) {
        return None;
    }
    let form = form(levels, &counts);
    let is_gap = |text: &str| CellValue::Text(text.into()).is_missing(ColumnKind::Numeric);
    let is_number = |text: &str| matches!(kind(text, &form), Level::Number(_));
    let is_date = |text: &str| WrittenDate::read(text).is_some();
    let sum = |wanted: Test| -> usize {
        texts.iter().zip(&counts).filter(|(text, _)| wanted(text)).map(|(_, count)| count).sum()
    };
    let all = sum(&|text| !is_gap(text));
    let kinds: [(&str, Test); 2] = [("numbers", &is_number), ("dates", &is_date)];
    let nearly = |cells: usize| cells < all && 100 * cells >= NEARLY_ALL * all;
    let (what, is_one, cells) =
        kinds.into_iter().map(|(what, is)| (what, is, sum(is))).find(|(.., n)| nearly(*n))?;
    let slips: Vec<&String> = texts.iter().filter(|text| !is_one(text) && !is_gap(text)).collect();
    let first = slips.first()?;
    let row = (0..levels.len()).find(|&row| levels.get(row) == Some(first.as_str()))?;
    let (others, it, effect) = match all - cells - 1 {
        0 => (String::new(), "it", "reads it as missing"),
        1 => (", and one more cell is not one".to_string(), "both", "reads them as missing"),
        more => {
            let others = format!(", and {} more cells are not", count(more));
            (others, "them", "reads them as missing")
        }
    };
    let (cells, all) = (count(cells), count(all));
    let words: Vec<String> = slips.iter().map(|slip| format!("{slip:?}")).collect();
    let text = format!(
        "column {name:?} is read as levels, although {cells} of {all} cells are {what}: line {} has {first:?}{others}; \
         correct {it}",
        lines[row]
    );
    Some(match words.len() {
        n if n > NAMED => format!("{text}, or name them all in data.missing_words").into(),
        _ => {
            let words = format!("[{}]", words.join(","));
            ReaderNote::with_remedy(text, ", or", Remedy::new("data.missing_words", words, effect))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(cells: &[&str], times: usize, often: impl Fn(usize) -> String) -> Option<String> {
        let mut levels = Categories::default();
        cells.iter().for_each(|cell| levels.push(Some(cell)));
        (0..times).for_each(|i| levels.push(Some(&often(i))));
        let lines: Vec<u64> = (2..levels.len() as u64 + 2).collect();
        note("x", &levels, &lines).map(|note| note.to_string())
    }

    #[test]
    fn slips_among_numbers_and_dates_are_named() {
        let numbers = said(&["1.5", "1,2,3"], 98, |i| format!("{i}.25"));
        let expected = "column \"x\" is read as levels, although 99 of 100 cells are numbers: line 3 has \"1,2,3\"; \
                        correct it, or data.missing_words = [\"1,2,3\"] reads it as missing";
        assert_eq!(numbers.as_deref(), Some(expected));
        let day = |i: usize| format!("{:02}.03.2024", 1 + i % 31);
        let dates = said(&["31.02.2024", "0000-00-00", "unknown"], 60, day);
        let expected = "column \"x\" is read as levels, although 60 of 62 cells are dates: line 2 has \"31.02.2024\", \
                        and one more cell is not one; correct both, or \
                        data.missing_words = [\"31.02.2024\",\"0000-00-00\"] reads them as missing";
        assert_eq!(dates.as_deref(), Some(expected));
    }

    #[test]
    fn levels_that_are_none_of_both_need_no_note() {
        assert_eq!(said(&["A1", "A2"], 20, |i| i.to_string()), None, "not nearly all");
        assert_eq!(said(&["x"], 100, |i| format!("{i:03}")), None, "codes");
        assert_eq!(said(&["x"], 100, |i| format!("w{i}")), None);
        assert_eq!(said(&[], 0, |_| String::new()), None);
    }
}
