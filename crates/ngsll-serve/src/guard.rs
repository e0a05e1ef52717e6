//! What holds for every request: it is counted, it ends in time, and a panic is an answer.

use super::answers::counted;
use super::body::discard;
use super::error::ApiError;
use super::state::State;
use axum::extract::{self, MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

/// Requests with a body that may be under way, each with up to 2 MiB.
pub const IN_FLIGHT: usize = 256;

/// Passes a request on.
pub async fn guard(
    extract::State(state): extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    // Requests without a body need no place: they say how busy the server is.
    let place = (method == Method::POST).then(|| state.places().try_acquire());
    let response = match place {
        Some(Err(_)) => {
            discard(request).await;
            Err(ApiError::busy(format!(
                "{IN_FLIGHT} requests are under way and there may not be more; try again in a second"
            )))
        }
        _ => answer(request, next, state.limits().request).await,
    };
    let mut response = response.into_response();
    if method == Method::POST {
        response = counted(response, state.answers()).await;
    }
    // What is said to be JSON is nothing else.
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    state.metrics().request(&method, route, response.status(), start.elapsed());
    response
}

async fn answer(request: Request, next: Next, limit: Duration) -> Result<Response, ApiError> {
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(limit, answer).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(_panic)) => Err(ApiError::internal()),
        Err(_) => Err(ApiError::busy(format!("there was no answer within {limit:?}"))),
    }
}
