//! Explanations as Arrow's memory, which any engine reads without a copy.

use arrow_array::builder::{
    Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use ngsll::explanation::Explanation;
use ngsll::{Model, Prediction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A table with `__arrow_c_stream__`: `pyarrow.table(stream)`, `polars.DataFrame(stream)`, DuckDB.
#[pyclass(module = "ngsll._native", frozen)]
pub struct ArrowStream {
    batch: RecordBatch,
}

impl ArrowStream {
    pub fn new(batch: Result<RecordBatch, ArrowError>) -> PyResult<Self> {
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { batch })
    }
}

#[pymethods]
impl ArrowStream {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that requests another schema has to cast: the protocol allows it.
        let _ = requested_schema;
        let (schema, batches) = (self.batch.schema(), [Ok(self.batch.clone())]);
        let reader = RecordBatchIterator::new(batches, schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }
}

/// A row for each sample: what is predicted, the probability of each class, and the terms of the score that the
/// prediction is read from.
pub fn predictions(
    model: &Model,
    explanations: &[&Explanation],
) -> Result<RecordBatch, ArrowError> {
    let classes = model.objective().classes();
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    let mut push = |name: &str, column: ArrayRef| {
        fields.push(Field::new(name, column.data_type().clone(), false));
        columns.push(column);
    };
    let floats = |value: &dyn Fn(&Explanation) -> f64| -> ArrayRef {
        Arc::new(arrow_array::Float64Array::from_iter_values(explanations.iter().map(|e| value(e))))
    };
    if classes.is_empty() {
        push("prediction", floats(&|e| e.prediction.value().unwrap_or(f64::NAN)));
    } else {
        let labels = explanations.iter().map(|e| e.prediction.class().map_or("", |c| c.label()));
        push("prediction", Arc::new(arrow_array::StringArray::from_iter_values(labels)));
        for (index, class) in classes.iter().enumerate() {
            let probability = |prediction: &Prediction| {
                prediction.class().map_or(f64::NAN, |class| class.probabilities()[index])
            };
            push(&format!("probability_{class}"), floats(&|e| probability(&e.prediction)));
        }
    }
    push("score", floats(&|e| e.predicted_score().score));
    push("intercept", floats(&|e| e.predicted_score().intercept));
    push("terms", terms(explanations));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// list<struct{feature, name, value, contribution}>
fn terms(explanations: &[&Explanation]) -> ArrayRef {
    let fields = Fields::from(vec![
        Field::new("feature", DataType::Int64, false),
        Field::new("name", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, true),
        Field::new("contribution", DataType::Float64, false),
    ]);
    let builders: Vec<Box<dyn arrow_array::builder::ArrayBuilder>> = vec![
        Box::new(Int64Builder::new()),
        Box::new(StringBuilder::new()),
        Box::new(StringBuilder::new()),
        Box::new(Float64Builder::new()),
    ];
    let item = Field::new("item", DataType::Struct(fields.clone()), false);
    let mut list = ListBuilder::new(StructBuilder::new(fields, builders)).with_field(item);
    for explanation in explanations {
        for term in &explanation.predicted_score().terms {
            let row = list.values();
            builder::<Int64Builder>(row, 0).append_value(term.feature as i64);
            builder::<StringBuilder>(row, 1).append_value(&term.name);
            let value = term.observed.clone().unwrap_or_else(|| term.value.to_string());
            builder::<StringBuilder>(row, 2).append_value(value);
            builder::<Float64Builder>(row, 3).append_value(term.contribution);
            row.append(true);
        }
        list.append(true);
    }
    Arc::new(list.finish())
}

fn builder<B: arrow_array::builder::ArrayBuilder>(row: &mut StructBuilder, field: usize) -> &mut B {
    row.field_builder(field).expect("the field has a builder of this type")
}
