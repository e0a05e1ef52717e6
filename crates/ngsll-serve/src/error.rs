//! The error that a request is answered with.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::task::JoinError;

/// Characters of a message: it may quote what a client sent, however much that is.
const MAX_MESSAGE_CHARS: usize = 1000;

/// A status and a sentence that says what was expected; answered as `{"error": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    message: String,
}

impl ApiError {
    /// An error of any kind.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// 400: the request is not one that this server understands.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 503 with `Retry-After`: too much to do just now.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// 500: a bug in the server.
    pub fn internal() -> Self {
        let message = "the server failed on this request; this is a bug in the server";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The status that it is answered with.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The same error, with where it is before its message.
    pub fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

/// A part of the address that is not text.
impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        let message = format!("the address is not understood: {}", rejection.body_text());
        Self::new(rejection.status(), message)
    }
}

/// A panic on a blocking thread.
impl From<JoinError> for ApiError {
    fn from(_: JoinError) -> Self {
        Self::internal()
    }
}

/// What the library says about a sample or a setting is for the client; a file or a folder is none of its business.
impl From<ngsll::Error> for ApiError {
    fn from(error: ngsll::Error) -> Self {
        use ngsll::Error::{Data, NotFinite, Setting};
        match error {
            Data { .. } | NotFinite { .. } | Setting { .. } => Self::bad(error.to_string()),
            _ => Self::internal(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut message: String = self.message.chars().take(MAX_MESSAGE_CHARS).collect();
        if message.len() < self.message.len() {
            message += " …";
        }
        let body = Json(json!({ "error": message }));
        let mut response = (self.status, body).into_response();
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
