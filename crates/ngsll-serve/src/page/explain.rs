//! The page's view of one sample.

use crate::body::Body;
use crate::classes;
use crate::error::ApiError;
use crate::queue::{Query, QueuedRequest};
use crate::samples::JsonSamples;
use crate::state::{ServedModel, State};
use crate::submit::{ModelName, submit};
use axum::Json;
use axum::body::Bytes;
use axum::extract;
use axum::response::{IntoResponse, Response};
use ngsll::error::from_json;
use ngsll::{Explanation, Samples};
use ngsll_view::{ExplainedSample, Fragments, Measured, fragments};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The state of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageState {
    sample: JsonSamples,
    /// The row that a changed one is compared with.
    original: Option<JsonSamples>,
    /// Terms of each score, up to the model's largest K.
    k: Option<usize>,
    /// The known answer, for a sample that is one of the examples.
    label: Option<String>,
}

/// The explanation, and its rendering.
#[derive(Serialize)]
struct PageAnswer<'a> {
    model: &'a str,
    k: usize,
    explanation: &'a Explanation,
    #[serde(flatten)]
    fragments: Fragments,
}

/// Explains and draws one sample.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: ModelName,
    body: Body,
) -> Result<Response, ApiError> {
    let read = |model: Arc<ServedModel>, json: Bytes, _| {
        let PageState { sample, original, k, label } = from_json(&json)
            .map_err(|error| ApiError::bad(format!("the state cannot be read: {error}")))?;
        let k = model.model().check_k(k)?;
        let sample = one(sample, &model)?;
        let original = original.map(|original| one(original, &model)).transpose()?;
        // Both go through the network together.
        let samples = Samples::join(std::iter::once(&sample).chain(&original));
        let samples = samples.ok_or_else(ApiError::internal)?;
        let respond = move |query: &Query, explanations| draw(query, explanations, label);
        Ok(QueuedRequest::explain(Query { model, k, samples }, respond))
    };
    submit(&state, name, body, read).await
}

/// Draws the first sample, compared with the second if there is one.
fn draw(query: &Query, explanations: Vec<Explanation>, label: Option<String>) -> Response {
    let model = query.model.model();
    let objective = model.objective();
    let mut truth = label;
    let explained = explanations.into_iter().enumerate().map(|(row, mut explanation)| {
        classes::each(&mut explanation, objective);
        let view = model.view(&query.samples, row)?;
        let mut sample = ExplainedSample::of_view(view, model.evidence(), explanation);
        sample.truth = truth.take();
        Some(sample)
    });
    let Some(explained) = explained.collect::<Option<Vec<ExplainedSample>>>() else {
        return ApiError::internal().into_response();
    };
    let measured = Measured::of(model, query.k, "MODEL");
    let fragments = fragments(&explained[0], explained.get(1), objective.classes(), &measured);
    let (model, k, explanation) = (query.model.name(), query.k, &explained[0].explanation);
    Json(PageAnswer { model, k, explanation, fragments }).into_response()
}

/// The one sample of the page.
fn one(sample: JsonSamples, model: &ServedModel) -> Result<Samples, ApiError> {
    let samples = sample.read(model)?.samples;
    match samples.len() {
        1 => Ok(samples),
        n => Err(ApiError::bad(format!("{n} samples, but the page shows one at a time"))),
    }
}
