//! A request for predictions or explanations, in either form.

use super::error::ApiError;
use super::json::{List, Scalar};
use super::oip::inputs::RequestInput;
use super::samples::{self, JsonSamples, ReadSamples};
use super::state::ServedModel;
use ngsll::Samples;
use ngsll::error::from_json;
use ngsll_view::UnseenValues;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Both forms as they are sent; `inputs` distinguishes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRequest {
    // Plain.
    text: Option<List<String>>,
    row: Option<List<BTreeMap<String, Scalar>>>,
    image: Option<List<String>>,
    k: Option<usize>,
    classes: Option<Vec<String>>,
    // Open Inference Protocol.
    inputs: Option<Vec<RequestInput>>,
    outputs: Option<Vec<RequestedOutput>>,
    parameters: Option<RequestParameters>,
    // Both.
    id: Option<String>,
}

/// The known parameters of a request; others are ignored, as the protocol's extensions have many.
#[derive(Debug, Default, Deserialize)]
struct RequestParameters {
    k: Option<usize>,
    classes: Option<Vec<String>>,
    binary_data_output: Option<bool>,
}

/// An output tensor that a request names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestedOutput {
    pub name: String,
    #[serde(default)]
    pub parameters: OutputParameters,
}

/// Unknown ones are refused, as they would change the meaning of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputParameters {
    pub binary_data: Option<bool>,
}

/// A request for predictions or explanations, with the checks that both have in common.
pub struct InferRequest {
    pub samples: Samples,
    /// Terms of each score.
    pub k: usize,
    /// The classes to explain; all if none are named.
    pub classes: Option<Vec<String>>,
    pub id: Option<String>,
    /// Notes on parts of the samples that the model does not read.
    pub notes: Vec<String>,
    /// The format of the tensors; `None` for the plain form.
    pub tensors: Option<RequestedOutputs>,
}

/// The requested output tensors.
#[derive(Default)]
pub struct RequestedOutputs {
    /// All if none are named.
    pub outputs: Option<Vec<RequestedOutput>>,
    /// Whether tensors are binary data unless their own parameter says otherwise.
    pub binary: bool,
}

impl InferRequest {
    /// Reads a body: JSON, and the binary tensors behind it.
    pub fn read(model: &ServedModel, json: &[u8], binary: &[u8]) -> Result<Self, ApiError> {
        let raw: RawRequest = from_json(json).map_err(|error| {
            let what = match error.is_json {
                true => "the request cannot be read",
                false => "the body is not valid JSON",
            };
            ApiError::bad(format!("{what}: {error}; {}", samples::expected(model.form())))
        })?;
        let plain = JsonSamples { text: raw.text, row: raw.row, image: raw.image };
        let (ReadSamples { samples, mut notes }, k, classes, tensors) = match raw.inputs {
            None => {
                if raw.outputs.is_some() || raw.parameters.is_some() || !binary.is_empty() {
                    return Err(ApiError::bad(
                        "\"outputs\", \"parameters\" and binary data need \"inputs\"",
                    ));
                }
                (plain.read(model)?, raw.k, raw.classes, None)
            }
            Some(inputs) => {
                if !plain.is_empty() || raw.k.is_some() || raw.classes.is_some() {
                    return Err(ApiError::bad(
                        "\"inputs\" cannot be combined with \"text\", \"row\" or \"image\"; \"k\" and \"classes\" belong in its \"parameters\"",
                    ));
                }
                let samples = samples::from_tensors(model, &inputs, binary)?;
                let parameters = raw.parameters.unwrap_or_default();
                let outputs = raw.outputs.filter(|outputs| !outputs.is_empty());
                let binary = parameters.binary_data_output.unwrap_or(false);
                let tensors = Some(RequestedOutputs { outputs, binary });
                (samples.into(), parameters.k, parameters.classes, tensors)
            }
        };
        notes.extend(UnseenValues::sentences_about(model.model(), &samples));
        let k = model.model().check_k(k)?;
        Ok(Self { samples, k, classes, id: raw.id, notes, tensors })
    }
}
