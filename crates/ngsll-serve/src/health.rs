//! The server's own state.

use super::state::State;
use axum::Json;
use axum::extract;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Value, json};

/// `/v2`
pub async fn server() -> Json<Value> {
    Json(json!({
        "name": "ngsll",
        "version": env!("CARGO_PKG_VERSION"),
        "extensions": ["binary_tensor_data"],
    }))
}

/// `/v2/health/live`
pub async fn live() -> Json<Value> {
    Json(json!({ "live": true }))
}

/// `/v2/health/ready`: models are loaded before the first connection is accepted.
pub async fn ready() -> Json<Value> {
    Json(json!({ "ready": true }))
}

/// `/healthz`
pub async fn healthz() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// `/metrics`
pub async fn metrics(extract::State(state): extract::State<State>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], state.metrics().text())
}
