//! `/v2/models/{name}`, and `/trust`, `/infer` and `/explain` below it.

use super::body::Body;
use super::classes;
use super::error::ApiError;
use super::oip::outputs;
use super::queue::{Query, QueuedRequest};
use super::request::InferRequest;
use super::state::{ServedModel, State};
use super::submit::{ModelName, submit};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{self, Path};
use axum::response::{IntoResponse, Response};
use ngsll::{Explanation, Prediction};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The names of all models.
pub async fn names(extract::State(state): extract::State<State>) -> Json<Value> {
    let names: Vec<&str> = state.models().map(|model| model.name()).collect();
    Json(json!({ "models": names }))
}

/// A model's inputs and outputs.
pub async fn metadata(
    extract::State(state): extract::State<State>,
    name: ModelName,
) -> Result<Json<Value>, ApiError> {
    let Path(name) = name?;
    let served = state.model(&name)?;
    let model = served.model();
    Ok(Json(json!({
        "name": name,
        "platform": "ngsll",
        "inputs": served.form().tensors(),
        "outputs": outputs::specs(model.objective()),
        "parameters": {
            "k": model.k(),
            "largest_k": model.largest_k(),
            "evidence": model.evidence(),
        },
        "classes": model.objective().classes(),
    })))
}

/// Whether a model is ready: always, once it is loaded.
pub async fn ready(
    extract::State(state): extract::State<State>,
    name: ModelName,
) -> Result<Json<Value>, ApiError> {
    let Path(name) = name?;
    state.model(&name)?;
    Ok(Json(json!({ "name": name, "ready": true })))
}

/// Figures measured of a model's terms, for each K that was measured.
pub async fn trust(
    extract::State(state): extract::State<State>,
    name: ModelName,
) -> Result<Json<Value>, ApiError> {
    let Path(name) = name?;
    let model = state.model(&name)?.model();
    let (judge, measured) = (model.judge().is_some(), model.trust());
    Ok(Json(json!({ "model_name": name, "judge": judge, "measured": measured })))
}

/// Predicts samples.
pub async fn infer(
    extract::State(state): extract::State<State>,
    name: ModelName,
    body: Body,
) -> Result<Response, ApiError> {
    let read = |model: Arc<ServedModel>, json: Bytes, binary: Bytes| {
        let InferRequest { samples, k, classes, id, notes, tensors } =
            InferRequest::read(&model, &json, &binary)?;
        if classes.is_some() {
            return Err(ApiError::bad(
                "\"classes\" chooses what is explained; ask /explain for that",
            ));
        }
        let objective = model.model().objective();
        tensors.iter().try_for_each(|requested| outputs::check(objective, requested))?;
        let respond = move |query: &Query, scores: Vec<Vec<f64>>| {
            let (name, objective) = (query.model.name(), query.model.model().objective());
            if let Some(requested) = tensors {
                return outputs::write((name, objective), &scores, &requested, id, &notes);
            }
            let predictions = scores.iter().map(|scores| objective.prediction(scores)).collect();
            plain(query, id, notes, Predictions { predictions })
        };
        Ok(QueuedRequest::predict(Query { model, k, samples }, respond))
    };
    submit(&state, name, body, read).await
}

/// Predicts samples and explains the predictions.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: ModelName,
    body: Body,
) -> Result<Response, ApiError> {
    let read = |model: Arc<ServedModel>, json: Bytes, binary: Bytes| {
        let InferRequest { samples, k, classes: chosen, id, notes, tensors } =
            InferRequest::read(&model, &json, &binary)?;
        if tensors.is_some_and(|requested| requested.outputs.is_some()) {
            return Err(ApiError::bad(
                "\"outputs\" chooses tensors, which explanations do not have",
            ));
        }
        let objective = model.model().objective();
        chosen.iter().try_for_each(|chosen| classes::check(objective, chosen))?;
        let respond = move |query: &Query, mut explanations: Vec<Explanation>| {
            if let Some(chosen) = &chosen {
                let objective = query.model.model().objective();
                explanations.iter_mut().for_each(|e| classes::choose(e, objective, chosen));
            }
            plain(query, id, notes, Explanations { explanations })
        };
        Ok(QueuedRequest::explain(Query { model, k, samples }, respond))
    };
    submit(&state, name, body, read).await
}

#[derive(Serialize)]
struct Predictions {
    predictions: Vec<Prediction>,
}

#[derive(Serialize)]
struct Explanations {
    explanations: Vec<Explanation>,
}

/// A response in plain JSON.
fn plain(
    query: &Query,
    id: Option<String>,
    notes: Vec<String>,
    results: impl Serialize,
) -> Response {
    #[derive(Serialize)]
    struct PlainResponse<'a, T> {
        model_name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        k: usize,
        #[serde(flatten)]
        results: T,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    }
    let model_name = query.model.name();
    Json(PlainResponse { model_name, id, k: query.k, results, notes }).into_response()
}
