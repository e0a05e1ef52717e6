//! Answers of `infer`: output tensors, as JSON or as binary data.

use super::binary::{push_numbers, push_texts};
use super::{Described, outputs_of};
use crate::body::JSON_LENGTH;
use crate::classes::each_once;
use crate::error::ApiError;
use crate::request::{RequestedOutput, Wanted};
use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use ngsll::explanation::{Explanation, Prediction};
use ngsll::objective::Objective;
use serde::Serialize;

/// An inference response.
#[derive(Serialize)]
struct Answer<'a> {
    model_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Remarks>,
    outputs: Vec<Tensor>,
}

/// What a person should know about the samples.
#[derive(Serialize)]
struct Remarks {
    notes: String,
}

/// An output tensor.
#[derive(Serialize)]
struct Tensor {
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

/// Writes the wanted output tensors of explained samples.
pub fn write(
    (model, objective): (&str, &Objective),
    explanations: &[Explanation],
    wanted: &Wanted,
    id: Option<String>,
    notes: &[String],
) -> Response {
    let known = outputs_of(objective);
    let all = || known.iter().map(|tensor| (tensor, wanted.binary)).collect();
    let named = |outputs: &[RequestedOutput]| {
        let of = |name: &str| known.iter().find(|tensor| tensor.name == name);
        let outputs = outputs.iter().filter_map(|output| Some((of(&output.name)?, output)));
        outputs.map(|(t, o)| (t, o.parameters.binary_data.unwrap_or(wanted.binary))).collect()
    };
    let chosen: Vec<(&Described, bool)> = wanted.outputs.as_deref().map_or_else(all, named);
    let mut binary = Vec::new();
    let any_binary = chosen.iter().any(|(_, binary)| *binary);
    let mut tensor = |(tensor, as_binary): (&Described, bool)| {
        let elements = elements(&tensor.name, explanations);
        let sides = tensor.shape.iter().skip(1).map(|&side| side as usize);
        let shape = std::iter::once(explanations.len()).chain(sides).collect();
        let (name, datatype) = (tensor.name.clone(), tensor.datatype);
        if !as_binary {
            return Tensor { name, datatype, shape, parameters: None, data: Some(elements) };
        }
        let before = binary.len();
        elements.push_binary(&mut binary);
        let parameters = Some(BinaryData { binary_data_size: binary.len() - before });
        Tensor { name, datatype, shape, parameters, data: None }
    };
    let outputs = chosen.into_iter().map(&mut tensor).collect();
    let parameters = (!notes.is_empty()).then(|| Remarks { notes: notes.join("; ") });
    let answer = Answer { model_name: model, id, parameters, outputs };
    if !any_binary {
        return Json(answer).into_response();
    }
    let Ok(mut bytes) = serde_json::to_vec(&answer) else {
        return ApiError::internal().into_response();
    };
    let length = bytes.len().to_string();
    bytes.extend(binary);
    let headers =
        [(CONTENT_TYPE.as_str(), "application/octet-stream".to_string()), (JSON_LENGTH, length)];
    (headers, bytes).into_response()
}

/// Refuses names of outputs that the model does not have.
pub fn check(objective: &Objective, wanted: &Wanted) -> Result<(), ApiError> {
    let known = outputs_of(objective);
    let names: Vec<&str> = known.iter().map(|tensor| tensor.name.as_str()).collect();
    for output in wanted.outputs.iter().flatten() {
        if !names.contains(&output.name.as_str()) {
            let (name, names) = (&output.name, names.join(", "));
            let message = format!("the model has no output {name:?}, its outputs are {names}");
            return Err(ApiError::bad(message));
        }
    }
    // Otherwise the answer could be many times as large as the request.
    let asked: Vec<&str> = wanted.outputs.iter().flatten().map(|o| o.name.as_str()).collect();
    each_once("output", &asked)
}

/// The elements of a tensor over all samples.
fn elements(name: &str, explanations: &[Explanation]) -> Elements {
    let mut numbers = Vec::new();
    let mut texts = Vec::new();
    for explanation in explanations {
        match (name, &explanation.prediction) {
            ("label", Prediction::Class { label, .. }) => texts.push(label.clone()),
            ("probabilities", Prediction::Class { probabilities, .. }) => {
                numbers.extend(probabilities.iter().map(|p| p.probability));
            }
            (_, Prediction::Value(value)) => numbers.push(*value),
            _ => numbers.extend(explanation.outputs.iter().map(|output| output.score)),
        }
    }
    if name == "label" { Elements::Texts(texts) } else { Elements::Numbers(numbers) }
}

impl Elements {
    fn push_binary(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Texts(texts) => push_texts(texts, bytes),
            Self::Numbers(numbers) => push_numbers(numbers, bytes),
        }
    }
}
