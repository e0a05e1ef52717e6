//! The output tensors of `infer`, as JSON or as binary data.

use super::TensorSpec;
use super::binary::{push_numbers, push_texts};
use crate::body::JSON_LENGTH;
use crate::classes::each_once;
use crate::error::ApiError;
use crate::request::{RequestedOutput, RequestedOutputs};
use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use ngsll::Prediction;
use ngsll::objective::Objective;
use serde::Serialize;

const LABEL: &str = "label";
const PROBABILITIES: &str = "probabilities";
const SCORES: &str = "scores";
const VALUE: &str = "value";

/// The output tensors of a model.
pub fn specs(objective: &Objective) -> Vec<TensorSpec> {
    match objective {
        Objective::Regression { .. } => vec![TensorSpec::new(VALUE, "FP64", &[])],
        _ => vec![
            TensorSpec::new(LABEL, "BYTES", &[]),
            TensorSpec::new(PROBABILITIES, "FP64", &[objective.classes().len()]),
            TensorSpec::new(SCORES, "FP64", &[objective.outputs()]),
        ],
    }
}

/// Refuses names of outputs that the model does not have.
pub fn check(objective: &Objective, requested: &RequestedOutputs) -> Result<(), ApiError> {
    let known = specs(objective);
    let names: Vec<&str> = known.iter().map(|tensor| tensor.name.as_str()).collect();
    let requested: Vec<&str> =
        requested.outputs.iter().flatten().map(|output| output.name.as_str()).collect();
    if let Some(name) = requested.iter().find(|name| !names.contains(name)) {
        let names = names.join(", ");
        let message = format!("the model has no output {name:?}; its outputs are {names}");
        return Err(ApiError::bad(message));
    }
    // Otherwise the response could be many times as large as the request.
    each_once("output", &requested)
}

/// An inference response.
#[derive(Serialize)]
struct InferResponse<'a> {
    model_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ResponseParameters>,
    outputs: Vec<OutputTensor>,
}

/// Notes for the user about the samples.
#[derive(Serialize)]
struct ResponseParameters {
    notes: String,
}

/// An output tensor.
#[derive(Serialize)]
struct OutputTensor {
    name: String,
    datatype: &'static str,
    shape: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<BinaryData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Elements>,
}

#[derive(Serialize)]
struct BinaryData {
    binary_data_size: usize,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Elements {
    Texts(Vec<String>),
    Numbers(Vec<f64>),
}

/// Writes the requested output tensors of samples with these scores.
pub fn write(
    (model, objective): (&str, &Objective),
    scores: &[Vec<f64>],
    requested: &RequestedOutputs,
    id: Option<String>,
    notes: &[String],
) -> Response {
    let known = specs(objective);
    let all = || known.iter().map(|tensor| (tensor, requested.binary)).collect();
    let named = |outputs: &[RequestedOutput]| {
        let of = |name: &str| known.iter().find(|tensor| tensor.name == name);
        let outputs = outputs.iter().filter_map(|output| Some((of(&output.name)?, output)));
        outputs.map(|(t, o)| (t, o.parameters.binary_data.unwrap_or(requested.binary))).collect()
    };
    let chosen: Vec<(&TensorSpec, bool)> = requested.outputs.as_deref().map_or_else(all, named);
    let any_binary = chosen.iter().any(|(_, binary)| *binary);
    let predictions: Vec<Prediction> = scores.iter().map(|s| objective.prediction(s)).collect();
    let mut binary = Vec::new();
    let mut tensor = |(spec, as_binary): (&TensorSpec, bool)| {
        let elements = elements(&spec.name, scores, &predictions);
        let sides = spec.shape.iter().skip(1).map(|&side| side as usize);
        let shape = std::iter::once(scores.len()).chain(sides).collect();
        let (name, datatype) = (spec.name.clone(), spec.datatype);
        if !as_binary {
            return OutputTensor { name, datatype, shape, parameters: None, data: Some(elements) };
        }
        let before = binary.len();
        elements.push_binary(&mut binary);
        let parameters = Some(BinaryData { binary_data_size: binary.len() - before });
        OutputTensor { name, datatype, shape, parameters, data: None }
    };
    let outputs = chosen.into_iter().map(&mut tensor).collect();
    let parameters = (!notes.is_empty()).then(|| ResponseParameters { notes: notes.join("; ") });
    let response = InferResponse { model_name: model, id, parameters, outputs };
    if !any_binary {
        return Json(response).into_response();
    }
    let Ok(mut bytes) = serde_json::to_vec(&response) else {
        return ApiError::internal().into_response();
    };
    let length = bytes.len().to_string();
    bytes.extend(binary);
    let headers =
        [(CONTENT_TYPE.as_str(), "application/octet-stream".to_string()), (JSON_LENGTH, length)];
    (headers, bytes).into_response()
}

/// The elements of a tensor over all samples.
fn elements(name: &str, scores: &[Vec<f64>], predictions: &[Prediction]) -> Elements {
    let classes = predictions.iter().filter_map(Prediction::class);
    match name {
        LABEL => Elements::Texts(classes.map(|class| class.label().to_string()).collect()),
        PROBABILITIES => {
            Elements::Numbers(classes.flat_map(|class| class.probabilities()).copied().collect())
        }
        // The value of a regression is its score.
        _ => Elements::Numbers(scores.iter().flatten().copied().collect()),
    }
}

impl Elements {
    fn push_binary(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Texts(texts) => push_texts(texts, bytes),
            Self::Numbers(numbers) => push_numbers(numbers, bytes),
        }
    }
}
