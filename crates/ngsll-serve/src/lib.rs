//! A server for models: a web page, plain JSON and the Open Inference Protocol over HTTP.
//!
//! [`app`] is the server without a socket, a router for a [`State`] of loaded models; a [`Server`]
//! listens on an address until its [`StopHandle`] stops it.
//!
//! A request's way: `listen` (connections) → `guard` (counted, in time) → `app` (addresses) → `body` (its bytes) →
//! `queue`, whose threads do the rest: `request` (either form, by `input` or `oip`), the networks, `models` (the answer).

mod answers;
mod app;
mod aside;
mod body;
mod classes;
mod docs;
mod error;
mod guard;
mod health;
mod host;
mod input;
mod json;
mod listen;
mod metrics;
mod models;
mod oip;
mod openapi;
mod page;
mod queue;
mod request;
mod server;
mod state;
#[cfg(test)]
mod tests;
mod timed;

pub use app::app;
pub use axum::Router;
pub use server::{Options, Server, StopHandle};
pub use state::{Limits, LoadedModel, State};
