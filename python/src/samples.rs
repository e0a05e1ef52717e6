//! Samples as Python hands them over: arrays, lists and Arrow streams.

use crate::arrow_in;
use crate::error::to_python;
use ngsll::dataset::{Categories, ImageSize, Images, Table, Texts, TypedColumn, TypedValues};
use ngsll::{Config, Schema};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray4};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// Samples that are read once: by `fit`, `predict` or `explain`.
#[pyclass(module = "ngsll._native")]
#[derive(Default)]
pub struct Samples {
    content: Content,
}

#[derive(Default)]
enum Content {
    /// Read already.
    #[default]
    Gone,
    Table(Vec<TypedColumn>),
    Ready(ngsll::Samples),
}

#[pymethods]
impl Samples {
    /// Rows of numbers; NaN stands for a missing one.
    #[staticmethod]
    fn from_matrix(matrix: PyReadonlyArray2<'_, f64>, names: Vec<String>) -> PyResult<Self> {
        let matrix = matrix.as_array();
        if names.len() != matrix.ncols() {
            let message = format!("{} names for {} columns", names.len(), matrix.ncols());
            return Err(PyValueError::new_err(message));
        }
        let column = |(j, name)| {
            TypedColumn::new(name, TypedValues::Numbers(matrix.column(j).iter().copied().collect()))
        };
        Ok(Self { content: Content::Table(names.into_iter().enumerate().map(column).collect()) })
    }

    /// Columns of a data frame, each `(name, kind, values)`: `numbers` and `timestamps` are arrays of float64 (seconds
    /// since 1970), `levels` a list of texts and an array of their numbers, -1 where the value is missing, and
    /// `texts` a list of texts and None.
    #[staticmethod]
    fn from_columns(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let column = |(name, kind, values): (String, String, Bound<'_, PyAny>)| {
            Ok(TypedColumn::new(name, typed_values(&kind, &values)?))
        };
        let columns: PyResult<_> = columns.into_iter().map(column).collect();
        Ok(Self { content: Content::Table(columns?) })
    }

    /// Columns of anything with `__arrow_c_stream__`.
    #[staticmethod]
    fn from_arrow(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { content: Content::Table(arrow_in::columns(table)?) })
    }

    /// Texts.
    #[staticmethod]
    fn from_texts(texts: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut all = Texts::default();
        for (row, text) in texts.iter().enumerate() {
            let Ok(text) = text.cast::<PyString>() else {
                let found = text.get_type().name()?;
                let message = format!("sample {row}: expected a text (str), found {found}");
                return Err(pyo3::exceptions::PyTypeError::new_err(message));
            };
            all.push(text.to_cow()?.as_ref());
        }
        Ok(Self { content: Content::Ready(all.into()) })
    }

    /// Images [n, height, width, channels] of bytes.
    #[staticmethod]
    fn from_images(images: PyReadonlyArray4<'_, u8>) -> PyResult<Self> {
        let images = images.as_array();
        let (_, height, width, channels) = images.dim();
        let size = ImageSize { width, height, channels };
        let images = Images::new(size, images.iter().copied().collect()).map_err(to_python)?;
        Ok(Self { content: Content::Ready(images.into()) })
    }

    /// The names of a table's columns, in order; none for other samples.
    fn names(&self) -> Vec<String> {
        match &self.content {
            Content::Table(columns) => columns.iter().map(|c| c.name().to_owned()).collect(),
            _ => Vec::new(),
        }
    }

    fn __len__(&self) -> usize {
        match &self.content {
            Content::Gone => 0,
            Content::Table(columns) => columns.first().map_or(0, TypedColumn::len),
            Content::Ready(samples) => samples.len(),
        }
    }
}

impl Samples {
    /// The samples to train on.
    pub fn take_to_fit(&mut self, config: &Config) -> PyResult<ngsll::Samples> {
        let drop = &config.data.drop;
        match std::mem::take(&mut self.content) {
            Content::Table(columns) => {
                let missing = drop.iter().find(|name| columns.iter().all(|c| c.name() != *name));
                if let Some(name) = missing {
                    let message = format!("drop = {name}: the data have no column of this name");
                    return Err(PyValueError::new_err(message));
                }
                let columns = columns.into_iter().filter(|c| !drop.iter().any(|d| d == c.name()));
                let missing_words = config.data.missing_words.as_deref().unwrap_or_default();
                let kinds = config.data.column_kinds();
                let table = Table::from_typed(columns, &kinds, missing_words);
                Ok(table.map_err(to_python)?.into())
            }
            other => other.ready(),
        }
    }

    /// The samples as a model reads them.
    pub fn take_as(&mut self, schema: &Schema) -> PyResult<ngsll::Samples> {
        match (std::mem::take(&mut self.content), schema) {
            (Content::Table(columns), Schema::Table(expected)) => {
                let specs: Vec<_> = expected.iter().map(|column| column.spec()).collect();
                Ok(Table::from_typed_as(columns, &specs).map_err(to_python)?.into())
            }
            (Content::Table(columns), _) => {
                Ok(Table::from_typed(columns, &Default::default(), &[]).map_err(to_python)?.into())
            }
            (other, _) => other.ready(),
        }
    }
}

impl Content {
    fn ready(self) -> PyResult<ngsll::Samples> {
        match self {
            Self::Ready(samples) => Ok(samples),
            _ => Err(PyValueError::new_err("these samples were read already")),
        }
    }
}

fn typed_values(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<TypedValues> {
    let numbers = || -> PyResult<Vec<f64>> {
        let values: PyReadonlyArray1<'_, f64> = values.extract()?;
        Ok(values.as_array().iter().copied().collect())
    };
    Ok(match kind {
        "numbers" => TypedValues::Numbers(numbers()?),
        "timestamps" => TypedValues::Timestamps(numbers()?),
        "levels" => {
            let (levels, ids): (Vec<String>, PyReadonlyArray1<'_, i64>) = values.extract()?;
            // A missing value has a negative number.
            let ids = ids.as_array().iter().map(|id| usize::try_from(*id).ok()).collect::<Vec<_>>();
            TypedValues::Levels(Categories::from_ids(levels, ids).map_err(to_python)?)
        }
        _ => {
            let mut categories = Categories::default();
            for text in values.cast::<PyList>()?.iter() {
                match text.is_none() {
                    true => categories.push(None),
                    false => categories.push(Some(text.cast::<PyString>()?.to_cow()?.as_ref())),
                }
            }
            TypedValues::Levels(categories)
        }
    })
}
