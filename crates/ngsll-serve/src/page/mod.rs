//! The web page at `/`.
//!
//! Its script handles input only: it sends the state here and receives what [`ngsll_view`] draws, so
//! that page and report cannot disagree.

mod assets;
mod describe;
mod explain;

use super::state::State;
use axum::Router;
use axum::routing::{get, post};

/// The page, its assets, and the routes of its script.
pub fn router() -> Router<State> {
    Router::new()
        .route("/", get(assets::page))
        .route("/page/assets/{file}", get(assets::asset))
        .route("/page/models", get(describe::models))
        .route("/page/models/{name}", post(explain::explain))
}

#[cfg(test)]
mod tests;
