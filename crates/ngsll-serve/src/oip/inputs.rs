//! The input tensors of a request, as JSON or as binary data.

use super::binary::{self, NUMBERS};
use crate::error::ApiError;
use crate::json::{Flat, Scalar};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;

/// An input tensor as a request's JSON holds it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestInput {
    name: String,
    shape: Vec<usize>,
    datatype: String,
    parameters: Option<InputParameters>,
    data: Option<Flat>,
}

/// The known parameters; others are ignored.
#[derive(Debug, Deserialize)]
struct InputParameters {
    binary_data_size: Option<usize>,
}

/// An input tensor with its elements.
pub struct InputTensor<'a> {
    input: &'a RequestInput,
    data: Data<'a>,
}

enum Data<'a> {
    Json(&'a [Scalar]),
    Binary(&'a [u8]),
}

/// Assigns each tensor its part of the binary data.
pub fn with_data<'a>(
    inputs: &'a [RequestInput],
    mut binary: &'a [u8],
) -> Result<Vec<InputTensor<'a>>, ApiError> {
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
                return Err(
                    input.error("it has both data and binary_data_size; expected one of them")
                );
            }
            (None, None) => return Err(input.error("it has no data")),
        };
        tensors.push(InputTensor { input, data });
    }
    if !binary.is_empty() {
        let left = binary.len();
        return Err(ApiError::bad(format!("{left} bytes of binary data belong to no input")));
    }
    Ok(tensors)
}

/// The tensor of a model that has one input.
pub fn single<'a, 'b>(
    tensors: &'b [InputTensor<'a>],
    name: &str,
) -> Result<&'b InputTensor<'a>, ApiError> {
    match tensors {
        [tensor] if tensor.name() == name => Ok(tensor),
        _ => {
            let names: Vec<&str> = tensors.iter().map(InputTensor::name).collect();
            let found = names.join(", ");
            Err(ApiError::bad(format!("the inputs are [{found}], expected one named {name:?}")))
        }
    }
}

impl RequestInput {
    fn error(&self, message: impl std::fmt::Display) -> ApiError {
        ApiError::bad(format!("input {:?}: {message}", self.name))
    }

    /// The number of samples, if the rest of the shape is `sides`, or `sides` without leading ones.
    fn count(&self, sides: &[usize]) -> Option<usize> {
        let (&n, own) = self.shape.split_first()?;
        (without_leading_ones(own) == without_leading_ones(sides)).then_some(n)
    }

    fn check_datatype(&self, expected: &str) -> Result<(), ApiError> {
        if self.datatype == expected {
            return Ok(());
        }
        Err(self.error(format!("its datatype is {:?}, expected {expected}", self.datatype)))
    }
}

impl InputTensor<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// BYTES [n]
    pub fn texts(&self) -> Result<Vec<String>, ApiError> {
        self.input.check_datatype("BYTES")?;
        let text = |(i, scalar): (usize, &Scalar)| match scalar {
            Scalar::Text(text) => Ok(text.clone()),
            _ => Err(self.input.error(format!("element {i} is not a text"))),
        };
        let texts: Vec<String> = match self.data {
            Data::Json(scalars) => {
                scalars.iter().enumerate().map(text).collect::<Result<_, _>>()?
            }
            Data::Binary(bytes) => binary::texts(bytes).map_err(|m| self.input.error(m))?,
        };
        self.check_shape(&[], texts.len())?;
        Ok(texts)
    }

    /// UINT8 [n, sides…]
    pub fn pixels(&self, sides: &[usize]) -> Result<Vec<u8>, ApiError> {
        self.input.check_datatype("UINT8")?;
        let pixel = |(i, scalar): (usize, &Scalar)| match *scalar {
            Scalar::Number(n) if n.fract() == 0.0 && (0.0..=255.0).contains(&n) => Ok(n as u8),
            _ => Err(self.input.error(format!("element {i} is not a whole number from 0 to 255"))),
        };
        let pixels: Vec<u8> = match self.data {
            Data::Json(scalars) => {
                scalars.iter().enumerate().map(pixel).collect::<Result<_, _>>()?
            }
            Data::Binary(bytes) => bytes.to_vec(),
        };
        self.check_shape(sides, pixels.len())?;
        Ok(pixels)
    }

    /// Any datatype [n]: numbers, texts or truth values as the datatype says; null is missing.
    pub fn scalars(&self) -> Result<Cow<'_, [Scalar]>, ApiError> {
        let datatype = self.input.datatype.as_str();
        let scalars = match self.data {
            Data::Json(scalars) => Cow::Borrowed(scalars),
            Data::Binary(bytes) => {
                Cow::Owned(binary::scalars(datatype, bytes).map_err(|m| self.input.error(m))?)
            }
        };
        let fits = |scalar: &Scalar| match scalar {
            Scalar::Null => true,
            Scalar::Number(_) => NUMBERS.contains(&datatype),
            Scalar::Text(_) => datatype == "BYTES",
            Scalar::Bool(_) => datatype == "BOOL",
        };
        if let Some(i) = scalars.iter().position(|scalar| !fits(scalar)) {
            let message = format!("element {i} is not of the datatype {datatype:?}");
            return Err(self.input.error(message));
        }
        self.check_shape(&[], scalars.len())?;
        Ok(scalars)
    }

    /// Checks that the shape is [n, sides…] and fits the number of elements.
    fn check_shape(&self, sides: &[usize], elements: usize) -> Result<(), ApiError> {
        let shape = &self.input.shape;
        let Some(n) = self.input.count(sides) else {
            let sides = without_leading_ones(sides).iter();
            let sides: String = sides.map(|side| format!(", {side}")).collect();
            return Err(self.input.error(format!("its shape is {shape:?}, expected [n{sides}]")));
        };
        if n.checked_mul(sides.iter().product()) != Some(elements) {
            let message = format!("its shape {shape:?} does not fit its {elements} elements");
            return Err(self.input.error(message));
        }
        Ok(())
    }
}

fn without_leading_ones(shape: &[usize]) -> &[usize] {
    let ones = shape.iter().take_while(|&&side| side == 1).count();
    &shape[ones..]
}
