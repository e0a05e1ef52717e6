//! All routes of the server.

use super::body::drain;
use super::error::ApiError;
use super::state::State;
use super::{docs, guard, health, models, openapi, page};
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

/// The server without a socket: every route, with the layers around all requests.
pub fn app(state: State) -> Router {
    Router::new()
        .route("/v2", get(health::server))
        .route("/v2/health/live", get(health::live))
        .route("/v2/health/ready", get(health::ready))
        .route("/v2/models", get(models::names))
        .route("/v2/models/{name}", get(models::metadata))
        .route("/v2/models/{name}/ready", get(models::ready))
        .route("/v2/models/{name}/trust", get(models::trust))
        .route("/v2/models/{name}/infer", post(models::infer))
        .route("/v2/models/{name}/explain", post(models::explain))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::json))
        .route("/docs", get(docs::page))
        .merge(page::router())
        .fallback(not_found)
        .method_not_allowed_fallback(not_allowed)
        .layer(from_fn_with_state(state.clone(), guard::guard))
        .with_state(state)
}

async fn not_found(uri: Uri, request: Request) -> ApiError {
    drain(request).await;
    let message = format!("there is nothing at {}; /docs lists all addresses", uri.path());
    ApiError::new(StatusCode::NOT_FOUND, message)
}

/// The header `Allow` lists the methods that are allowed.
async fn not_allowed(method: Method, uri: Uri, request: Request) -> ApiError {
    drain(request).await;
    let message = format!("{method} is not allowed at {}; see /docs", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
