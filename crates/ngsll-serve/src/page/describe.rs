//! The description of the models for the page.

use crate::error::ApiError;
use crate::samples::PageInput;
use crate::state::{ServedModel, State};
use axum::Json;
use axum::extract;
use axum::response::{IntoResponse, Response};
use ngsll::Evidence;
use ngsll::config::Task;
use ngsll::examples::Example;
use ngsll::objective::Objective;
use serde::Serialize;
use serde_json::json;
use tokio::task::spawn_blocking;

/// The slider's maximum unless the model has a smaller bound: more terms are not readable.
const SLIDER: usize = 20;

/// A model as the page sees it.
#[derive(Serialize)]
struct PageModel<'a> {
    name: &'a str,
    task: Task,
    k: usize,
    /// The end of the slider.
    most_k: usize,
    evidence: Evidence,
    /// Empty in regression.
    classes: &'a [String],
    /// The target's name, in regression.
    target: Option<&'a str>,
    /// The number of features to choose from.
    features: usize,
    #[serde(flatten)]
    input: PageInput<'a>,
    examples: &'a [Example],
}

/// All models.
pub async fn models(extract::State(state): extract::State<State>) -> Result<Response, ApiError> {
    let write = move || {
        let models: Vec<PageModel> = state.models().map(|model| describe(model)).collect();
        Json(json!({ "models": models })).into_response()
    };
    Ok(spawn_blocking(write).await?)
}

fn describe(served: &ServedModel) -> PageModel<'_> {
    let model = served.model();
    let objective = model.objective();
    PageModel {
        name: served.name(),
        task: model.config().task,
        k: model.k(),
        most_k: model.largest_k().min(SLIDER).max(model.k()),
        evidence: model.evidence(),
        classes: objective.classes(),
        target: match objective {
            Objective::Regression { target, .. } => Some(target),
            _ => None,
        },
        features: model.representation().features(),
        input: served.form().page_input(),
        examples: served.examples(),
    }
}
