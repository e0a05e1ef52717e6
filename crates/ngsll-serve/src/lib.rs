//! A server for models: a web page, plain JSON and the Open Inference Protocol over HTTP.
//!
//! [`app`] is the server without a socket, a router for a [`State`] of loaded models; a [`Server`] listens on an
//! address until its [`StopHandle`] stops it.
//!
//! ```
//! use ngsll::{Dataset, Ngsll};
//! use ngsll_serve::axum::body::{Body, to_bytes};
//! use ngsll_serve::axum::http::Request;
//! use ngsll_serve::{Limits, State, app};
//! use std::collections::BTreeMap;
//! use tower::ServiceExt;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let texts = (0..200).map(|i| ["a good film", "a bad film"][i % 2]);
//! let labels = (0..200).map(|i| ["praise", "blame"][i % 2]);
//! let model = Ngsll::text().terms(1).seed(7).epochs(10).fit(&Dataset::texts(texts, labels)?)?;
//! let state = State::new(BTreeMap::from([("reviews".to_string(), model)]), Limits::default())?;
//!
//! let request = Request::post("/v2/models/reviews/explain").body(Body::from(r#"{"text": "good"}"#))?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let response = app(state).oneshot(request).await?;
//! let answer: serde_json::Value =
//!     serde_json::from_slice(&to_bytes(response.into_body(), usize::MAX).await?)?;
//! let explanation = &answer["explanations"][0];
//! assert_eq!(explanation["prediction"]["class"]["label"], "praise");
//! assert_eq!(explanation["outputs"][0]["terms"][0]["name"], "good");
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! # Life of a request
//! `listen` (connections) → `access` (authorisation, logging) → `guard` (number and time limit) → `app` (routes) → `body` (its bytes) → `submit`, which
//! puts it into the `queue`, whose threads do the rest: `request` (parsing either form; `samples` handles the kinds of
//! sample, `oip` tensors), the networks, and `models` or `page` (the response).
//!
//! # Where the bounds are
//! [`Limits`] are configured when a server is started; the others are constants where they apply.
//!
//! | bound | value | beyond it | where |
//! |---|---|---|---|
//! | time for a request | 30 s | 503 | [`Limits::request`] |
//! | time for a body to arrive | 20 s | 408 | [`Limits::arrival`] |
//! | open connections | 512 | 503 | [`Limits::connections`] |
//! | connections of one address | a quarter of them | 429 | [`Limits::client_share`] |
//! | threads that compute | the cores | requests wait | [`Limits::threads`] |
//! | refused connections that are answered | 64 | closed | `MAX_REFUSALS`, `listen.rs` |
//! | requests per second from one address | unlimited, or by [`Rate`] | 429 | `access/rate.rs` |
//! | time for headers | 10 s | closed | `HEADER_TIMEOUT`, `listen.rs` |
//! | bytes of headers | 64 KiB | 431 | `CONNECTION_BUFFER`, `listen.rs` |
//! | time for a client to read its response | 30 s | closed | `WRITE_TIMEOUT`, `listen.rs` |
//! | requests with a body in flight | 256 | 503 | `MAX_IN_FLIGHT`, `guard.rs` |
//! | the same for one address, and its waiting bodies, large requests and large responses | a quarter of the bound for all | 429 | [`Limits::client_share`] |
//! | a body, also unpacked | 2 MiB | 413 | `MAX_BODY_BYTES`, `body.rs` |
//! | a refused body that is still read | 8 MiB, 2 s | closed | `MAX_DRAINED_BYTES`, `DRAIN_TIMEOUT`, `body.rs` |
//! | nesting of JSON | 32 | 400 | `MAX_DEPTH`, `json.rs` |
//! | samples of a request | 1024 | 400 | `MAX_SAMPLES`, `samples/mod.rs` |
//! | a text | 64 KiB | 400 | `MAX_TEXT_BYTES`, `samples/text.rs` |
//! | images of a request that have another size than the model's | 16 Mi pixels | 400 | `MAX_PIXELS`, `samples/image.rs` |
//! | bodies waiting to be read | 32 MiB | 503 | `MAX_UNREAD_BYTES`, `queue/mod.rs` |
//! | large requests waiting to be computed | 32, 256 MiB | 503 | `MAX_LARGE_REQUESTS`, `MAX_LARGE_BYTES`, `queue/mod.rs` |
//! | samples of a pass | 16, of a large request 64 | next pass | `BATCH_SAMPLES`, `PIECE_SAMPLES`, `queue/mod.rs` |
//! | large responses waiting for their clients | 256 MiB | 503 | `MAX_RESPONSE_BYTES`, `response_budget.rs` |
//! | an error's message | 1000 characters | cut off | `MAX_MESSAGE_CHARS`, `error.rs` |
//!
//! A 503 has the header `Retry-After`, and every error is JSON: `{"error": "…"}`.

mod access;
mod app;
mod body;
mod classes;
mod client;
mod docs;
mod error;
mod guard;
mod health;
mod host;
mod json;
mod limits;
mod listen;
mod memory;
mod metrics;
mod models;
mod oip;
mod openapi;
mod page;
mod queue;
mod request;
mod response_budget;
mod samples;
mod server;
mod start_error;
mod state;
mod submit;
#[cfg(test)]
mod tests;
mod write_timeout;

pub use access::{Access, AccessLog, Rate, Tls, Token};
pub use app::app;
/// The router of [`app`], and its requests and responses.
pub use axum;
pub use limits::Limits;
pub use server::{Server, StopHandle};
pub use start_error::StartError;
pub use state::State;
