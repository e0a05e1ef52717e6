//! Rows of tables: objects of cells, or a tensor for each column.

use super::{Field, JsonSamples, PageColumn, PageInput, ReadSamples, SampleForm};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::oip::TensorSpec;
use crate::oip::inputs::InputTensor;
use ngsll::dataset::{
    Column, ColumnBuilder, ColumnKind, ColumnSpec, Table, timestamp_of_days, timestamp_text,
};
use ngsll::representation::{ColumnDomain, ColumnSchema, NumericRange};
use ngsll::{Model, Samples};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Rows with these columns.
pub struct RowForm {
    columns: Vec<ColumnSchema>,
    /// Name and kind of each.
    specs: Vec<ColumnSpec>,
}

impl RowForm {
    /// Rows with these columns.
    pub fn new(columns: &[ColumnSchema]) -> Self {
        let specs = columns.iter().map(ColumnSchema::spec).collect();
        Self { columns: columns.to_vec(), specs }
    }

    /// A row of cells for each object.
    fn read_objects(&self, rows: &[BTreeMap<String, Scalar>]) -> Result<Samples, ApiError> {
        for (i, row) in rows.iter().enumerate() {
            if let Some(name) = row.keys().find(|name| !self.has(name)) {
                return Err(self.unknown_column(name).at(format!("row {i}")));
            }
        }
        for (i, row) in rows.iter().enumerate() {
            self.require(|spec| row.contains_key(&spec.name))
                .map_err(|e| e.at(format!("row {i}")))?;
        }
        let mut columns = Vec::new();
        for spec in &self.specs {
            let cells = rows.iter().map(|row| row.get(&spec.name).unwrap_or(&Scalar::Null));
            columns.extend(column(spec, cells)?);
        }
        Ok(Table::new(columns)?.into())
    }

    /// Refuses a request that lacks columns, and names them.
    fn require(&self, has: impl Fn(&ColumnSpec) -> bool) -> Result<(), ApiError> {
        let missing: Vec<String> = self
            .specs
            .iter()
            .filter(|spec| !spec.optional && !has(spec))
            .map(expected_cell)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (s, are) = if missing.len() == 1 { ("", "is") } else { ("s", "are") };
        Err(ApiError::bad(format!(
            "column{s} {} {are} not given; null stands for a missing value",
            missing.join(", ")
        )))
    }

    fn has(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    fn unknown_column(&self, name: &str) -> ApiError {
        let known: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let known = known.join(", ");
        ApiError::bad(format!("the model has no column {name:?}; its columns are {known}"))
    }
}

impl SampleForm for RowForm {
    fn reads(&self) -> &'static str {
        "tables"
    }

    fn json_form(&self) -> &'static str {
        "{\"row\": {\"column\": value, …}}"
    }

    fn read_json(&self, samples: JsonSamples) -> Option<Result<ReadSamples, ApiError>> {
        match samples {
            JsonSamples { row: Some(rows), text: None, image: None } => {
                Some(self.read_objects(&rows.0).map(ReadSamples::from))
            }
            _ => None,
        }
    }

    fn read_tensors(&self, tensors: &[InputTensor<'_>]) -> Result<Samples, ApiError> {
        if let Some(other) = tensors.iter().find(|tensor| !self.has(tensor.name())) {
            return Err(self.unknown_column(other.name()));
        }
        let find = |spec: &ColumnSpec| tensors.iter().find(|tensor| tensor.name() == spec.name);
        self.require(|spec| find(spec).is_some())?;
        let rows = tensors.first().map(InputTensor::scalars).transpose()?.map_or(0, |c| c.len());
        let mut columns: Vec<Column> = Vec::new();
        for spec in &self.specs {
            let Some(tensor) = find(spec) else {
                columns.extend(spec.missing(rows)?);
                continue;
            };
            let cells = tensor.scalars()?;
            columns.extend(column(spec, cells.iter())?);
            let (name, found, expected) = (&spec.name, cells.len(), columns[0].len());
            if found != expected {
                let message = format!(
                    "column {name:?} has {found} rows, but the first column has {expected}"
                );
                return Err(ApiError::bad(message));
            }
        }
        Ok(Table::new(columns)?.into())
    }

    fn tensors(&self) -> Vec<TensorSpec> {
        let tensor = |spec: &ColumnSpec| {
            let datatype = match spec.kind {
                ColumnKind::Numeric => "FP64",
                _ => "BYTES",
            };
            TensorSpec::new(&spec.name, datatype, &[])
        };
        self.specs.iter().map(tensor).collect()
    }

    fn page_input(&self) -> PageInput<'_> {
        let columns = self.columns.iter().filter_map(page_column).collect();
        PageInput { columns, ..PageInput::default() }
    }

    /// The median of each number and the most frequent level.
    fn example(&self, _model: &Model) -> Value {
        let cell = |column: &ColumnSchema| {
            let value = match &column.domain {
                ColumnDomain::Numeric(range) => json!(range.median),
                ColumnDomain::Categorical { levels } => json!(levels.first()),
                ColumnDomain::Date { days: Some(days), .. } => json!(date(days.median)),
                _ => Value::Null,
            };
            (column.name.clone(), value)
        };
        json!({ "row": self.columns.iter().map(cell).collect::<Map<_, _>>() })
    }

    fn bytes(&self, samples: &Samples) -> usize {
        samples.len() * self.columns.len() * size_of::<f64>()
    }
}

/// A column in the page's form.
fn page_column(column: &ColumnSchema) -> Option<PageColumn<'_>> {
    let ColumnSchema { complete, has_effect, .. } = *column;
    Some(PageColumn { field: field(column)?, complete, has_effect })
}

/// The input field of a column on the page.
fn field(column: &ColumnSchema) -> Option<Field<'_>> {
    let name = &column.name;
    match &column.domain {
        ColumnDomain::Numeric(range) => Some(Field::Numeric { name, range: *range }),
        ColumnDomain::Categorical { levels } => Some(Field::Categorical { name, levels }),
        ColumnDomain::Date { days, hours } => {
            let range = |of: fn(&NumericRange) -> f64| days.as_ref().map(|days| date(of(days)));
            let [min, median, max] = [range(|d| d.min), range(|d| d.median), range(|d| d.max)];
            Some(Field::Date { name, min, median, max, hours: *hours })
        }
        _ => None,
    }
}

/// The date that is this many days after the reference.
fn date(days: f64) -> String {
    timestamp_text(timestamp_of_days(days))
}

/// A column from its cells; for dates those of their parts.
fn column<'a>(
    spec: &ColumnSpec,
    cells: impl IntoIterator<Item = &'a Scalar>,
) -> Result<Vec<Column>, ApiError> {
    let mut builder = ColumnBuilder::new(spec);
    for (i, value) in cells.into_iter().enumerate() {
        let location = || format!("row {i}, column {:?}", spec.name);
        let push = builder.push(&value.cell());
        push.map_err(|message| ApiError::bad(message).at(location()))?;
    }
    Ok(builder.finish()?)
}

/// The name of a column, and the kind of its cells.
fn expected_cell(spec: &ColumnSpec) -> String {
    let expected = match spec.kind {
        ColumnKind::Numeric => "a number",
        ColumnKind::Date => "a date such as 2024-01-31",
        _ => "a text",
    };
    format!("{:?} ({expected})", spec.name)
}
