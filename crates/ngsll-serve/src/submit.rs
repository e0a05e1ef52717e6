//! The path of every request to a model: the model is found by its name, the body is queued, and a thread of the queue
//! reads and answers it.

use super::body::Body;
use super::error::ApiError;
use super::json::check_depth;
use super::queue::QueuedRequest;
use super::state::{ServedModel, State};
use axum::body::Bytes;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use std::sync::Arc;

/// A model's name in an address, if it is text.
pub type ModelName = Result<Path<String>, PathRejection>;

/// Queues a body for the model of this name; `read` makes a request of its JSON and the binary data behind it.
pub async fn submit(
    state: &State,
    name: ModelName,
    body: Body,
    read: impl FnOnce(Arc<ServedModel>, Bytes, Bytes) -> Result<QueuedRequest, ApiError>
    + Send
    + 'static,
) -> Result<Response, ApiError> {
    let model = Arc::clone(state.model(&name?)?);
    let read = move |body: Body| {
        let (json, binary) = body.unpack()?;
        check_depth(&json)?;
        read(model, json, binary)
    };
    state.queue().answer(body, read).await
}
