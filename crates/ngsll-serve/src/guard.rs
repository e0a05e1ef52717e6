//! A layer around every request that reaches `app`: it is counted, it ends in time, and a panic is answered with 500.
//! Surplus connections (`listen`) and foreign names (`host`) are refused before.
//!
//! One function rather than a stack of tower-http's layers: those answer a timeout, an overload or a panic without a
//! body or as plain text, so that each would need a wrapper that makes it a JSON error with `Retry-After`, and all of
//! them must be counted, under the matched route, with the status that the client sees. `tokio::time::timeout` and
//! `catch_unwind` are what the layers are made of.

use super::body::drain;
use super::client::{Client, Share};
use super::error::ApiError;
use super::state::State;
use axum::extract::{self, MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tokio::sync::SemaphorePermit;

/// Requests with a body that may be in flight, each with up to 2 MiB.
pub const MAX_IN_FLIGHT: usize = 256;

/// Passes a request on.
pub async fn guard(
    extract::State(state): extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let client = Client::of(&request, state.limits());
    // Requests without a body need no permit: they say how busy the server is.
    let permit = (method == Method::POST).then(|| admit(&state, &client));
    let response = match permit {
        Some(Err(error)) => {
            drain(request).await;
            Err(error)
        }
        _ => respond(request, next, state.limits().request).await,
    };
    let mut response = response.into_response();
    if method == Method::POST {
        response = state.response_budget().charge(response, &client).await;
    }
    // Browsers must not guess that JSON is something else.
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    state.metrics().request(&method, route, response.status(), start.elapsed());
    response
}

/// A place among the requests in flight.
fn admit<'s>(state: &'s State, client: &Client) -> Result<(SemaphorePermit<'s>, Share), ApiError> {
    let permit = state.in_flight().try_acquire().map_err(|_| {
        ApiError::busy(format!(
            "{MAX_IN_FLIGHT} requests are in flight, which is the limit; try again in a second"
        ))
    })?;
    let share = state.in_flight_by_client().take(client, 1, MAX_IN_FLIGHT).ok_or_else(|| {
        let most = client.most(MAX_IN_FLIGHT);
        client.refused(format_args!("{most} requests are in flight"))
    })?;
    Ok((permit, share))
}

async fn respond(request: Request, next: Next, limit: Duration) -> Result<Response, ApiError> {
    let response = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(limit, response).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(_panic)) => Err(ApiError::internal()),
        Err(_) => Err(ApiError::busy(format!("there was no answer within {limit:?}"))),
    }
}
