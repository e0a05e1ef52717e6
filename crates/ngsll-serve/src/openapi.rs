//! `/openapi.json`: the interface, with examples for the models that are loaded.
//!
//! The document is a file and not generated (utoipa): requests are read by visitors that take one sample or a list,
//! nested or flat tensors, two protocols in one body, which no derived schema describes, so that nearly all of it
//! would be written by hand in Rust, behind one more derive macro to build. Tests call every path and send every
//! example; the contract tests validate the document and let schemathesis generate requests from it.

use super::error::ApiError;
use super::state::{ServedModel, State};
use axum::Json;
use axum::extract;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

/// Everything that does not depend on the models.
const INTERFACE: &str = include_str!("openapi.json");

/// The number of terms in an example, if the model has as many.
const EXAMPLE_TERMS: usize = 3;

/// The document.
pub async fn json(extract::State(state): extract::State<State>) -> Result<Response, ApiError> {
    Ok(spawn_blocking(move || Json(document(&state)).into_response()).await?)
}

/// The document for these models.
pub fn document(state: &State) -> Value {
    let mut document: Value = serde_json::from_str(INTERFACE).expect("the file is JSON");
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let names: Vec<&str> = state.models().map(|model| model.name()).collect();
    document["components"]["parameters"]["name"]["schema"]["enum"] = names.clone().into();
    document["components"]["parameters"]["name"]["example"] = names.first().copied().into();
    for action in ["explain", "infer"] {
        let post = &mut document["paths"][format!("/v2/models/{{name}}/{action}")]["post"];
        post["requestBody"]["content"]["application/json"]["examples"] = examples(state, action);
    }
    document
}

/// A request to each model, under the model's name.
fn examples(state: &State, action: &str) -> Value {
    let mut all = Map::new();
    for model in state.models() {
        let mut plain = sample(model);
        if action == "explain" {
            plain["k"] = model.model().k().min(EXAMPLE_TERMS).into();
        }
        all.insert(model.name().into(), json!({ "value": plain }));
    }
    Value::Object(all)
}

/// A sample as a person would write it: one kept in the model's folder, or else a made-up one.
fn sample(model: &ServedModel) -> Value {
    let examples = model.examples();
    match examples.iter().find(|example| example.typical).or(examples.first()) {
        Some(example) => json!(example.input),
        None => model.form().example(model.model()),
    }
}
