//! Columns of numbers that were read as levels, because of how their numbers are written or a few words among them, which
//! then mean missing values.

use ngsll::dataset::{
    Categories, CellForm, CellValue, ColumnKind, DecimalMark, NumberCells, WrittenNumber,
    loses_digits,
};
use std::collections::BTreeMap;

/// At most one in this many cells may hold a word of any kind.
const CELLS_PER_WORD: usize = 20;

/// With more different words they are levels.
const MOST_WORDS: usize = 10;

/// For each different end of a range (`<0.5`), a column of numbers must have more than this many other numbers.
const NUMBERS_PER_LIMIT: usize = 2;

/// A column of numbers that was read as levels.
pub(super) struct NumberColumn {
    pub numbers: NumberCells,
    /// Their form, with the unusual words for a missing one.
    pub form: CellForm,
    /// Every word for a missing number with the number of its cells.
    pub words: BTreeMap<String, usize>,
}

/// The role of a level among numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Level {
    Number(WrittenNumber),
    /// A usual word for a missing number.
    Gap,
    Word,
    /// A text that cannot stand among numbers.
    Other,
}

/// The numbers of a column; `None` if it is not one of numbers, or if words among them are not rare or, without
/// `words`, there are any. A word has no digit: with digits it is more likely a code, and a code beside numbers makes
/// them codes, too.
pub(super) fn find(levels: &Categories, words: bool) -> Option<NumberColumn> {
    let counts = counts(levels);
    let mut form = form(levels, &counts);
    let kinds: Vec<Level> = levels.levels().iter().map(|level| kind(level, &form)).collect();
    let (mut number_cells, mut word_cells) = (0, 0);
    let mut found = BTreeMap::new();
    for ((level, kind), &cells) in levels.levels().iter().zip(&kinds).zip(&counts) {
        match kind {
            Level::Number(_) => number_cells += cells,
            Level::Gap => *found.entry(level.to_lowercase()).or_default() += cells,
            Level::Word => {
                word_cells += cells;
                form.missing_words.push(level.clone());
                *found.entry(level.clone()).or_default() += cells;
            }
            Level::Other => return None,
        }
    }
    let few = form.missing_words.len() <= MOST_WORDS
        && CELLS_PER_WORD * word_cells <= number_cells + word_cells;
    if number_cells == 0 || !few || !(words || found.is_empty()) {
        return None;
    }
    let mut numbers = NumberCells::default();
    for row in 0..levels.len() {
        match levels.id(row).map(|id| &kinds[id]) {
            // Signs of two currencies are not one unit.
            Some(Level::Number(number)) => numbers.push(number).then_some(())?,
            _ => numbers.push_missing(),
        }
    }
    Some(NumberColumn { numbers, form, words: found })
}

/// The number of rows of each level.
pub(super) fn counts(levels: &Categories) -> Vec<usize> {
    let mut counts = vec![0; levels.levels().len()];
    (0..levels.len()).filter_map(|row| levels.id(row)).for_each(|id| counts[id] += 1);
    counts
}

/// The form of the numbers among levels: with a unit, as times, with ends of ranges among them.
pub(super) fn form(levels: &Categories, counts: &[usize]) -> CellForm {
    let texts = || levels.levels().iter().map(String::as_str);
    let mut form = CellForm::of_numbers(texts().zip(counts.iter().copied()));
    let mut clock = CellForm::default();
    clock.clock = true;
    let is_time = |text: &str| kind(text, &clock) != Level::Other;
    if texts().any(|text| text.contains(':')) && texts().all(is_time) {
        return clock;
    }
    form.limits = true;
    let numbers: Vec<WrittenNumber> = texts().filter_map(|text| form.number(text)).collect();
    let limits = numbers.iter().filter(|number| number.is_limit).count();
    form.limits = limits > 0 && numbers.len() - limits > NUMBERS_PER_LIMIT * limits;
    form
}

/// The role of a level among numbers of this form.
pub(super) fn kind(level: &str, form: &CellForm) -> Level {
    if CellValue::Text(level.into()).is_missing(ColumnKind::Numeric) {
        return Level::Gap;
    }
    match form.number(level) {
        Some(number) if loses_digits(level) || !number.value(DecimalMark::Point).is_finite() => {
            Level::Other
        }
        Some(number) => Level::Number(number),
        None if level.chars().any(char::is_numeric) => Level::Other,
        None => Level::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cells: &[&str], times: usize) -> Option<NumberColumn> {
        let mut levels = Categories::default();
        (0..times).for_each(|number| levels.push(Some(&number.to_string())));
        cells.iter().for_each(|cell| levels.push(Some(cell)));
        find(&levels, true)
    }

    #[test]
    fn rare_words_among_numbers_are_missing_values() {
        let found = found(&["sold out", "12,5", "Unknown", "tbd"], 50).unwrap();
        let words = [("sold out", 1), ("tbd", 1), ("unknown", 1)];
        assert_eq!(found.words, words.map(|(word, n)| (word.to_string(), n)).into());
        assert_eq!(found.form.missing_words, ["sold out", "tbd"]);
        let values = found.numbers.finish(DecimalMark::Point);
        assert_eq!((values.len(), values[51]), (54, 12.5));
        assert!(values[50].is_nan() && values[52].is_nan() && values[53].is_nan());
    }

    #[test]
    fn frequent_words_codes_and_other_units_are_levels() {
        assert!(found(&["a", "b", "c"], 50).is_none());
        assert!(found(&["A12"], 500).is_none());
        assert!(found(&["5 €", "$5", "x"], 500).is_none());
        assert!(found(&["inf", "x"], 500).is_none());
        assert!(found(&["01067", "x"], 500).is_none());
        let many: Vec<String> = (0..11).map(|i| "x".repeat(i + 1)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(found(&many, 5000).is_none() && found(&many[1..], 5000).is_some());
    }

    #[test]
    fn units_times_and_ends_of_ranges_are_read() {
        let values = |cells: &[&str], times: usize| {
            let found = found(cells, times)?;
            let (limits, form) = (found.numbers.limits(), found.form);
            let values = found.numbers.finish(DecimalMark::Point)[times..].to_vec();
            Some((values, form.unit.unwrap_or_default(), limits))
        };
        let text = String::from;
        let kg = values(&["103 kg", "7.5kg", "5 kg"], 0);
        assert_eq!(kg, Some((vec![103.0, 7.5, 5.0], text("kg"), 0)));
        let times = values(&["04:28:48", "0:30"], 0);
        assert_eq!(times, Some((vec![16_128.0, 1_800.0], text(""), 0)));
        let lab = values(&["<0.5", "> 90"], 9);
        assert_eq!(lab, Some((vec![0.5, 90.0], text(""), 2)));
        assert_eq!(values(&["<=50K", ">50K"], 0), None);
        assert_eq!(values(&["<18", "18-24", ">65"], 0), None);
        assert_eq!(values(&["4:28", "5"], 0), None);
    }
}
