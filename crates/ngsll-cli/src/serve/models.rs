//! `/v2/models/{name}`, and `/infer` and `/explain` below it.

use super::body::{Body, aside};
use super::classes;
use super::error::ApiError;
use super::oip::{answer, inputs_of, outputs_of};
use super::request::Asked;
use super::state::{Model, State};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::response::{IntoResponse, Response};
use ngsll::explanation::Prediction;
use ngsll::{Explanation, Predictor};
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
    let asked = read(&model, body, |predictor, asked| {
        if asked.classes.is_some() {
            return Err(ApiError::bad(
                "\"classes\" choose what is explained, ask /explain for that",
            ));
        }
        asked.tensors.iter().try_for_each(|wanted| answer::check(predictor.objective(), wanted))
    })
    .await?;
    let explanations = model.explain(asked.samples, asked.k).await?;
    Ok(aside(move || match asked.tensors {
        Some(wanted) => {
            let model = (model.name(), model.predictor().objective());
            answer::write(model, &explanations, &wanted, asked.id, &asked.notes)
        }
        None => {
            let predictions: Vec<&Prediction> =
                explanations.iter().map(|explanation| &explanation.prediction).collect();
            plain(&model, asked.id, asked.k, asked.notes, Found { predictions })
        }
    })
    .await)
}

/// Predicts samples and explains the predictions.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Response, ApiError> {
    let model = Arc::clone(state.model(&name?)?);
    let asked = read(&model, body, |predictor, asked| {
        if asked.tensors.as_ref().is_some_and(|wanted| wanted.outputs.is_some()) {
            return Err(ApiError::bad("\"outputs\" choose tensors, explanations have none"));
        }
        asked.classes.iter().try_for_each(|chosen| classes::check(predictor.objective(), chosen))
    })
    .await?;
    let mut explanations = model.explain(asked.samples, asked.k).await?;
    Ok(aside(move || {
        if let Some(chosen) = &asked.classes {
            let objective = model.predictor().objective();
            explanations.iter_mut().for_each(|e| classes::choose(e, objective, chosen));
        }
        plain(&model, asked.id, asked.k, asked.notes, Explained { explanations })
    })
    .await)
}

/// Reads a request and checks all that can be checked before it is queued.
async fn read(
    model: &Arc<Model>,
    body: Body,
    check: impl FnOnce(&Predictor, &Asked) -> Result<(), ApiError> + Send + 'static,
) -> Result<Asked, ApiError> {
    let model = Arc::clone(model);
    body.with(move |json, binary| {
        let asked = Asked::read(&model, json, binary)?;
        model.predictor().check_k(asked.k)?;
        check(model.predictor(), &asked)?;
        Ok(asked)
    })
    .await
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
    k: Option<usize>,
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
    let k = k.unwrap_or(model.predictor().k());
    Json(Plain { model_name: model.name(), id, k, found, notes }).into_response()
}
