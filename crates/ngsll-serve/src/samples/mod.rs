//! The server's knowledge of kinds of samples: their form in requests, the inputs of the page, an example.
//!
//! A kind is a [`SampleForm`] in a separate file, found by a model's [`Schema`] in [`form_of`]; nothing else in this
//! crate tells kinds apart.

mod image;
mod row;
mod text;

use super::error::ApiError;
use super::json::{List, Scalar};
use super::oip::TensorSpec;
use super::oip::inputs::{InputTensor, RequestInput, with_data};
use super::state::ServedModel;
use ngsll::config::ImageConfig;
use ngsll::dataset::ImageSize;
use ngsll::representation::NumericRange;
use ngsll::{Model, Samples, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Samples of one request.
pub const MAX_SAMPLES: usize = 1024;

/// The form of samples of one kind in requests.
pub trait SampleForm: Send + Sync {
    /// The model's input, in a word.
    fn reads(&self) -> &'static str;

    /// A request in plain JSON, for messages.
    fn json_form(&self) -> &'static str;

    /// Samples in plain JSON; `None` if they are of another kind.
    fn read_json(&self, samples: JsonSamples) -> Option<Result<ReadSamples, ApiError>>;

    /// Samples as tensors of the Open Inference Protocol.
    fn read_tensors(&self, tensors: &[InputTensor<'_>]) -> Result<Samples, ApiError>;

    /// The tensors that [`read_tensors`](Self::read_tensors) takes.
    fn tensors(&self) -> Vec<TensorSpec>;

    /// The input form of the page.
    fn page_input(&self) -> PageInput<'_>;

    /// A made-up sample in plain JSON that the model can read.
    fn example(&self, model: &Model) -> Value;

    /// The approximate memory of samples of this kind.
    fn bytes(&self, samples: &Samples) -> usize;
}

/// Samples as they were read.
pub struct ReadSamples {
    pub samples: Samples,
    /// Notes on changes made to them, a sentence each.
    pub notes: Vec<String>,
}

impl<S: Into<Samples>> From<S> for ReadSamples {
    fn from(samples: S) -> Self {
        Self { samples: samples.into(), notes: Vec::new() }
    }
}

/// The form of a model's samples; `None` for an unknown kind.
pub fn form_of(model: &Model) -> Option<Box<dyn SampleForm>> {
    Some(match model.schema() {
        Schema::Text => Box::new(text::TextForm),
        Schema::Image(size) => Box::new(image::ImageForm::new(size, &model.config().data)),
        Schema::Table(columns) => Box::new(row::RowForm::new(&columns)),
        _ => return None,
    })
}

/// Samples as people write them: exactly one of these, each one sample or a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonSamples {
    pub text: Option<List<String>>,
    pub row: Option<List<BTreeMap<String, Scalar>>>,
    pub image: Option<List<String>>,
}

impl JsonSamples {
    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.text.is_none() && self.row.is_none() && self.image.is_none()
    }

    /// The samples, if they are of the kind that the model reads.
    pub fn read(self, model: &ServedModel) -> Result<ReadSamples, ApiError> {
        let other = || Err(ApiError::bad(expected(model.form())));
        let ReadSamples { samples, notes } = model.form().read_json(self).unwrap_or_else(other)?;
        Ok(ReadSamples { samples: checked(samples)?, notes })
    }
}

/// The inputs of the page's form: an image of a size, fields for the columns, or neither for a text.
#[derive(Default, Serialize)]
pub struct PageInput<'a> {
    pub image: Option<ImageSize>,
    /// Options for fitting images of other sizes.
    pub image_reading: Option<&'a ImageConfig>,
    pub columns: Vec<PageColumn<'a>>,
}

/// A column in the page's form.
#[derive(Serialize)]
pub struct PageColumn<'a> {
    #[serde(flatten)]
    pub field: Field<'a>,
    /// Whether every training row had a value.
    pub complete: bool,
    /// Whether it can change a prediction.
    pub has_effect: bool,
}

/// A field of the page's form.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Field<'a> {
    Numeric {
        name: &'a str,
        #[serde(flatten)]
        range: NumericRange,
    },
    Categorical {
        name: &'a str,
        /// The most frequent first.
        levels: &'a [String],
    },
    Date {
        name: &'a str,
        min: Option<String>,
        median: Option<String>,
        max: Option<String>,
        /// Whether they have a time.
        hours: bool,
    },
}

/// The samples in a request's tensors; `binary` is the data after the request's JSON.
pub fn from_tensors(
    model: &ServedModel,
    inputs: &[RequestInput],
    binary: &[u8],
) -> Result<Samples, ApiError> {
    checked(model.form().read_tensors(&with_data(inputs, binary)?)?)
}

/// The form of a request to a model, for messages.
pub fn expected(form: &dyn SampleForm) -> String {
    let (reads, json) = (form.reads(), form.json_form());
    format!(
        "this model reads {reads}, expected {json} or the \"inputs\" of the Open Inference Protocol"
    )
}

/// At least one sample, and not too many.
fn checked(samples: Samples) -> Result<Samples, ApiError> {
    let n = samples.len();
    if (1..=MAX_SAMPLES).contains(&n) {
        return Ok(samples);
    }
    Err(ApiError::bad(format!("{n} samples in a request, expected 1 to {MAX_SAMPLES}")))
}
