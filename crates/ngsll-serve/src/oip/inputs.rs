//! The input tensors of a request, as JSON or as binary data.

use super::binary::{self, NUMBERS};
use crate::error::ApiError;
use crate::input::{check_count, column, missing_column, texts, unknown_column};
use crate::json::{CellValue, Flat};
use ngsll::data::{Images, Samples, Table};
use ngsll::representation::{Columns, Grid, Representation};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;

/// An input tensor of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    name: String,
    shape: Vec<usize>,
    datatype: String,
    parameters: Option<InputParameters>,
    data: Option<Flat>,
}

/// Those that we know; others are ignored.
#[derive(Debug, Deserialize)]
struct InputParameters {
    binary_data_size: Option<usize>,
}

/// The samples that the input tensors hold; `binary` is what follows the request's JSON.
pub fn samples(
    representation: &Representation,
    inputs: &[Input],
    binary: &[u8],
) -> Result<Samples, ApiError> {
    let tensors = with_data(inputs, binary)?;
    let samples = match representation {
        Representation::Words(_) => Samples::Texts(texts(&only(&tensors, "text")?.texts()?)?),
        Representation::Grid(grid) => Samples::Images(only(&tensors, "image")?.images(grid)?),
        Representation::Columns(columns) => Samples::Table(table(columns, &tensors)?),
    };
    check_count(samples.len())?;
    Ok(samples)
}

/// A tensor and where its elements are.
struct Tensor<'a> {
    input: &'a Input,
    data: Data<'a>,
}

enum Data<'a> {
    Json(&'a [CellValue]),
    Binary(&'a [u8]),
}

/// Gives each tensor its share of the binary data.
fn with_data<'a>(inputs: &'a [Input], mut binary: &'a [u8]) -> Result<Vec<Tensor<'a>>, ApiError> {
    let (mut tensors, mut names) = (Vec::new(), HashSet::new());
    for input in inputs {
        if !names.insert(&input.name) {
            return Err(input.error("it is given twice"));
        }
        let size = input.parameters.as_ref().and_then(|parameters| parameters.binary_data_size);
        let data = match (&input.data, size) {
            (Some(data), None) => Data::Json(&data.0),
            (None, Some(size)) => {
                let (own, rest) = binary.split_at_checked(size).ok_or_else(|| {
                    let left = binary.len();
                    input.error(format!("binary_data_size is {size}, but {left} bytes are left"))
                })?;
                binary = rest;
                Data::Binary(own)
            }
            (Some(_), Some(_)) => {
                return Err(input.error("it has data and binary_data_size, expected one of them"));
            }
            (None, None) => return Err(input.error("it has no data")),
        };
        tensors.push(Tensor { input, data });
    }
    if !binary.is_empty() {
        let left = binary.len();
        return Err(ApiError::bad(format!("{left} bytes of binary data belong to no input")));
    }
    Ok(tensors)
}

/// The tensor of a model that has one input.
fn only<'a, 'b>(tensors: &'b [Tensor<'a>], name: &str) -> Result<&'b Tensor<'a>, ApiError> {
    match tensors {
        [tensor] if tensor.input.name == name => Ok(tensor),
        _ => {
            let names: Vec<&str> = tensors.iter().map(|t| t.input.name.as_str()).collect();
            let found = names.join(", ");
            Err(ApiError::bad(format!("the inputs are [{found}], expected one named {name:?}")))
        }
    }
}

fn table(columns: &Columns, tensors: &[Tensor<'_>]) -> Result<Table, ApiError> {
    let specs = columns.specs();
    if let Some(other) = tensors.iter().find(|t| specs.iter().all(|spec| spec.name != t.input.name))
    {
        return Err(unknown_column(columns, &other.input.name));
    }
    let mut table = Table::default();
    for spec in &specs {
        let tensor = tensors.iter().find(|t| t.input.name == spec.name);
        let cells = tensor.ok_or_else(|| missing_column(spec))?.cells()?;
        table.columns.push(column(spec, cells.iter())?);
        if table.len() != cells.len() {
            let (found, expected) = (cells.len(), table.len());
            let message = format!(
                "column {:?} has {found} rows, expected {expected} as the first",
                spec.name
            );
            return Err(ApiError::bad(message));
        }
    }
    Ok(table)
}

impl Input {
    fn error(&self, message: impl std::fmt::Display) -> ApiError {
        ApiError::bad(format!("input {:?}: {message}", self.name))
    }

    /// The number of samples, if the rest of the shape is `rest`, or `rest` without leading ones.
    fn count(&self, rest: &[usize]) -> Option<usize> {
        let (&n, own) = self.shape.split_first()?;
        let plain = |shape: &[usize]| {
            let ones = shape.iter().take_while(|&&side| side == 1).count();
            shape[ones..].to_vec()
        };
        (plain(own) == plain(rest)).then_some(n)
    }

    fn check_datatype(&self, expected: &str) -> Result<(), ApiError> {
        if self.datatype == expected {
            return Ok(());
        }
        Err(self.error(format!("its datatype is {:?}, expected {expected}", self.datatype)))
    }
}

impl Tensor<'_> {
    fn texts(&self) -> Result<Vec<String>, ApiError> {
        self.input.check_datatype("BYTES")?;
        let text = |(i, cell): (usize, &CellValue)| match cell {
            CellValue::Text(text) => Ok(text.clone()),
            _ => Err(self.input.error(format!("element {i} is not a text"))),
        };
        let texts: Vec<String> = match self.data {
            Data::Json(cells) => cells.iter().enumerate().map(text).collect::<Result<_, _>>()?,
            Data::Binary(bytes) => binary::texts(bytes).map_err(|m| self.input.error(m))?,
        };
        self.check_shape(&[], 1, texts.len())?;
        Ok(texts)
    }

    fn images(&self, grid: &Grid) -> Result<Images, ApiError> {
        self.input.check_datatype("UINT8")?;
        let Grid { width, height, channels, .. } = *grid;
        let pixel = |(i, cell): (usize, &CellValue)| match *cell {
            CellValue::Number(n) if n.fract() == 0.0 && (0.0..=255.0).contains(&n) => Ok(n as u8),
            _ => Err(self.input.error(format!("element {i} is not a whole number from 0 to 255"))),
        };
        let pixels: Vec<u8> = match self.data {
            Data::Json(cells) => cells.iter().enumerate().map(pixel).collect::<Result<_, _>>()?,
            Data::Binary(bytes) => bytes.to_vec(),
        };
        self.check_shape(&[channels, height, width], channels * height * width, pixels.len())?;
        Ok(Images { width, height, channels, pixels })
    }

    /// The cells of a column: numbers, texts or truth values as the datatype says; null is missing.
    fn cells(&self) -> Result<Cow<'_, [CellValue]>, ApiError> {
        let cells = match self.data {
            Data::Json(cells) => Cow::Borrowed(cells),
            Data::Binary(bytes) => Cow::Owned(
                binary::cells(&self.input.datatype, bytes).map_err(|m| self.input.error(m))?,
            ),
        };
        let datatype = self.input.datatype.as_str();
        let fits = |cell: &CellValue| match cell {
            CellValue::Missing => true,
            CellValue::Number(_) => NUMBERS.contains(&datatype),
            CellValue::Text(_) => datatype == "BYTES",
            CellValue::Truth(_) => datatype == "BOOL",
        };
        if let Some(i) = cells.iter().position(|cell| !fits(cell)) {
            return Err(self
                .input
                .error(format!("element {i} is not of the datatype {datatype:?}")));
        }
        self.check_shape(&[], 1, cells.len())?;
        Ok(cells)
    }

    /// Checks that the shape is [n, rest…] and fits the number of elements, `each` per sample.
    fn check_shape(&self, rest: &[usize], each: usize, elements: usize) -> Result<(), ApiError> {
        let shape = &self.input.shape;
        let Some(n) = self.input.count(rest) else {
            let sides: String = rest
                .iter()
                .skip_while(|&&side| side == 1)
                .map(|side| format!(", {side}"))
                .collect();
            return Err(self.input.error(format!("its shape is {shape:?}, expected [n{sides}]")));
        };
        if n.checked_mul(each) != Some(elements) {
            let message = format!("its shape {shape:?} does not fit its {elements} elements");
            return Err(self.input.error(message));
        }
        Ok(())
    }
}
