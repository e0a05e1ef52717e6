//! Columns of numbers with a few words among them, which then stand for missing values.

use ngsll::dataset::{Categories, CellValue, ColumnKind, DecimalMark, NumberCells, WrittenNumber};
use std::collections::BTreeMap;

/// Of so many cells at most one may hold a word of any kind.
const CELLS_PER_WORD: usize = 20;

/// More different words than this are levels.
const MOST_WORDS: usize = 10;

/// A column of numbers that was read as levels.
pub(super) struct Found {
    pub numbers: NumberCells,
    /// Every word for a missing number with the number of its cells.
    pub words: BTreeMap<String, usize>,
    /// Those that are not usual for it.
    pub rare: Vec<String>,
}

/// What a level is among numbers.
enum Level {
    Number(WrittenNumber),
    /// A usual word for a missing number.
    Gap,
    Word,
}

/// The numbers of a column in which words are rare; `None` where they are not. A word has no digit: what has some is
/// more likely a code, and a code beside numbers makes codes of them.
pub(super) fn find(levels: &Categories) -> Option<Found> {
    let kinds = levels.levels().iter().map(|level| kind(level)).collect::<Option<Vec<_>>>()?;
    let mut counts = vec![0_usize; kinds.len()];
    (0..levels.len()).filter_map(|row| levels.id(row)).for_each(|id| counts[id] += 1);

    let (mut number_cells, mut word_cells) = (0, 0);
    let (mut words, mut rare) = (BTreeMap::new(), Vec::new());
    for ((level, kind), &cells) in levels.levels().iter().zip(&kinds).zip(&counts) {
        match kind {
            Level::Number(_) => number_cells += cells,
            Level::Gap => *words.entry(level.to_lowercase()).or_default() += cells,
            Level::Word => {
                word_cells += cells;
                rare.push(level.clone());
                *words.entry(level.clone()).or_default() += cells;
            }
        }
    }
    let few = rare.len() <= MOST_WORDS && CELLS_PER_WORD * word_cells <= number_cells + word_cells;
    if number_cells == 0 || !few {
        return None;
    }
    let mut numbers = NumberCells::default();
    for row in 0..levels.len() {
        match levels.id(row).map(|id| &kinds[id]) {
            // Signs of two currencies are no one unit.
            Some(Level::Number(number)) => numbers.push(number).then_some(())?,
            Some(Level::Gap | Level::Word) | None => numbers.push_missing(),
        }
    }
    Some(Found { numbers, words, rare })
}

/// `None` for what cannot stand among numbers.
fn kind(level: &str) -> Option<Level> {
    if CellValue::Text(level.into()).is_missing(ColumnKind::Numeric) {
        return Some(Level::Gap);
    }
    match WrittenNumber::read(level) {
        Some(number) => {
            number.value(DecimalMark::Point).is_finite().then_some(Level::Number(number))
        }
        None => level.chars().all(|c| !c.is_numeric()).then_some(Level::Word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cells: &[&str], times: usize) -> Option<Found> {
        let mut levels = Categories::default();
        (0..times).for_each(|number| levels.push(Some(&number.to_string())));
        cells.iter().for_each(|cell| levels.push(Some(cell)));
        find(&levels)
    }

    #[test]
    fn rare_words_among_numbers_are_missing_values() {
        let found = found(&["sold out", "12,5", "Unknown", "tbd"], 50).unwrap();
        let words = [("sold out", 1), ("tbd", 1), ("unknown", 1)];
        assert_eq!(found.words, words.map(|(word, n)| (word.to_string(), n)).into());
        assert_eq!(found.rare, ["sold out", "tbd"]);
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
        let many: Vec<String> = (0..11).map(|i| "x".repeat(i + 1)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(found(&many, 5000).is_none() && found(&many[1..], 5000).is_some());
    }
}
