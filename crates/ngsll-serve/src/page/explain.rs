//! What the page shows of one sample.

use crate::body::Body;
use crate::classes;
use crate::error::ApiError;
use crate::input::Plain;
use crate::json::check_depth;
use crate::queue::Order;
use crate::state::{Model, State};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::response::{IntoResponse, Response};
use ngsll::Explanation;
use ngsll::data::Samples;
use ngsll_view::{ExplainedSample, Fragments, SampleView, fragments};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The state of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    sample: Plain,
    /// The row that a changed one is to be set against.
    original: Option<Plain>,
    /// Terms of each score, up to the model's K.
    k: Option<usize>,
    /// The known answer, for a sample that is one of the examples.
    label: Option<String>,
}

/// The explanation, and how it looks.
#[derive(Serialize)]
struct Answer<'a> {
    model: &'a str,
    k: usize,
    explanation: &'a Explanation,
    #[serde(flatten)]
    fragments: Fragments,
}

/// Explains and draws one sample.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Response, ApiError> {
    let model = Arc::clone(state.model(&name?)?);
    let read = move |body: Body| {
        let (json, _) = body.unpack()?;
        check_depth(&json)?;
        let asked: Asked = serde_json::from_slice(&json)
            .map_err(|error| ApiError::bad(format!("the state is not understood: {error}")))?;
        let k = model.predictor().check_k(asked.k)?;
        let sample = one(asked.sample, &model)?;
        let original = asked.original.map(|original| one(original, &model)).transpose()?;
        // Both go through the network together.
        let samples = Samples::join(std::iter::once(&sample).chain(&original));
        let samples = samples.ok_or_else(ApiError::internal)?;
        let (own, shown) = (Arc::clone(&model), samples.clone());
        let write = move |explanations| draw(&own, k, &shown, explanations, asked.label);
        Ok(Order { model, k, samples, write: Box::new(write) })
    };
    state.queue().answer(body, read).await
}

/// The first sample, set against the second where there is one.
fn draw(
    model: &Model,
    k: usize,
    samples: &Samples,
    explanations: Vec<Explanation>,
    label: Option<String>,
) -> Response {
    let predictor = model.predictor();
    let objective = predictor.objective();
    let mut truth = label;
    let cases = explanations.into_iter().enumerate().map(|(row, mut explanation)| {
        classes::each(&mut explanation, objective);
        let view = SampleView::new(predictor, samples, row);
        ExplainedSample { row: 0, file: None, view, truth: truth.take(), explanation }
    });
    let cases: Vec<ExplainedSample> = cases.collect();
    let fragments = fragments(&cases[0], cases.get(1), objective.classes());
    let explanation = &cases[0].explanation;
    Json(Answer { model: model.name(), k, explanation, fragments }).into_response()
}

/// The one sample of a form.
fn one(plain: Plain, model: &Model) -> Result<Samples, ApiError> {
    let samples = plain.samples(model)?;
    match samples.len() {
        1 => Ok(samples),
        n => Err(ApiError::bad(format!("{n} samples, the page shows one at a time"))),
    }
}
