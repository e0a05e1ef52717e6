//! A column whose kind shows only in its cells.

use ngsll::dataset::{CellValue, Column, ColumnBuilder, ColumnKind, ColumnSpec, Texts};
use ngsll::error::Result;

/// A column that is read without knowing its kind: it holds numbers until a cell is none, and levels from then on.
pub(super) struct InferredColumn {
    name: String,
    cells: Cells,
    /// Whether any cell is not missing.
    has_values: bool,
    /// The line of the first cell that cannot be read if the column stays what it is, and the message for it.
    bad_cell: Option<(u64, String)>,
}

enum Cells {
    /// The kind is known.
    Known(ColumnBuilder),
    /// Every cell so far is a number or missing among numbers.
    Numbers { values: Vec<f64>, spellings: Spellings },
}

impl InferredColumn {
    /// A column without rows, of the given kind where it is known.
    pub fn new(name: &str, kind: Option<ColumnKind>) -> Self {
        let cells = match kind {
            Some(kind) => Cells::Known(builder(name, kind)),
            None => Cells::Numbers { values: Vec::new(), spellings: Spellings::default() },
        };
        Self { name: name.to_owned(), cells, has_values: false, bad_cell: None }
    }

    /// Appends a cell.
    pub fn push(&mut self, cell: &CellValue<'_>, line: u64) {
        let bad = match &mut self.cells {
            Cells::Known(builder) => {
                self.has_values = self.has_values || !cell.is_missing(builder.kind());
                builder.push(cell).err()
            }
            Cells::Numbers { values, spellings } => {
                let Some(text) = cell.text() else { return values.push(f64::NAN) };
                if cell.is_missing(ColumnKind::Numeric) {
                    // Not among levels: its text is needed if the column turns out to have some.
                    spellings.note(values.len(), &text);
                    return values.push(f64::NAN);
                }
                self.has_values = true;
                let Ok(value) = text.parse::<f64>() else {
                    self.cells = Cells::Known(levels(&self.name, values, spellings));
                    self.bad_cell = None;
                    return self.push(cell, line);
                };
                spellings.note(values.len(), &text);
                values.push(value);
                // The rule for such numbers, and the message, are those of a column known to be numeric.
                let finite = value.is_finite();
                (!finite)
                    .then(|| builder(&self.name, ColumnKind::Numeric).push(cell).err())
                    .flatten()
            }
        };
        if self.bad_cell.is_none() {
            self.bad_cell = bad.map(|message| (line, message));
        }
    }

    /// Whether any cell is not missing.
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// The first cell that cannot be read: its line, the column's name and the message for it.
    pub fn bad_cell(&self) -> Option<(u64, &str, &str)> {
        self.bad_cell.as_ref().map(|(line, message)| (*line, self.name.as_str(), message.as_str()))
    }

    /// The column; an error where there is a [bad cell](Self::bad_cell).
    pub fn finish(self) -> Result<Column> {
        match self.cells {
            Cells::Known(builder) => Ok(builder.finish()),
            Cells::Numbers { values, .. } => Column::numeric(self.name, values),
        }
    }
}

fn builder(name: &str, kind: ColumnKind) -> ColumnBuilder {
    ColumnBuilder::new(&ColumnSpec { name: name.to_owned(), kind })
}

/// Numbers as levels, each with the text it had in the file.
fn levels(name: &str, values: &[f64], spellings: &Spellings) -> ColumnBuilder {
    let mut levels = builder(name, ColumnKind::Categorical);
    let mut spelled = spellings.iter().peekable();
    for (row, &value) in values.iter().enumerate() {
        let cell = match spelled.next_if(|(at, _)| *at == row) {
            Some((_, text)) => CellValue::Text(text.into()),
            None if value.is_nan() => CellValue::Missing,
            None => CellValue::Number(value),
        };
        // Every text may be a level, so there is no error to look at.
        let _: Result<(), String> = levels.push(&cell);
    }
    levels
}

/// The texts of numbers that are not spelled as `f64` spells them, such as `007`, `1.50` and `1e3`, and `none`. The
/// others are left out: their text is found again from the number, and a table of numbers is kept once, not twice.
#[derive(Default)]
struct Spellings {
    rows: Vec<usize>,
    texts: Texts,
}

impl Spellings {
    fn note(&mut self, row: usize, text: &str) {
        if !is_shortest(text) {
            self.rows.push(row);
            self.texts.push(text);
        }
    }

    /// Rows with their texts, in the order of the rows.
    fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.rows.iter().copied().zip(self.texts.iter())
    }
}

/// Whether `text` is a number that comes back as the same text when it is parsed and shown: digits without needless
/// zeros, at most 15 of them, since no two decimals of 15 digits share their nearest `f64`. May be `false` for others
/// that would come back too.
fn is_shortest(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return false,
        None => (digits, ""),
    };
    let all_digits = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    let needless_zero = whole.starts_with('0') && whole != "0" || fraction.ends_with('0');
    all_digits && !whole.is_empty() && !needless_zero && whole.len() + fraction.len() <= 15
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::dataset::Values;
    use proptest::prelude::*;

    fn column(cells: &[&str]) -> InferredColumn {
        let mut column = InferredColumn::new("x", None);
        for (row, cell) in cells.iter().enumerate() {
            column.push(&CellValue::Text((*cell).into()), row as u64 + 1);
        }
        column
    }

    #[test]
    fn numbers_keep_their_spelling_when_a_text_follows() {
        let cells = ["1", " 1.0 ", "", "1e3", "-0", "nan", "007", "1", "TRUE", "7", "inf"];
        let column = column(&cells);
        assert_eq!(column.bad_cell(), None);
        let column = column.finish().unwrap();
        let Values::Categorical(found) = column.values() else { panic!("{column:?}") };
        let expected = ["1", "1.0", "?", "1e3", "-0", "nan", "007", "1", "true", "7", "inf"]
            .map(|t| (t != "?").then_some(t));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        assert_eq!(found.levels(), ["1", "1.0", "1e3", "-0", "nan", "007", "true", "7", "inf"]);
    }

    #[test]
    fn none_is_missing_among_numbers_and_a_level_among_levels() {
        let numbers = column(&["none", "1.5", "None", ""]).finish().unwrap();
        let Values::Numeric(values) = numbers.values() else { panic!("{numbers:?}") };
        assert_eq!(
            values.iter().map(|v| v.is_nan()).collect::<Vec<_>>(),
            [true, false, true, true]
        );
        for cells in [["none", "2", "lap", "NA"], ["lap", "2", "none", "NA"]] {
            let levels = column(&cells);
            assert!(levels.has_values() && levels.bad_cell().is_none());
            let levels = levels.finish().unwrap();
            let Values::Categorical(found) = levels.values() else { panic!("{levels:?}") };
            let missing = |cell: &str| ["NA", "", "?"].contains(&cell);
            let expected = cells.map(|cell| (!missing(cell)).then_some(cell));
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
        // Where there is nothing else, nothing says what it is.
        assert!(!column(&["none", "", "None"]).has_values());
        let mut known = InferredColumn::new("x", Some(ColumnKind::Numeric));
        known.push(&CellValue::Text("None".into()), 1);
        assert!(!known.has_values() && known.bad_cell().is_none());
    }

    #[test]
    fn numbers_stay_numbers_and_the_first_that_is_not_finite_is_named() {
        let good = column(&["1.50", "NA", "-2"]).finish().unwrap();
        let Values::Numeric(values) = good.values() else { panic!("{good:?}") };
        assert_eq!((values[0], values[1].is_nan(), values[2]), (1.5, true, -2.0));
        let bad = column(&["1", "inf", "nan"]);
        let message = "inf is not a finite number; leave the cell empty where the value is missing";
        assert_eq!(bad.bad_cell(), Some((2, "x", message)));
        assert!(!column(&["", "n/a"]).has_values());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_shortest_spelling_comes_back(text in "-?[0-9]{1,9}(\\.[0-9]{0,9})?", number: f64, integer: i32) {
            for text in [text, number.to_string(), integer.to_string()] {
                if is_shortest(&text) {
                    prop_assert_eq!(text.parse::<f64>().unwrap().to_string(), text);
                }
            }
            prop_assert!(is_shortest(&integer.to_string()));
        }
    }
}
