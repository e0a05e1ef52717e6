//! Columns of values, and the cells they are built from.

mod builder;

pub use builder::ColumnBuilder;

use super::{CellForm, NumberCells, WrittenDate, timestamp_text};
use crate::error::{Location, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// Cells that mean a missing value, besides the empty one; in any case.
const MISSING_MARKS: [&str; 4] = ["na", "n/a", "null", "?"];
/// Cells that mean a missing number; in a column of levels each is a level, such as "none" for a seatbelt.
const NO_NUMBERS: [&str; 15] = [
    "none", "nan", "unknown", "unk", "missing", "nil", "n.a.", "n.a", "n/k", "k.a.", "#n/a", "-",
    "--", "–", "—",
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
    /// Finite numbers; NaN where missing.
    Numeric(Vec<f64>),
    /// Names of levels.
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
        let id = level.map_or(MISSING, |level| self.id_or_insert(level));
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

    /// Rows by the index of their level in `levels`, `None` where it is missing; an index without a level is
    /// an error.
    ///
    /// ```
    /// use ngsll::dataset::Categories;
    /// let levels = || ["red", "blue"].map(String::from);
    /// let colours = Categories::from_ids(levels(), [Some(1), None])?;
    /// assert_eq!((colours.get(0), colours.get(1)), (Some("blue"), None));
    /// let wrong = Categories::from_ids(levels(), [Some(0), Some(2)]).unwrap_err();
    /// assert_eq!(wrong.to_string(), "sample 1: level number 2, expected one below 2");
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn from_ids(
        levels: impl IntoIterator<Item = String>,
        ids: impl IntoIterator<Item = Option<usize>>,
    ) -> Result<Self> {
        let mut all = Self::default();
        let new_ids: Vec<u32> = levels.into_iter().map(|level| all.id_or_insert(&level)).collect();
        let new_id = |(row, id): (usize, Option<usize>)| {
            let Some(id) = id else { return Ok(MISSING) };
            let wrong = || format!("level number {id}, expected one below {}", new_ids.len());
            new_ids.get(id).copied().ok_or_else(|| Location::sample(row).error(wrong()))
        };
        all.ids = ids.into_iter().enumerate().map(new_id).collect::<Result<_>>()?;
        Ok(all)
    }

    /// Returns the rows with every level mapped; `None` makes it missing. Levels that no row has are
    /// dropped.
    pub(super) fn map(&self, change: impl Fn(&str) -> Option<String>) -> Self {
        let changed: Vec<Option<String>> = self.levels.iter().map(|level| change(level)).collect();
        let mut all = Self::default();
        let mut new_ids: Vec<Option<u32>> = vec![None; changed.len()];
        all.ids.reserve(self.len());
        for row in 0..self.len() {
            let id = self.id(row).and_then(|id| {
                let level = changed[id].as_deref()?;
                Some(*new_ids[id].get_or_insert_with(|| all.id_or_insert(level)))
            });
            all.ids.push(id.unwrap_or(MISSING));
        }
        all
    }

    /// The index of a level, which is added if new.
    fn id_or_insert(&mut self, level: &str) -> u32 {
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

    /// The given rows. All levels are kept: the levels of a column do not depend on the rows.
    fn select(&self, rows: &[usize]) -> Self {
        Self { ids: rows.iter().map(|&r| self.ids[r]).collect(), ..self.clone() }
    }
}

impl Column {
    /// A column of numbers; NaN means missing, and infinities are refused.
    pub fn numeric(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Result<Self> {
        let (name, values): (String, Vec<f64>) = (name.into(), values.into_iter().collect());
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            let message = "an infinite number; NaN means a missing value";
            return Err(Location::sample(row).column(name).error(message));
        }
        Ok(Self { name, values: Values::Numeric(values), form: CellForm::default() })
    }

    /// A column of levels; `None` means missing.
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

    /// Returns the column with another written form of its cells in files.
    pub fn with_form(self, form: CellForm) -> Self {
        Self { form, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The written form of its cells in files.
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

    /// Whether the given rows all hold the same value; a missing value differs from every other.
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

    /// Whether a row has no value.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn is_missing(&self, row: usize) -> bool {
        match &self.values {
            Values::Numeric(values) => values[row].is_nan(),
            Values::Categorical(categories) => categories.id(row).is_none(),
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

/// The kind of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// Names of levels.
    Categorical,
    /// Dates, with or without a time.
    Date,
}

/// A column to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnSpec {
    /// Its name in the file.
    pub name: String,
    /// The kind of its cells.
    pub kind: ColumnKind,
    /// Their written form.
    #[serde(default)]
    pub form: CellForm,
    /// Whether its values are missing when the data have no such column.
    #[serde(default)]
    pub optional: bool,
}

impl ColumnSpec {
    /// A column whose cells are plain numbers or texts.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { name: name.into(), kind, form: CellForm::default(), optional: false }
    }

    /// The same, whose cells are written in this form.
    pub fn with_form(self, form: CellForm) -> Self {
        Self { form, ..self }
    }

    /// The column with no value in any of the given number of rows.
    pub fn missing(&self, rows: usize) -> Result<Vec<Column>> {
        let mut builder = ColumnBuilder::new(self);
        for _ in 0..rows {
            // Every form accepts a missing value.
            let _: Result<(), String> = builder.push(&CellValue::Missing);
        }
        builder.finish()
    }
}

/// One cell as a file or a request has it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CellValue<'a> {
    /// A missing value.
    Missing,
    /// A number.
    Number(f64),
    /// A text, which may also be a number or a mark for a missing value.
    Text(Cow<'a, str>),
    /// A date or time that was stored as such, in seconds since 1970.
    Timestamp(f64),
}

impl CellValue<'_> {
    /// Whether the cell is missing in a column of this kind: the empty text and marks such as `NA` are, as are words
    /// such as `none`, `unknown` and `-` in a column of numbers.
    pub fn is_missing(&self, kind: ColumnKind) -> bool {
        match self {
            Self::Missing => true,
            Self::Number(_) | Self::Timestamp(_) => false,
            Self::Text(text) => {
                let text = text.trim();
                (kind != ColumnKind::Categorical && is_no_number(text)) || is_missing(text)
            }
        }
    }

    /// The cell as trimmed text, for a column of levels; `None` where it is missing.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Missing => None,
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            Self::Timestamp(timestamp) => Some(Cow::Owned(timestamp_text(*timestamp))),
            Self::Text(text) => match text.trim() {
                text if is_missing(text) => None,
                // Programs write truth values in any case; Parquet's are written like these.
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
            Self::Number(value) | Self::Timestamp(value) if value.is_finite() => {
                numbers.push_value(*value);
                return Ok(());
            }
            Self::Number(value) | Self::Timestamp(value) => {
                return Err(not_finite(&value.to_string()));
            }
            Self::Text(text) => text.trim(),
        };
        if self.is_missing(ColumnKind::Numeric) || form.is_missing(text) {
            numbers.push_missing();
            return Ok(());
        }
        let number = form.number(text).ok_or_else(|| {
            let holds = match &form.unit {
                Some(unit) => format!("holds numbers in {unit}"),
                None => "is numeric".to_string(),
            };
            format!("{text:?} is not a number, but the column {holds}")
        })?;
        if !number.value(form.decimal).is_finite() {
            return Err(not_finite(text));
        }
        let one_unit = numbers.push(&number);
        one_unit.then_some(()).ok_or_else(|| {
            let [own, others] =
                [number.unit, numbers.unit()].map(|u| u.map_or(String::new(), String::from));
            format!("{text:?} has the sign {own}, but others in the column have {others}")
        })
    }
}

impl CellValue<'_> {
    /// The cell as a timestamp, NaN where it is missing; the error is the message for it.
    fn timestamp(&self, form: &CellForm) -> Result<f64, String> {
        let text = match self {
            Self::Missing => return Ok(f64::NAN),
            Self::Timestamp(timestamp) => return Ok(*timestamp),
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
        let timestamp = WrittenDate::read(&text).and_then(|date| date.timestamp(month_first));
        timestamp.ok_or_else(|| {
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

/// Whether a trimmed cell means a missing value in any column.
fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING_MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// Whether a trimmed cell means a missing number; elsewhere it is a level.
fn is_no_number(text: &str) -> bool {
    NO_NUMBERS.iter().any(|word| text.eq_ignore_ascii_case(word))
}
