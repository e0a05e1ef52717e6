//! Columns from Arrow's memory, by the types that a Parquet file of them would have.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatchReader};
use arrow_cast::cast;
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{ArrowError, DataType, TimeUnit};
use ngsll::dataset::{Categories, ColumnKind, TypedColumn, TypedValues};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The columns of anything with `__arrow_c_stream__`.
pub fn columns(table: &Bound<'_, PyAny>) -> PyResult<Vec<TypedColumn>> {
    let reader = RecordBatchStreamReader::from_pyarrow_bound(table)?;
    let schema = reader.schema();
    let mut columns = Vec::new();
    for field in schema.fields() {
        let kind = kind(field.data_type())
            .map_err(|what| PyValueError::new_err(format!("column {:?}: {what}", field.name())))?;
        columns.push((field.name().clone(), Values::new(kind)));
    }
    for batch in reader {
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        for ((name, values), array) in columns.iter_mut().zip(batch.columns()) {
            values.append(array).map_err(|error| {
                PyValueError::new_err(format!(
                    "column {name:?}: its values cannot be read: {error}"
                ))
            })?;
        }
    }
    Ok(columns.into_iter().map(|(name, values)| TypedColumn::new(name, values.finish())).collect())
}

/// The kind of a column's cells, or the reason why it cannot be read.
fn kind(data_type: &DataType) -> Result<ColumnKind, String> {
    Ok(match data_type {
        DataType::Null => ColumnKind::Numeric,
        DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            ColumnKind::Categorical
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => ColumnKind::Date,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::Time32(_)
        | DataType::Time64(_) => ColumnKind::Numeric,
        DataType::Dictionary(_, values) => return kind(values),
        numbers if numbers.is_numeric() => ColumnKind::Numeric,
        other => return Err(format!("{other} cannot be read; leave the column out")),
    })
}

/// A column that grows batch by batch.
enum Values {
    Numbers(Vec<f64>),
    Levels(Categories),
    Timestamps(Vec<f64>),
}

impl Values {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Categorical => Self::Levels(Categories::default()),
            ColumnKind::Date => Self::Timestamps(Vec::new()),
            _ => Self::Numbers(Vec::new()),
        }
    }

    fn append(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        match self {
            Self::Numbers(all) => append_numbers(all, array),
            Self::Levels(all) => append_levels(all, array),
            Self::Timestamps(all) => {
                let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
                let micros = cast(&cast(array, &micros)?, &DataType::Int64)?;
                let timestamps = micros.as_primitive::<Int64Type>().iter();
                all.extend(
                    timestamps.map(|timestamp| timestamp.map_or(f64::NAN, |m| m as f64 / 1e6)),
                );
                Ok(())
            }
        }
    }

    fn finish(self) -> TypedValues {
        match self {
            Self::Numbers(values) => TypedValues::Numbers(values),
            Self::Levels(levels) => TypedValues::Levels(levels),
            Self::Timestamps(values) => TypedValues::Timestamps(values),
        }
    }
}

fn append_numbers(all: &mut Vec<f64>, array: &ArrayRef) -> Result<(), ArrowError> {
    let numbers = match array.data_type() {
        // Seconds since midnight, as of a Parquet file.
        DataType::Time32(_) | DataType::Time64(_) => {
            let nanos = cast(array, &DataType::Time64(TimeUnit::Nanosecond))?;
            let nanos = cast(&nanos, &DataType::Int64)?;
            let seconds = nanos.as_primitive::<Int64Type>().iter();
            all.extend(seconds.map(|n| n.map_or(f64::NAN, |n| n as f64 / 1e9)));
            return Ok(());
        }
        _ => cast(array, &DataType::Float64)?,
    };
    let numbers = numbers.as_primitive::<Float64Type>();
    match numbers.null_count() {
        0 => all.extend_from_slice(numbers.values()),
        _ => all.extend(numbers.iter().map(|number| number.unwrap_or(f64::NAN))),
    }
    Ok(())
}

fn append_levels(all: &mut Categories, array: &ArrayRef) -> Result<(), ArrowError> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // Each level is looked up once.
        let levels = cast(dictionary.values(), &DataType::LargeUtf8)?;
        let levels = levels.as_string::<i64>();
        let keys = dictionary.normalized_keys();
        for (row, key) in keys.into_iter().enumerate() {
            let known = !array.is_null(row) && !levels.is_null(key);
            all.push(known.then(|| levels.value(key)));
        }
        return Ok(());
    }
    let texts = cast(array, &DataType::LargeUtf8)?;
    texts.as_string::<i64>().iter().for_each(|text| all.push(text));
    Ok(())
}
