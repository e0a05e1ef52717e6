//! The error response of a request.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::task::JoinError;

/// The most characters of a message, which may quote any amount of text that a client sent.
const MAX_MESSAGE_CHARS: usize = 1000;

/// A status and a sentence about what was expected; sent as `{"error": "…"}`.
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

    /// 400: the server does not understand the request.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 503 with `Retry-After`: the server is busy.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// 500: a bug in the server.
    pub fn internal() -> Self {
        let message = "the server failed on this request; this is a bug in the server";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Adds its location before the message.
    pub fn at(mut self, location: impl std::fmt::Display) -> Self {
        self.message = format!("{location}: {}", self.message);
        self
    }
}

/// A part of the address that is not text.
impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        let message = format!("the address cannot be read: {}", rejection.body_text());
        Self::new(rejection.status(), message)
    }
}

/// A panic on a blocking thread.
impl From<JoinError> for ApiError {
    fn from(_: JoinError) -> Self {
        Self::internal()
    }
}

/// The library's messages about samples and settings are passed on; those about files and folders stay private.
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
