//! Columns of values, and building them cell by cell.

use super::{
    CellForm, DecimalMark, NumberCells, WrittenDate, WrittenNumber, date_columns, moment_text,
};
use crate::error::{Location, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// Cells that stand for a missing value, besides the empty one; in any case.
const MISSING_MARKS: [&str; 4] = ["na", "n/a", "null", "?"];
/// Cells that stand for a missing number; among levels each is one of them, such as a seatbelt that is not there.
const NO_NUMBERS: [&str; 14] = [
    "none", "unknown", "unk", "missing", "nil", "n.a.", "n.a", "n/k", "k.a.", "#n/a", "-", "--",
    "–", "—",
];

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    name: String,
    values: Values,
    form: CellForm,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Finite numbers; NaN stands for a missing one.
    Numeric(Vec<f64>),
    /// Texts that name a level.
    Categorical(Categories),
}

/// A level for each row, each distinct one stored once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Categories {
    /// The distinct levels in the order of their first appearance.
    levels: Vec<String>,
    /// Each row's index in `levels`, or [`MISSING`].
    ids: Vec<u32>,
    /// The index in `levels` of each level.
    id_of: HashMap<String, u32>,
}

/// The id of a missing value.
const MISSING: u32 = u32::MAX;

impl Categories {
    /// Appends a row.
    pub fn push(&mut self, level: Option<&str>) {
        let id = level.map_or(MISSING, |level| self.place_of(level));
        self.ids.push(id);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The distinct levels in the order of their first appearance.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The index of a row's level in [`levels`](Self::levels), `None` where it is missing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn id(&self, row: usize) -> Option<usize> {
        Some(self.ids[row]).filter(|&id| id != MISSING).map(|id| id as usize)
    }

    /// A row's level, `None` where it is missing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.id(row).map(|id| self.levels[id].as_str())
    }

    /// The levels in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Rows by the number of their level in `levels`, each of which is there once, and `None` where it is missing.
    ///
    /// # Panics
    /// If there is no level of that number.
    pub fn from_ids(
        levels: impl IntoIterator<Item = String>,
        ids: impl IntoIterator<Item = Option<usize>>,
    ) -> Self {
        let mut all = Self::default();
        let places: Vec<u32> = levels.into_iter().map(|level| all.place_of(&level)).collect();
        all.ids = ids.into_iter().map(|id| id.map_or(MISSING, |id| places[id])).collect();
        all
    }

    /// The same rows with every level changed, to none where it stands for a missing value; what was never there
    /// is no level.
    pub(super) fn map(&self, change: impl Fn(&str) -> Option<String>) -> Self {
        let changed: Vec<Option<String>> = self.levels.iter().map(|level| change(level)).collect();
        let mut all = Self::default();
        let mut places: Vec<Option<u32>> = vec![None; changed.len()];
        all.ids.reserve(self.len());
        for row in 0..self.len() {
            let id = self.id(row).and_then(|id| {
                let level = changed[id].as_deref()?;
                Some(*places[id].get_or_insert_with(|| all.place_of(level)))
            });
            all.ids.push(id.unwrap_or(MISSING));
        }
        all
    }

    /// The number of a level, which is added where it is new.
    fn place_of(&mut self, level: &str) -> u32 {
        if let Some(&id) = self.id_of.get(level) {
            return id;
        }
        let id = self.levels.len() as u32;
        self.levels.push(level.to_string());
        self.id_of.insert(level.to_string(), id);
        id
    }

    /// Appends the rows of `more`.
    fn append(&mut self, more: &Self) {
        more.iter().for_each(|level| self.push(level));
    }

    /// The given rows. All levels are kept: what a column's levels are does not depend on the rows.
    fn select(&self, rows: &[usize]) -> Self {
        Self { ids: rows.iter().map(|&r| self.ids[r]).collect(), ..self.clone() }
    }
}

impl Column {
    /// A column of numbers; NaN stands for a missing one, and infinities are refused.
    pub fn numeric(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Result<Self> {
        let (name, values): (String, Vec<f64>) = (name.into(), values.into_iter().collect());
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            let message = "an infinite number; NaN stands for a missing value";
            return Err(Location::sample(row).column(name).error(message));
        }
        Ok(Self { name, values: Values::Numeric(values), form: CellForm::default() })
    }

    /// A column of levels; `None` stands for a missing one.
    pub fn categorical<S: AsRef<str>>(
        name: impl Into<String>,
        levels: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        let mut categories = Categories::default();
        levels.into_iter().for_each(|level| categories.push(level.as_ref().map(AsRef::as_ref)));
        Self::of_categories(name, categories)
    }

    /// A column of levels.
    pub(super) fn of_categories(name: impl Into<String>, levels: Categories) -> Self {
        let (name, values) = (name.into(), Values::Categorical(levels));
        Self { name, values, form: CellForm::default() }
    }

    /// The same column, whose cells are written in this form in files.
    pub fn with_form(self, form: CellForm) -> Self {
        Self { form, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How its cells are written in files.
    pub fn form(&self) -> &CellForm {
        &self.form
    }

    /// One value per row.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Numeric(values) => values.len(),
            Values::Categorical(categories) => categories.len(),
        }
    }

    /// Whether the given rows all hold the same; a missing value is unlike any other.
    pub(crate) fn is_constant(&self, rows: &[usize]) -> bool {
        let same = |equal: &dyn Fn(usize, usize) -> bool| {
            rows.first().is_none_or(|&first| rows.iter().all(|&row| equal(first, row)))
        };
        match &self.values {
            Values::Numeric(v) => same(&|a, b| v[a] == v[b] || (v[a].is_nan() && v[b].is_nan())),
            Values::Categorical(levels) => same(&|a, b| levels.id(a) == levels.id(b)),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of rows without a value.
    pub fn missing(&self) -> usize {
        match &self.values {
            Values::Numeric(values) => values.iter().filter(|value| value.is_nan()).count(),
            Values::Categorical(categories) => categories.iter().filter(Option::is_none).count(),
        }
    }

    /// A row's value as text; `None` where it is missing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn text(&self, row: usize) -> Option<String> {
        match &self.values {
            Values::Numeric(values) => {
                Some(values[row]).filter(|v| !v.is_nan()).map(|v| v.to_string())
            }
            Values::Categorical(categories) => categories.get(row).map(str::to_string),
        }
    }

    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let values = match &self.values {
            Values::Numeric(v) => Values::Numeric(rows.iter().map(|&r| v[r]).collect()),
            Values::Categorical(categories) => Values::Categorical(categories.select(rows)),
        };
        Self { name: self.name.clone(), values, form: self.form.clone() }
    }

    /// Whether `other` has the same name and kind.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.name == other.name
            && std::mem::discriminant(&self.values) == std::mem::discriminant(&other.values)
    }

    /// Appends the rows of a column that [is like](Self::is_like) this one.
    pub(super) fn append(&mut self, more: &Self) {
        match (&mut self.values, &more.values) {
            (Values::Numeric(all), Values::Numeric(more)) => all.extend(more),
            (Values::Categorical(all), Values::Categorical(more)) => all.append(more),
            _ => unreachable!("the columns are of one kind"),
        }
    }
}

/// What a column's cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Texts that name a level.
    Categorical,
    /// Dates, with or without a time.
    Date,
}

/// A column to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSpec {
    /// Its name in the file.
    pub name: String,
    /// What its cells are.
    pub kind: ColumnKind,
    /// How they are written.
    #[serde(default)]
    pub form: CellForm,
}

impl ColumnSpec {
    /// A column whose cells are plain numbers or texts.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { name: name.into(), kind, form: CellForm::default() }
    }
}

/// One cell as a file or a request has it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CellValue<'a> {
    /// None.
    Missing,
    /// A number.
    Number(f64),
    /// A text, which may also write a number or be a mark for a missing value.
    Text(Cow<'a, str>),
    /// A date or time that was never a text, in seconds since 1970.
    Moment(f64),
}

impl CellValue<'_> {
    /// Whether the cell is missing in a column of this kind: the empty text and marks such as `NA` are, and words
    /// such as `none`, `unknown` and `-` in a column of numbers.
    pub fn is_missing(&self, kind: ColumnKind) -> bool {
        match self {
            Self::Missing => true,
            Self::Number(_) | Self::Moment(_) => false,
            Self::Text(text) => {
                let text = text.trim();
                (kind != ColumnKind::Categorical && is_no_number(text)) || is_missing(text)
            }
        }
    }

    /// The cell as trimmed text, as a column of levels has it; `None` where it is missing there.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Missing => None,
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            Self::Moment(moment) => Some(Cow::Owned(moment_text(*moment))),
            Self::Text(text) => match text.trim() {
                text if is_missing(text) => None,
                // Programs write truth values in any case; Parquet's come as these.
                text if text.eq_ignore_ascii_case("true") => Some(Cow::Borrowed("true")),
                text if text.eq_ignore_ascii_case("false") => Some(Cow::Borrowed("false")),
                text => Some(Cow::Borrowed(text)),
            },
        }
    }

    /// Appends the cell to numbers, NaN where it is missing; the error is the message for it.
    fn push_to(&self, numbers: &mut NumberCells, form: &CellForm) -> Result<(), String> {
        let text = match self {
            Self::Missing => {
                numbers.push_missing();
                return Ok(());
            }
            Self::Number(value) | Self::Moment(value) if value.is_finite() => {
                numbers.push_value(*value);
                return Ok(());
            }
            Self::Number(value) | Self::Moment(value) => {
                return Err(not_finite(&value.to_string()));
            }
            Self::Text(text) => text.trim(),
        };
        if self.is_missing(ColumnKind::Numeric) || form.is_missing(text) {
            numbers.push_missing();
            return Ok(());
        }
        let number = WrittenNumber::read(text)
            .ok_or_else(|| format!("{text:?} is not a number, but the column is numeric"))?;
        if !number.value(form.decimal).is_finite() {
            return Err(not_finite(text));
        }
        let one_unit = numbers.push(&number);
        one_unit.then_some(()).ok_or_else(|| {
            let [own, others] =
                [number.unit, numbers.unit()].map(|u| u.map_or(String::new(), String::from));
            format!("{text:?} has the sign {own}, and others in the column have {others}")
        })
    }
}

impl CellValue<'_> {
    /// The cell as a moment, NaN where it is missing; the error is the message for it.
    fn moment(&self, form: &CellForm) -> Result<f64, String> {
        let text = match self {
            Self::Missing => return Ok(f64::NAN),
            Self::Moment(moment) => return Ok(*moment),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.trim().to_string(),
        };
        if self.is_missing(ColumnKind::Date) || form.is_missing(&text) {
            return Ok(f64::NAN);
        }
        let month_first = form.date.as_ref().is_some_and(|date| date.month_first);
        let (form, order) = match month_first {
            true => ("01/31/2024", "month"),
            false => ("31/01/2024", "day"),
        };
        let moment = WrittenDate::read(&text).and_then(|date| date.moment(month_first));
        moment.ok_or_else(|| {
            format!(
                "{text:?} is not a date, expected one such as 2024-01-31, 2024-01-31T12:00, 31.01.2024 \
                 or, with the {order} first, {form}"
            )
        })
    }
}

fn not_finite(text: &str) -> String {
    format!("{text} is not a finite number; leave the cell empty where the value is missing")
}

/// Whether a trimmed cell stands for a missing value in any column.
fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING_MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// Whether a trimmed cell stands for a missing number, and is a level elsewhere.
fn is_no_number(text: &str) -> bool {
    NO_NUMBERS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A column under construction, cell by cell, by the same rules whatever the cells come from.
#[derive(Debug)]
pub struct ColumnBuilder {
    name: String,
    cells: Cells,
    form: CellForm,
}

#[derive(Debug)]
enum Cells {
    Numbers(NumberCells),
    Levels(Categories),
    /// Moments.
    Dates(Vec<f64>),
}

impl ColumnBuilder {
    /// A column without rows.
    pub fn new(spec: &ColumnSpec) -> Self {
        let cells = match spec.kind {
            ColumnKind::Numeric => Cells::Numbers(NumberCells::default()),
            ColumnKind::Categorical => Cells::Levels(Categories::default()),
            ColumnKind::Date => Cells::Dates(Vec::new()),
        };
        Self { name: spec.name.clone(), cells, form: spec.form.clone() }
    }

    /// What its cells are.
    pub fn kind(&self) -> ColumnKind {
        match &self.cells {
            Cells::Numbers(_) => ColumnKind::Numeric,
            Cells::Levels(_) => ColumnKind::Categorical,
            Cells::Dates(_) => ColumnKind::Date,
        }
    }

    /// Appends a cell; the error is the message for it. Texts are trimmed, and marks such as the empty text or
    /// `NA` are missing values, as [`CellValue::is_missing`] and the column's form say.
    pub fn push(&mut self, cell: &CellValue<'_>) -> Result<(), String> {
        match &mut self.cells {
            Cells::Numbers(numbers) => cell.push_to(numbers, &self.form)?,
            Cells::Levels(categories) => {
                let level = cell.text().filter(|text| !self.form.is_missing(text));
                categories.push(level.as_deref());
            }
            Cells::Dates(moments) => moments.push(cell.moment(&self.form)?),
        }
        Ok(())
    }

    /// Its numbers so far; `None` for levels.
    pub fn numbers(&self) -> Option<&NumberCells> {
        match &self.cells {
            Cells::Numbers(numbers) => Some(numbers),
            Cells::Levels(_) | Cells::Dates(_) => None,
        }
    }

    /// Its levels so far; `None` for numbers.
    pub fn levels(&self) -> Option<&Categories> {
        match &self.cells {
            Cells::Levels(levels) => Some(levels),
            Cells::Numbers(_) | Cells::Dates(_) => None,
        }
    }

    /// Its moments so far; `None` for numbers and levels.
    pub fn moments(&self) -> Option<&[f64]> {
        match &self.cells {
            Cells::Dates(moments) => Some(moments),
            Cells::Numbers(_) | Cells::Levels(_) => None,
        }
    }

    /// Decides about numbers such as `1.234`; otherwise the column's form does.
    pub fn set_decimal(&mut self, mark: DecimalMark) {
        self.form.decimal = mark;
    }

    /// The column; of dates the columns of all their parts.
    pub fn finish(self) -> Result<Vec<Column>> {
        let values = match self.cells {
            Cells::Numbers(numbers) => Values::Numeric(numbers.finish(self.form.decimal)),
            Cells::Levels(levels) => Values::Categorical(levels),
            Cells::Dates(moments) => {
                let form = self.form.date.unwrap_or_default();
                return date_columns(&self.name, &moments, &form);
            }
        };
        Ok(vec![Column { name: self.name, values, form: self.form }])
    }
}
