//! A column whose kind shows only in its cells.

use super::dates_among_levels::{self, Dates};
use super::decimal::{FileNumbers, prevailing};
use super::words_among_numbers::{self, Found};
use ngsll::config::DataConfig;
use ngsll::dataset::{
    CellValue, Column, ColumnBuilder, ColumnKind, ColumnSpec, DateForm, DecimalMark, NumberCells,
    Texts, WrittenNumber, date_columns,
};
use ngsll::error::Result;
use std::collections::BTreeMap;

/// A column that is read without knowing its kind: it holds numbers until a cell is none, and levels from then on.
pub(super) struct InferredColumn {
    /// Its name and form; its kind where that is known.
    spec: ColumnSpec,
    cells: Cells,
    /// Whether the content decides about its kind.
    open: bool,
    /// Whether words that usually stand for a missing number are taken for one.
    usual_words: bool,
    /// Words among numbers that stand for a missing one, with the number of cells.
    words: BTreeMap<String, usize>,
    /// Whether any cell is not missing.
    has_values: bool,
    /// The line of the first cell that cannot be read if the column stays what it is, and the message for it.
    bad_cell: Option<(u64, String)>,
}

enum Cells {
    /// The kind is known.
    Known(ColumnBuilder),
    /// Every cell so far is a number or missing among numbers.
    Numbers { numbers: NumberCells, spellings: Spellings },
    /// Every cell is a date.
    Dates(Dates),
}

impl InferredColumn {
    /// A column without rows, of the given kind where it is known. Where `options` name words for missing values,
    /// these and no others are.
    pub fn new(name: &str, kind: Option<ColumnKind>, options: &DataConfig) -> Self {
        let mut spec = ColumnSpec::new(name, kind.unwrap_or(ColumnKind::Numeric));
        spec.form.missing_words = options.missing_words.clone().unwrap_or_default();
        if kind == Some(ColumnKind::Date) {
            spec.form.date = Some(DateForm::new(options.month_first.unwrap_or(false), false));
        }
        let cells = match kind {
            Some(_) => Cells::Known(ColumnBuilder::new(&spec)),
            None => {
                Cells::Numbers { numbers: NumberCells::default(), spellings: Spellings::default() }
            }
        };
        Self {
            spec,
            cells,
            open: kind.is_none(),
            usual_words: options.missing_words.is_none(),
            words: BTreeMap::new(),
            has_values: false,
            bad_cell: None,
        }
    }

    /// Appends a cell.
    pub fn push(&mut self, cell: &CellValue<'_>, line: u64) {
        let bad = match &mut self.cells {
            Cells::Known(builder) => {
                let named = cell.text().is_some_and(|text| self.spec.form.is_missing(&text));
                self.has_values |= !named && !cell.is_missing(builder.kind());
                builder.push(cell).err()
            }
            Cells::Numbers { numbers, spellings } => {
                let Some(text) = cell.text() else { return numbers.push_missing() };
                let row = numbers.values().len();
                let usual = self.usual_words && cell.is_missing(ColumnKind::Numeric);
                if usual || self.spec.form.is_missing(&text) {
                    // Not among levels: its text is needed if the column turns out to have some.
                    spellings.note(row, &text);
                    *self.words.entry(text.to_lowercase()).or_default() += 1;
                    return numbers.push_missing();
                }
                self.has_values = true;
                if let CellValue::Number(value) = cell
                    && value.is_finite()
                {
                    // Never a text, so there is nothing to decide about it.
                    spellings.note(row, &text);
                    return numbers.push_value(*value);
                }
                let number = WrittenNumber::read(&text);
                let Some(number) = number.filter(|number| numbers.push(number)) else {
                    self.become_levels();
                    return self.push(cell, line);
                };
                spellings.note(row, &text);
                // The rule for such numbers, and the message, are those of a column known to be numeric.
                let finite = number.value(DecimalMark::Point).is_finite();
                (!finite).then(|| ColumnBuilder::new(&self.spec).push(cell).err()).flatten()
            }
            // Found after the last cell.
            Cells::Dates(_) => None,
        };
        if self.bad_cell.is_none() {
            self.bad_cell = bad.map(|message| (line, message));
        }
    }

    /// Goes on as a column of levels.
    fn become_levels(&mut self) {
        self.spec.kind = ColumnKind::Categorical;
        let mut builder = ColumnBuilder::new(&self.spec);
        if let Cells::Numbers { numbers, spellings } = &self.cells {
            push_levels(&mut builder, numbers.values(), spellings);
        }
        self.cells = Cells::Known(builder);
        self.words.clear();
        self.bad_cell = None;
    }

    /// Takes a column of levels for dates where all of them are, and for numbers again where nearly all are; called
    /// after the last cell.
    pub fn reconsider(&mut self, options: &DataConfig) {
        let (Cells::Known(builder), true) = (&self.cells, self.open) else { return };
        let Some(levels) = builder.levels() else { return };
        if let Some(dates) = dates_among_levels::find(levels, options.month_first) {
            self.cells = Cells::Dates(dates);
        } else if let Some(found) = words_among_numbers::find(levels).filter(|_| self.usual_words) {
            let Found { numbers, words, rare } = found;
            self.spec.kind = ColumnKind::Numeric;
            self.spec.form.missing_words = rare;
            self.cells = Cells::Numbers { numbers, spellings: Spellings::default() };
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

    /// Its numbers; `None` where it holds levels.
    pub fn numbers(&self) -> Option<&NumberCells> {
        match &self.cells {
            Cells::Known(builder) => builder.numbers(),
            Cells::Numbers { numbers, .. } => Some(numbers),
            Cells::Dates(_) => None,
        }
    }

    /// Decides about numbers such as `1.234`, by `given` where the user did.
    pub fn set_decimal(&mut self, file: &FileNumbers, given: Option<DecimalMark>) {
        let Some(numbers) = self.numbers() else { return };
        let mark = given.unwrap_or_else(|| file.decide(numbers, DecimalMark::Point));
        self.spec.form.decimal = mark;
        if let Cells::Known(builder) = &mut self.cells {
            builder.set_decimal(mark);
        }
    }

    /// Whether any of its numbers is read with a decimal comma.
    pub fn has_decimal_comma(&self) -> bool {
        self.spec.form.decimal == DecimalMark::Comma
            && self.numbers().is_some_and(|n| n.marks()[1] + n.ambiguous()[0] > 0)
    }

    /// What a person should know about how its cells were read.
    pub fn notes(&self) -> Vec<String> {
        let (name, mut notes) = (&self.spec.name, Vec::new());
        if let Cells::Dates(Dates { unclear: true, .. }) = &self.cells {
            notes.push(format!(
                "column {name:?}: 01/02/2024 could be 1 February or 2 January; it is read as 1 February, and --set data.month_first=true changes that"
            ));
        }
        let Some(numbers) = self.numbers() else { return notes };
        if let Some(unit) = numbers.unit() {
            notes.push(format!("column {name:?} is read as numbers in {unit}"));
        }
        let commas = numbers.ambiguous()[1] > 0 && prevailing(numbers.marks()).is_none();
        if commas && self.spec.form.decimal == DecimalMark::Point {
            notes.push(format!(
                "column {name:?}: commas are read as thousands separators (1,234 is 1234); --set data.decimal=comma reads 1.234 instead"
            ));
        }
        if self.open && self.usual_words && !self.words.is_empty() {
            let words: Vec<String> = self
                .words
                .iter()
                .map(|(word, cells)| {
                    format!("{word:?} ({cells} cell{})", if *cells == 1 { "" } else { "s" })
                })
                .collect();
            notes.push(format!(
                "column {name:?} holds numbers; {} {} read as missing; \
                 --set 'data.columns.{name:?}=categorical' makes it a category",
                words.join(", "),
                if words.len() == 1 { "is" } else { "are" }
            ));
        }
        notes
    }

    /// The column, or those of the parts of its dates; an error where there is a [bad cell](Self::bad_cell).
    pub fn finish(self) -> Result<Vec<Column>> {
        let dates = |moments: &[f64], month_first: bool| {
            // Whole days have no hour.
            let hours = moments.iter().any(|moment| moment.rem_euclid(86_400.0) > 0.0);
            date_columns(&self.spec.name, moments, &DateForm::new(month_first, hours))
        };
        match self.cells {
            Cells::Dates(Dates { moments, month_first, .. }) => dates(&moments, month_first),
            Cells::Known(builder) => match builder.moments() {
                Some(moments) => {
                    let form = self.spec.form.date.as_ref();
                    dates(moments, form.is_some_and(|date| date.month_first))
                }
                None => builder.finish(),
            },
            Cells::Numbers { numbers, .. } => {
                let mut form = self.spec.form;
                form.unit = numbers.unit();
                let values = numbers.finish(form.decimal);
                Ok(vec![Column::numeric(self.spec.name, values)?.with_form(form)])
            }
        }
    }
}

/// Appends numbers as levels, each with the text it had in the file.
fn push_levels(levels: &mut ColumnBuilder, values: &[f64], spellings: &Spellings) {
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
        let mut column = InferredColumn::new("x", None, &DataConfig::default());
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
        let column = column.finish().unwrap().remove(0);
        let Values::Categorical(found) = column.values() else { panic!("{column:?}") };
        let expected = ["1", "1.0", "?", "1e3", "-0", "nan", "007", "1", "true", "7", "inf"]
            .map(|t| (t != "?").then_some(t));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        assert_eq!(found.levels(), ["1", "1.0", "1e3", "-0", "nan", "007", "true", "7", "inf"]);
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
        // Where there is nothing else, nothing says what it is.
        assert!(!column(&["none", "", "None"]).has_values());
        let mut known = InferredColumn::new("x", Some(ColumnKind::Numeric), &DataConfig::default());
        known.push(&CellValue::Text("None".into()), 1);
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
