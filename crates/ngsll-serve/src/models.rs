//! `/v2/models/{name}`, and `/infer` and `/explain` below it.

use super::body::Body;
use super::classes;
use super::error::ApiError;
use super::oip::{answer, inputs_of, outputs_of};
use super::queue::Order;
use super::request::Asked;
use super::state::{Model, State};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::response::{IntoResponse, Response};
use ngsll::Explanation;
use ngsll::explanation::Prediction;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The names of all models.
pub async fn names(extract::State(state): extract::State<State>) -> Json<Value> {
    let names: Vec<&str> = state.models().map(|model| model.name()).collect();
    Json(json!({ "models": names }))
}

/// What a model reads and what it answers.
pub async fn metadata(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, ApiError> {
    let Path(name) = name?;
    let predictor = state.model(&name)?.predictor();
    Ok(Json(json!({
        "name": name,
        "platform": "ngsll",
        "inputs": inputs_of(predictor.representation()),
        "outputs": outputs_of(predictor.objective()),
        "parameters": { "k": predictor.k() },
        "classes": predictor.objective().classes(),
    })))
}

/// Whether a model can be asked: as soon as it is there.
pub async fn ready(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, ApiError> {
    let Path(name) = name?;
    state.model(&name)?;
    Ok(Json(json!({ "name": name, "ready": true })))
}

/// Predicts samples.
pub async fn infer(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Response, ApiError> {
    let model = Arc::clone(state.model(&name?)?);
    let read = move |body: Body| {
        let (json, binary) = body.unpack()?;
        let Asked { samples, k, classes, id, notes, tensors } =
            Asked::read(&model, &json, &binary)?;
        let predictor = model.predictor();
        let k = predictor.check_k(k)?;
        if classes.is_some() {
            return Err(ApiError::bad(
                "\"classes\" choose what is explained, ask /explain for that",
            ));
        }
        tensors.iter().try_for_each(|wanted| answer::check(predictor.objective(), wanted))?;
        let own = Arc::clone(&model);
        let write = move |explanations: Vec<Explanation>| match tensors {
            Some(wanted) => {
                let model = (own.name(), own.predictor().objective());
                answer::write(model, &explanations, &wanted, id, &notes)
            }
            None => {
                let predictions: Vec<&Prediction> =
                    explanations.iter().map(|explanation| &explanation.prediction).collect();
                plain(&own, id, k, notes, Found { predictions })
            }
        };
        Ok(Order { model, k, samples, write: Box::new(write) })
    };
    state.queue().answer(body, read).await
}

/// Predicts samples and explains the predictions.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Response, ApiError> {
    let model = Arc::clone(state.model(&name?)?);
    let read = move |body: Body| {
        let (json, binary) = body.unpack()?;
        let Asked { samples, k, classes: chosen, id, notes, tensors } =
            Asked::read(&model, &json, &binary)?;
        let k = model.predictor().check_k(k)?;
        if tensors.is_some_and(|wanted| wanted.outputs.is_some()) {
            return Err(ApiError::bad("\"outputs\" choose tensors, explanations have none"));
        }
        let objective = model.predictor().objective();
        chosen.iter().try_for_each(|chosen| classes::check(objective, chosen))?;
        let own = Arc::clone(&model);
        let write = move |mut explanations: Vec<Explanation>| {
            if let Some(chosen) = &chosen {
                let objective = own.predictor().objective();
                explanations.iter_mut().for_each(|e| classes::choose(e, objective, chosen));
            }
            plain(&own, id, k, notes, Explained { explanations })
        };
        Ok(Order { model, k, samples, write: Box::new(write) })
    };
    state.queue().answer(body, read).await
}

#[derive(Serialize)]
struct Found<'a> {
    predictions: Vec<&'a Prediction>,
}

#[derive(Serialize)]
struct Explained {
    explanations: Vec<Explanation>,
}

/// An answer as plain JSON.
fn plain(
    model: &Model,
    id: Option<String>,
    k: usize,
    notes: Vec<String>,
    found: impl Serialize,
) -> Response {
    #[derive(Serialize)]
    struct Plain<'a, T> {
        model_name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        k: usize,
        #[serde(flatten)]
        found: T,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    }
    Json(Plain { model_name: model.name(), id, k, found, notes }).into_response()
}
