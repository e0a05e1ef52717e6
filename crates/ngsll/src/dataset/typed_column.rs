//! Columns of a data frame: values that already have a type, so that nothing is parsed cell by cell.

use super::{Categories, CellValue, Column, ColumnBuilder, ColumnKind, ColumnSpec, Table};
use crate::error::{Error, Location, Result};
use std::collections::BTreeMap;

/// A named column of a data frame or an Arrow table, before it is decided how a model reads it.
///
/// ```
/// use ngsll::dataset::{ColumnKind, ColumnSpec, TypedColumn, TypedValues};
/// let age = TypedColumn::new("age", TypedValues::Numbers(vec![41.0, f64::NAN]));
/// assert_eq!(age.kind(), ColumnKind::Numeric);
/// let columns = age.read_as(&ColumnSpec::new("age", ColumnKind::Categorical))?;
/// assert_eq!(columns[0].text(0).as_deref(), Some("41"));
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TypedColumn {
    name: String,
    values: TypedValues,
}

/// The values of a [`TypedColumn`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TypedValues {
    /// Numbers; NaN where missing.
    Numbers(Vec<f64>),
    /// Texts, each distinct one stored once.
    Levels(Categories),
    /// Dates or times in seconds since 1970; NaN where missing.
    Timestamps(Vec<f64>),
}

impl TypedColumn {
    /// A column of this name.
    pub fn new(name: impl Into<String>, values: TypedValues) -> Self {
        Self { name: name.into(), values }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its cells by their type, as in a Parquet file.
    pub fn kind(&self) -> ColumnKind {
        match &self.values {
            TypedValues::Numbers(_) => ColumnKind::Numeric,
            TypedValues::Levels(_) => ColumnKind::Categorical,
            TypedValues::Timestamps(_) => ColumnKind::Date,
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            TypedValues::Numbers(values) | TypedValues::Timestamps(values) => values.len(),
            TypedValues::Levels(levels) => levels.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns that the model reads it as, by the rules for the cells of a file.
    pub fn read_as(self, spec: &ColumnSpec) -> Result<Vec<Column>> {
        match (spec.kind, self.values) {
            (ColumnKind::Numeric, TypedValues::Numbers(values)) => {
                Ok(vec![Column::numeric(&spec.name, values)?.with_form(spec.form.clone())])
            }
            (ColumnKind::Categorical, TypedValues::Levels(levels)) => {
                let read = |level: &str| {
                    let text = CellValue::Text(level.into()).text().map(String::from);
                    text.filter(|text| !spec.form.is_missing(text))
                };
                let column = Column::of_categories(&spec.name, levels.map(read));
                Ok(vec![column.with_form(spec.form.clone())])
            }
            (_, values) => cell_by_cell(values, spec),
        }
    }
}

/// Values of another type than the model reads, through the rules for cells.
fn cell_by_cell(values: TypedValues, spec: &ColumnSpec) -> Result<Vec<Column>> {
    let mut builder = ColumnBuilder::new(spec);
    let mut push = |row: usize, cell: CellValue<'_>| {
        let location = || Location::sample(row).column(&spec.name);
        builder.push(&cell).map_err(|message| location().error(message))
    };
    let number = |value: f64, cell: fn(f64) -> CellValue<'static>| match value.is_nan() {
        true => CellValue::Missing,
        false => cell(value),
    };
    match values {
        TypedValues::Numbers(values) => values
            .into_iter()
            .enumerate()
            .try_for_each(|(row, value)| push(row, number(value, CellValue::Number)))?,
        TypedValues::Timestamps(values) => values
            .into_iter()
            .enumerate()
            .try_for_each(|(row, value)| push(row, number(value, CellValue::Timestamp)))?,
        TypedValues::Levels(levels) => levels.iter().enumerate().try_for_each(|(row, level)| {
            push(row, level.map_or(CellValue::Missing, |text| CellValue::Text(text.into())))
        })?,
    }
    builder.finish()
}

impl Table {
    /// The columns of a data frame by their types, as those of a Parquet file are read, unless `kinds` says
    /// otherwise. `missing_words` stand for a missing value, besides empty texts and the like.
    ///
    /// ```
    /// use ngsll::dataset::{Table, TypedColumn, TypedValues};
    /// let size = TypedColumn::new("size", TypedValues::Numbers(vec![1.0, 2.5]));
    /// assert_eq!(Table::from_typed([size], &Default::default(), &[])?.len(), 2);
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn from_typed(
        columns: impl IntoIterator<Item = TypedColumn>,
        kinds: &BTreeMap<String, ColumnKind>,
        missing_words: &[String],
    ) -> Result<Self> {
        let columns: Vec<TypedColumn> = columns.into_iter().collect();
        let known = |name: &&String| columns.iter().all(|column| column.name != **name);
        if let Some(name) = kinds.keys().find(known) {
            let expected = "the data have no column of this name";
            return Err(Error::setting("data.columns", name, expected));
        }
        let read = columns.into_iter().map(|column| {
            let kind = kinds.get(&column.name).copied().unwrap_or(column.kind());
            let mut spec = ColumnSpec::new(column.name.clone(), kind);
            spec.form.missing_words = missing_words.to_vec();
            column.read_as(&spec)
        });
        let read: Vec<Vec<Column>> = read.collect::<Result<_>>()?;
        Self::new(read.into_iter().flatten())
    }

    /// The columns of a data frame that a model reads, in the order of `specs`; others are ignored, and optional
    /// ones may be absent.
    pub fn from_typed_as(
        columns: impl IntoIterator<Item = TypedColumn>,
        specs: &[ColumnSpec],
    ) -> Result<Self> {
        let mut given: BTreeMap<String, TypedColumn> = BTreeMap::new();
        for column in columns {
            let name = column.name.clone();
            if given.insert(name.clone(), column).is_some() {
                return Err(Error::setting("column", name, "expected each name once"));
            }
        }
        let rows = given.values().next().map_or(0, TypedColumn::len);
        let mut read = Vec::with_capacity(specs.len());
        for spec in specs {
            let Some(column) = given.remove(&spec.name) else {
                if spec.optional {
                    read.extend(spec.missing(rows)?);
                    continue;
                }
                let expected = "the model reads a column of this name, but the data have none";
                return Err(Error::setting("column", &spec.name, expected));
            };
            read.extend(column.read_as(spec)?);
        }
        Self::new(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Values;

    fn levels(values: &[Option<&str>]) -> TypedValues {
        let mut categories = Categories::default();
        values.iter().for_each(|level| categories.push(*level));
        TypedValues::Levels(categories)
    }

    fn read(values: TypedValues, kind: ColumnKind) -> Vec<Column> {
        TypedColumn::new("c", values).read_as(&ColumnSpec::new("c", kind)).unwrap()
    }

    #[test]
    fn levels_are_read_as_the_cells_of_a_file() {
        let cells = [Some(" red"), Some("NA"), None, Some("TRUE"), Some("red "), Some("")];
        let typed = read(levels(&cells), ColumnKind::Categorical);
        let mut builder = ColumnBuilder::new(&ColumnSpec::new("c", ColumnKind::Categorical));
        for cell in cells {
            let cell = cell.map_or(CellValue::Missing, |text| CellValue::Text(text.into()));
            builder.push(&cell).unwrap();
        }
        assert_eq!(typed, builder.finish().unwrap());
        let Values::Categorical(known) = typed[0].values() else { panic!("levels") };
        assert_eq!(known.levels(), ["red", "true"]);
    }

    #[test]
    fn values_of_another_type_are_read_by_the_rules_for_cells() {
        let numbers = read(levels(&[Some("1.5"), Some("none"), None]), ColumnKind::Numeric);
        let Values::Numeric(values) = numbers[0].values() else { panic!("numbers") };
        assert!(values[0] == 1.5 && values[1].is_nan() && values[2].is_nan());
        let column = TypedColumn::new("age", levels(&[Some("1"), Some("old")]));
        let wrong = column.read_as(&ColumnSpec::new("age", ColumnKind::Numeric)).unwrap_err();
        let message = "sample 1 column \"age\": \"old\" is not a number, but the column is numeric";
        assert_eq!(wrong.to_string(), message);
        let dates = read(TypedValues::Timestamps(vec![1.58e9, f64::NAN]), ColumnKind::Date);
        let written = read(levels(&[Some("2020-01-26T00:53:20"), None]), ColumnKind::Date);
        // As text, as a missing number is not equal to itself.
        assert_eq!(format!("{dates:?}"), format!("{written:?}"));
    }

    #[test]
    fn words_can_stand_for_a_missing_value() {
        let column =
            || TypedColumn::new("c", levels(&[Some("red"), Some("Sold out"), Some("blue")]));
        let words = ["sold out".to_string()];
        let table = Table::from_typed([column()], &BTreeMap::new(), &words).unwrap();
        let read = &table.columns()[0];
        assert_eq!((read.missing(), read.text(1)), (1, None));
        // The column keeps them, so that new data is read in the same way.
        assert_eq!(read.form().missing_words, words);
    }

    #[test]
    fn a_model_takes_its_columns_by_name_from_among_others() {
        let columns = |names: &[&str]| -> Vec<TypedColumn> {
            let column = |name: &&str| TypedColumn::new(*name, TypedValues::Numbers(vec![1.0]));
            names.iter().map(column).collect()
        };
        let specs = ["a", "b"].map(|name| ColumnSpec::new(name, ColumnKind::Numeric));
        let table = Table::from_typed_as(columns(&["x", "b", "a"]), &specs).unwrap();
        let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
        assert_eq!(names, ["a", "b"]);
        let missing = Table::from_typed_as(columns(&["a"]), &specs).unwrap_err().to_string();
        assert!(missing.starts_with("column = b: the model reads a column"), "{missing}");
        assert!(Table::from_typed_as(columns(&["a", "b", "b"]), &specs).is_err());
        let optional = specs.map(|spec| ColumnSpec { optional: spec.name == "b", ..spec });
        let table = Table::from_typed_as(columns(&["a"]), &optional).unwrap();
        assert_eq!((table.columns()[1].name(), table.columns()[1].missing()), ("b", 1));
    }
}
