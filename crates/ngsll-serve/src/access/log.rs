//! A line of JSON about every request.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use serde_json::json;
use std::fmt;
use std::io::Write;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Characters of an address that are written.
const LONGEST_PATH: usize = 512;

/// Where the lines go. A line that cannot be written is lost; requests are answered all the same.
pub struct AccessLog(Mutex<Box<dyn Write + Send>>);

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessLog")
    }
}

/// What is known of a request when it comes. Neither what it holds nor its token is written.
pub(super) struct Entry {
    id: String,
    client: IpAddr,
    method: String,
    path: String,
}

impl Entry {
    pub fn new(request: &Request, client: IpAddr, id: &HeaderValue) -> Self {
        Self {
            id: id.to_str().unwrap_or_default().to_string(),
            client,
            method: request.method().as_str().chars().take(32).collect(),
            path: request.uri().path().chars().take(LONGEST_PATH).collect(),
        }
    }
}

impl AccessLog {
    /// Writes lines to `out`.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Box::new(out)))
    }

    pub(super) fn write(&self, entry: &Entry, status: StatusCode, took: Duration) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = json!({
            "time": (time.as_secs_f64() * 1e3).round() / 1e3,
            "id": entry.id,
            "client": entry.client.to_string(),
            "method": entry.method,
            "path": entry.path,
            "status": status.as_u16(),
            "seconds": (took.as_secs_f64() * 1e6).round() / 1e6,
        });
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}
