//! A request for predictions or explanations, in either form.

use super::error::ApiError;
use super::input::{self, Plain};
use super::json::{CellValue, List, check_depth};
use super::oip::inputs::{self, Input};
use super::state::Model;
use ngsll::data::Samples;
use ngsll::representation::{Representation, tokens};
use ngsll_view::UnseenValues;
use serde::Deserialize;
use serde_json::error::Category;
use std::collections::BTreeMap;

/// Both forms; `inputs` tells them apart.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    // Plain.
    text: Option<List<String>>,
    row: Option<List<BTreeMap<String, CellValue>>>,
    image: Option<List<String>>,
    k: Option<usize>,
    classes: Option<Vec<String>>,
    // Open Inference Protocol.
    inputs: Option<Vec<Input>>,
    outputs: Option<Vec<RequestedOutput>>,
    parameters: Option<Parameters>,
    // Both.
    id: Option<String>,
}

/// Parameters of a request that we know; others are ignored, as the protocol's extensions have many.
#[derive(Debug, Default, Deserialize)]
struct Parameters {
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

/// Others would change what the output is, so they are refused.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputParameters {
    pub binary_data: Option<bool>,
}

/// What a request asks.
pub struct Asked {
    pub samples: Samples,
    pub k: Option<usize>,
    pub classes: Option<Vec<String>>,
    pub id: Option<String>,
    pub notes: Vec<String>,
    /// How the answer is to be written; `None` for the plain form.
    pub tensors: Option<Wanted>,
}

/// The output tensors that a request wants.
#[derive(Default)]
pub struct Wanted {
    /// All where none are named.
    pub outputs: Option<Vec<RequestedOutput>>,
    /// Whether tensors are binary data where their own parameter does not say.
    pub binary: bool,
}

impl Asked {
    /// Reads a body: JSON, and the binary tensors behind it.
    pub fn read(model: &Model, json: &[u8], binary: &[u8]) -> Result<Self, ApiError> {
        check_depth(json)?;
        let representation = model.predictor().representation();
        let sent: Sent = serde_json::from_slice(json).map_err(|error| {
            let what = match error.classify() {
                Category::Data => "the request is not understood",
                _ => "the body is not valid JSON",
            };
            ApiError::bad(format!("{what}: {error}; {}", input::expected(representation)))
        })?;
        let plain = Plain { text: sent.text, row: sent.row, image: sent.image };
        let Some(inputs) = sent.inputs else {
            if sent.outputs.is_some() || sent.parameters.is_some() || !binary.is_empty() {
                return Err(ApiError::bad(
                    "\"outputs\", \"parameters\" and binary data go with \"inputs\"",
                ));
            }
            let samples = plain.samples(model)?;
            let notes = notes(model, &samples);
            let Sent { k, classes, id, .. } = sent;
            return Ok(Self { samples, k, classes, id, notes, tensors: None });
        };
        if !plain.is_empty() || sent.k.is_some() || sent.classes.is_some() {
            return Err(ApiError::bad(
                "\"inputs\" do not go with \"text\", \"row\" or \"image\"; \"k\" and \"classes\" then are \"parameters\"",
            ));
        }
        let samples = inputs::samples(representation, &inputs, binary)?;
        let notes = notes(model, &samples);
        let Parameters { k, classes, binary_data_output } = sent.parameters.unwrap_or_default();
        let outputs = sent.outputs.filter(|outputs| !outputs.is_empty());
        let wanted = Wanted { outputs, binary: binary_data_output.unwrap_or(false) };
        Ok(Self { samples, k, classes, id: sent.id, notes, tensors: Some(wanted) })
    }
}

/// What a person should know about the samples: what of them the model did not read.
fn notes(model: &Model, samples: &Samples) -> Vec<String> {
    let mut unseen = UnseenValues::default();
    unseen.add(model.predictor(), samples);
    let mut notes = unseen.sentences(samples.len());
    if let (Representation::Words(words), Samples::Texts(texts)) =
        (model.predictor().representation(), samples)
    {
        let most = words.config().max_tokens;
        let cut = |text: &&str| tokens(text, words.config().tokenizer).nth(most).is_some();
        let count = texts.iter().filter(cut).count();
        if count > 0 {
            let of = texts.len();
            notes.push(format!(
                "only the first {most} tokens are read, {count} of {of} texts have more"
            ));
        }
    }
    notes
}
