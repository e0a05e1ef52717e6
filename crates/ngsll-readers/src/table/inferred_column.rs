//! A column whose kind is inferred from its cells.

mod notes;

use super::dates_among_levels::{self, Dates};
use super::decimal::FileNumbers;
use super::numbers_among_levels::{self, NumberColumn};
use crate::memory::Memory;
use ngsll::config::DataConfig;
use ngsll::dataset::{
    CellValue, Column, ColumnBuilder, ColumnKind, ColumnSpec, DateForm, DecimalMark, NumberCells,
    Texts, WrittenNumber, date_columns, loses_digits,
};
use ngsll::error::Result;
use std::collections::BTreeMap;

/// A column of unknown kind: it holds numbers until a cell is not a number, and levels from then on.
pub(super) struct InferredColumn {
    /// Its name and form; its kind if known.
    spec: ColumnSpec,
    cells: InferredCells,
    /// Whether the content decides its kind.
    open: bool,
    /// Whether the usual words for a missing number count as one.
    usual_words: bool,
    /// Words among numbers that mean a missing one, with the number of cells.
    words: BTreeMap<String, usize>,
    /// Whether any cell has a value.
    has_values: bool,
    /// Whether numbers such as `1.234` could well have been thousands.
    points_are_a_guess: bool,
    /// The line of the first cell that is unreadable if the column keeps its kind, and the message for it.
    bad_cell: Option<(u64, String)>,
}

enum InferredCells {
    /// The kind is known.
    Known(ColumnBuilder),
    /// Every cell so far is a number or missing among numbers.
    Numbers { numbers: NumberCells, spellings: Spellings },
    /// Every cell is a date.
    Dates(Dates),
}

impl InferredColumn {
    /// A column without rows, of the given kind if known. If `options` name words for missing values,
    /// these and no others are.
    pub fn new(name: &str, kind: Option<ColumnKind>, options: &DataConfig) -> Self {
        let mut spec = ColumnSpec::new(name, kind.unwrap_or(ColumnKind::Numeric));
        spec.form.missing_words = options.missing_words.clone().unwrap_or_default();
        if kind == Some(ColumnKind::Date) {
            spec.form.date = Some(DateForm::new(options.month_first.unwrap_or(false), false));
        }
        // A column declared numeric includes ends of ranges.
        spec.form.limits = kind == Some(ColumnKind::Numeric);
        let cells = match kind {
            Some(_) => InferredCells::Known(ColumnBuilder::new(&spec)),
            None => InferredCells::Numbers {
                numbers: NumberCells::default(),
                spellings: Spellings::default(),
            },
        };
        Self {
            spec,
            cells,
            open: kind.is_none(),
            usual_words: options.missing_words.is_none(),
            words: BTreeMap::new(),
            has_values: false,
            points_are_a_guess: false,
            bad_cell: None,
        }
    }

    /// Appends a cell, and counts what is held of its text.
    pub fn push(&mut self, cell: &CellValue<'_>, line: u64, memory: &mut Memory) -> Result<()> {
        let bad = match &mut self.cells {
            InferredCells::Known(builder) => {
                let named = cell.text().is_some_and(|text| self.spec.form.is_missing(&text));
                self.has_values |= !named && !cell.is_missing(builder.kind());
                memory.push(line, builder, cell)?.err()
            }
            InferredCells::Numbers { numbers, spellings } => {
                let Some(text) = cell.text() else {
                    numbers.push_missing();
                    return Ok(());
                };
                let row = numbers.values().len();
                let usual = self.usual_words && cell.is_missing(ColumnKind::Numeric);
                if usual || self.spec.form.is_missing(&text) {
                    // Not among levels: its text is needed if the column turns out to have some.
                    spellings.note(row, &text, line, memory)?;
                    *self.words.entry(text.to_lowercase()).or_default() += 1;
                    numbers.push_missing();
                    return Ok(());
                }
                self.has_values = true;
                if let CellValue::Number(value) = cell
                    && value.is_finite()
                {
                    // Never a text, so there is nothing to decide.
                    spellings.note(row, &text, line, memory)?;
                    numbers.push_value(*value);
                    return Ok(());
                }
                let number = WrittenNumber::read(&text).filter(|_| !loses_digits(&text));
                let Some(number) = number.filter(|number| numbers.push(number)) else {
                    self.become_levels(line, memory)?;
                    return self.push(cell, line, memory);
                };
                spellings.note(row, &text, line, memory)?;
                // The rule for such numbers, and the message, are those of a column known to be numeric.
                let finite = number.value(DecimalMark::Point).is_finite();
                (!finite).then(|| ColumnBuilder::new(&self.spec).push(cell).err()).flatten()
            }
            // Found after the last cell.
            InferredCells::Dates(_) => None,
        };
        if self.bad_cell.is_none() {
            self.bad_cell = bad.map(|message| (line, message));
        }
        Ok(())
    }

    /// Continues as a column of levels.
    fn become_levels(&mut self, line: u64, memory: &mut Memory) -> Result<()> {
        self.spec.kind = ColumnKind::Categorical;
        let mut builder = ColumnBuilder::new(&self.spec);
        if let InferredCells::Numbers { numbers, spellings } = &self.cells {
            let mut spelled = spellings.iter().peekable();
            for (row, &value) in numbers.values().iter().enumerate() {
                let cell = match spelled.next_if(|(at, _)| *at == row) {
                    Some((_, text)) => CellValue::Text(text.into()),
                    None if value.is_nan() => CellValue::Missing,
                    None => CellValue::Number(value),
                };
                // Every text may be a level, so there is no message about a cell.
                let _: Result<(), String> = memory.push(line, &mut builder, &cell)?;
            }
        }
        self.cells = InferredCells::Known(builder);
        self.words.clear();
        self.bad_cell = None;
        Ok(())
    }

    /// Takes a column of levels for dates if all of them are, and for numbers again if nearly all are; called
    /// after the last cell.
    pub fn reconsider(&mut self, options: &DataConfig) {
        let (InferredCells::Known(builder), true) = (&self.cells, self.open) else { return };
        let Some(levels) = builder.levels() else { return };
        if let Some(dates) = dates_among_levels::find(levels, options.month_first) {
            self.cells = InferredCells::Dates(dates);
        } else if let Some(found) = numbers_among_levels::find(levels, self.usual_words) {
            let NumberColumn { numbers, mut form, words } = found;
            self.spec.kind = ColumnKind::Numeric;
            form.missing_words.append(&mut self.spec.form.missing_words);
            self.spec.form = form;
            self.cells = InferredCells::Numbers { numbers, spellings: Spellings::default() };
            self.words = words;
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Whether any cell is not missing.
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// The first cell that cannot be read: its line, the column's name and the message for it.
    pub fn bad_cell(&self) -> Option<(u64, &str, &str)> {
        let (line, message) = self.bad_cell.as_ref()?;
        Some((*line, self.spec.name.as_str(), message.as_str()))
    }

    /// Its numbers; `None` if it holds levels.
    pub fn numbers(&self) -> Option<&NumberCells> {
        match &self.cells {
            InferredCells::Known(builder) => builder.numbers(),
            InferredCells::Numbers { numbers, .. } => Some(numbers),
            InferredCells::Dates(_) => None,
        }
    }

    /// Decides how to read numbers such as `1.234`, by `given` if the user set it.
    pub fn set_decimal(&mut self, file: &FileNumbers, given: Option<DecimalMark>) {
        let Some(numbers) = self.numbers() else { return };
        let mark = given.unwrap_or_else(|| file.decide(numbers, DecimalMark::Point));
        self.points_are_a_guess = given.is_none() && file.may_have_commas();
        self.spec.form.decimal = mark;
        if let InferredCells::Known(builder) = &mut self.cells {
            builder.set_decimal(mark);
        }
    }

    /// Whether any of its numbers is read with a decimal comma.
    pub fn has_decimal_comma(&self) -> bool {
        self.spec.form.decimal == DecimalMark::Comma
            && self.numbers().is_some_and(|n| n.marks()[1] + n.ambiguous()[0] > 0)
    }

    /// The sign or the word beside its numbers.
    fn unit(&self, numbers: &NumberCells) -> Option<String> {
        numbers.unit().map(String::from).or_else(|| self.spec.form.unit.clone())
    }

    /// The column, or those of the parts of its dates; an error where there is a [bad cell](Self::bad_cell).
    pub fn finish(self) -> Result<Vec<Column>> {
        let dates = |timestamps: &[f64], month_first: bool| {
            // Dates without times have no hour.
            let hours = timestamps.iter().any(|timestamp| timestamp.rem_euclid(86_400.0) > 0.0);
            date_columns(&self.spec.name, timestamps, &DateForm::new(month_first, hours))
        };
        let unit = self.numbers().and_then(|numbers| self.unit(numbers));
        match self.cells {
            InferredCells::Dates(Dates { timestamps, month_first, .. }) => {
                dates(&timestamps, month_first)
            }
            InferredCells::Known(builder) => match builder.timestamps() {
                Some(timestamps) => {
                    let form = self.spec.form.date.as_ref();
                    dates(timestamps, form.is_some_and(|date| date.month_first))
                }
                None => builder.finish(),
            },
            InferredCells::Numbers { numbers, .. } => {
                let mut form = self.spec.form;
                form.unit = unit;
                let values = numbers.finish(form.decimal);
                Ok(vec![Column::numeric(self.spec.name, values)?.with_form(form)])
            }
        }
    }
}

/// The texts of numbers that are not spelled as `f64` spells them, such as `007`, `1.50` and `1e3`, and `none`. The
/// others are left out: their text is recovered from the number, and a table of numbers is kept once, not twice.
#[derive(Default)]
struct Spellings {
    rows: Vec<usize>,
    texts: Texts,
}

impl Spellings {
    fn note(&mut self, row: usize, text: &str, line: u64, memory: &mut Memory) -> Result<()> {
        if !is_shortest(text) {
            memory.add_spelling(line, text)?;
            self.rows.push(row);
            self.texts.push(text);
        }
        Ok(())
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
    use std::path::Path;

    fn column(cells: &[&str]) -> InferredColumn {
        let mut column = InferredColumn::new("x", None, &DataConfig::default());
        let mut memory = Memory::new(Path::new("a.csv"));
        for (row, cell) in cells.iter().enumerate() {
            let cell = CellValue::Text((*cell).into());
            column.push(&cell, row as u64 + 1, &mut memory).unwrap();
        }
        column
    }

    #[test]
    fn numbers_keep_their_spelling_when_a_text_follows() {
        let cells = ["1", " 1.0 ", "", "1e3", "-0", "nan", "007", "1", "TRUE", "7", "inf"];
        let column = column(&cells);
        assert_eq!(column.bad_cell(), None);
        let column = column.finish().unwrap().remove(0);
        let Values::Categorical(found) = column.values() else { panic!("{column:?}") };
        let expected = ["1", "1.0", "?", "1e3", "-0", "nan", "007", "1", "true", "7", "inf"]
            .map(|t| (t != "?").then_some(t));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        assert_eq!(found.levels(), ["1", "1.0", "1e3", "-0", "nan", "007", "true", "7", "inf"]);
    }

    #[test]
    fn different_texts_are_counted_also_where_numbers_become_levels() {
        let pushed = |cells: &mut dyn Iterator<Item = String>, left: usize| {
            let mut column = InferredColumn::new("x", None, &DataConfig::default());
            let mut memory = Memory::nearly_full(left);
            cells.enumerate().try_for_each(|(row, cell)| {
                column.push(&CellValue::Text(cell.into()), row as u64 + 1, &mut memory)
            })
        };
        let refused =
            "a.csv line 1001: the samples take more than 4 GiB of memory; use a part of the file";
        let numbers = || (0..1000).map(|i| i.to_string());
        let a_text = || numbers().chain(["a".to_string()]);
        assert!(pushed(&mut numbers(), 1000).is_ok());
        assert_eq!(pushed(&mut a_text(), 100_000).unwrap_err().to_string(), refused);
        assert!(pushed(&mut a_text(), 200_000).is_ok());
        // The same text again takes no more.
        let mut same = (0..1000).map(|_| "the same".to_string());
        assert!(pushed(&mut same, 1000).is_ok());
        // Spellings that are kept beside their numbers.
        let spelled = || (0..1000).map(|i| format!("{i}.50"));
        assert!(pushed(&mut spelled(), 10_000).is_err() && pushed(&mut spelled(), 30_000).is_ok());
    }

    #[test]
    fn none_is_missing_among_numbers_and_a_level_among_levels() {
        let numbers = column(&["none", "1.5", "None", ""]).finish().unwrap().remove(0);
        let Values::Numeric(values) = numbers.values() else { panic!("{numbers:?}") };
        assert_eq!(
            values.iter().map(|v| v.is_nan()).collect::<Vec<_>>(),
            [true, false, true, true]
        );
        for cells in [["none", "2", "lap", "NA"], ["lap", "2", "none", "NA"]] {
            let levels = column(&cells);
            assert!(levels.has_values() && levels.bad_cell().is_none());
            let levels = levels.finish().unwrap().remove(0);
            let Values::Categorical(found) = levels.values() else { panic!("{levels:?}") };
            let missing = |cell: &str| ["NA", "", "?"].contains(&cell);
            let expected = cells.map(|cell| (!missing(cell)).then_some(cell));
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
        // Without other values the kind is unknown.
        assert!(!column(&["none", "", "None"]).has_values());
        let mut known = InferredColumn::new("x", Some(ColumnKind::Numeric), &DataConfig::default());
        let mut memory = Memory::new(Path::new("a.csv"));
        known.push(&CellValue::Text("None".into()), 1, &mut memory).unwrap();
        assert!(!known.has_values() && known.bad_cell().is_none());
    }

    #[test]
    fn numbers_stay_numbers_and_the_first_that_is_not_finite_is_named() {
        let good = column(&["1.50", "NA", "-2"]).finish().unwrap().remove(0);
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
