//! What the page shows of one sample.

use crate::cases::subject;
use crate::serve::body::{Body, aside};
use crate::serve::classes;
use crate::serve::error::ApiError;
use crate::serve::input::Plain;
use crate::serve::state::{Model, State};
use crate::view::{Case, Fragments, fragments};
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{self, Path};
use axum::response::{IntoResponse, Response};
use ngsll::Explanation;
use ngsll::data::Samples;
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
struct Answer {
    model: String,
    k: usize,
    explanation: Explanation,
    #[serde(flatten)]
    fragments: Fragments,
}

/// Explains and draws one sample.
pub async fn explain(
    extract::State(state): extract::State<State>,
    name: Result<Path<String>, PathRejection>,
    body: Body,
) -> Result<Response, ApiError> {
    let Path(name) = name?;
    let model = Arc::clone(state.model(&name)?);
    let own = Arc::clone(&model);
    let read = body.with(move |json, _| {
        let asked: Asked = serde_json::from_slice(json)
            .map_err(|error| ApiError::bad(format!("the state is not understood: {error}")))?;
        let k = own.predictor().check_k(asked.k)?;
        let original = asked.original.map(|original| one(original, &own)).transpose()?;
        Ok((one(asked.sample, &own)?, original, k, asked.label))
    });
    let (sample, original, k, label) = read.await?;
    // Both at once, so that they go through the network together.
    let before = async {
        match original {
            Some(original) => explained(&model, original, k).await.map(Some),
            None => Ok(None),
        }
    };
    let (now, before) = tokio::try_join!(explained(&model, sample, k), before)?;
    let drawn = aside(move || {
        let predictor = model.predictor();
        let objective = predictor.objective();
        let explanation = now.1.clone();
        let case = |(samples, mut explanation): (Samples, Explanation), truth| {
            classes::each(&mut explanation, objective);
            Case {
                row: 0,
                file: None,
                subject: subject(predictor, &samples, 0),
                truth,
                explanation,
            }
        };
        let (now, before) = (case(now, label), before.map(|before| case(before, None)));
        let fragments = fragments(&now, before.as_ref(), objective.classes());
        Json(Answer { model: name, k, explanation, fragments }).into_response()
    });
    Ok(drawn.await)
}

/// The one sample of a form.
fn one(plain: Plain, model: &Model) -> Result<Samples, ApiError> {
    let samples = plain.samples(model)?;
    match samples.len() {
        1 => Ok(samples),
        n => Err(ApiError::bad(format!("{n} samples, the page shows one at a time"))),
    }
}

/// A sample with its explanation.
async fn explained(
    model: &Arc<Model>,
    sample: Samples,
    k: usize,
) -> Result<(Samples, Explanation), ApiError> {
    let explanations = model.explain(sample.clone(), Some(k)).await?;
    let explanation = explanations.into_iter().next().ok_or_else(ApiError::internal)?;
    Ok((sample, explanation))
}
