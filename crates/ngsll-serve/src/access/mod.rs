//! Access control, rate limiting and logging: the needs of a server on a network.
//!
//! `token` is the password, `rate` limits the requests of a client, `log` writes lines about requests, `tls` encrypts.
//! [`admit`] is the first function that every request of a connection passes.

mod log;
mod rate;
mod tls;
mod token;

pub use log::AccessLog;
pub use rate::Rate;
pub use tls::Tls;
pub use token::Token;

use super::body::drain;
use super::client::Client;
use super::error::ApiError;
use super::host;
use super::state::State;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use log::Entry;
use prometheus::IntCounter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The header with the id of a request; a client may set it.
const REQUEST_ID: &str = "x-request-id";
/// The longest id.
const LONGEST_ID: usize = 128;
/// Health-check routes.
const HEALTH: [&str; 3] = ["/healthz", "/v2/health/live", "/v2/health/ready"];

/// Access control, rate limiting and logging; by default requests need no token, have no limit and are not logged.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Access {
    /// The password.
    pub token: Option<Token>,
    /// The rate limit of each client.
    pub rate: Option<Rate>,
    /// The destination of a line about every request.
    pub log: Option<AccessLog>,
    /// Certificate and key; without them connections are not encrypted.
    pub tls: Option<Tls>,
}

/// State shared by all connections of a server.
pub(crate) struct AccessState {
    access: Access,
    /// On a loopback address only requests to names of this machine are answered.
    local: bool,
    stopping: AtomicBool,
    requests: AtomicU64,
    /// Distinguishes the ids that this server assigns from those of another.
    run: u64,
}

impl AccessState {
    pub fn new(access: Access, local: bool) -> Self {
        use std::hash::{BuildHasher, Hasher, RandomState};
        // Randomly keyed, by the system.
        let run = RandomState::new().build_hasher().finish();
        Self { access, local, stopping: AtomicBool::new(false), requests: AtomicU64::new(0), run }
    }

    pub fn tls(&self) -> Option<&Tls> {
        self.access.tls.as_ref()
    }

    /// The number of dropped lines of the log.
    pub fn dropped_lines(&self) -> Option<&IntCounter> {
        self.access.log.as_ref().map(AccessLog::dropped)
    }

    /// Writes the last lines of the log.
    pub fn finish(&self) {
        if let Some(log) = &self.access.log {
            log.finish();
        }
    }

    /// Makes every response from now on the last of its connection.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    fn check(&self, request: &Request, client: &Client) -> Result<(), ApiError> {
        host::one_name(request)?;
        if self.local {
            host::local(request.headers())?;
        }
        // Health checks need no token and are not rate-limited: a refused check could restart the server. They often
        // share the address of busy clients, that of a proxy.
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        if reads && HEALTH.contains(&request.uri().path()) {
            return Ok(());
        }
        if let Some(rate) = &self.access.rate {
            rate.check(client)?;
        }
        self.access.token.as_ref().map_or(Ok(()), |token| token.check(request.headers()))
    }

    /// The id that the client gave its request, or a new one.
    fn id(&self, headers: &HeaderMap) -> HeaderValue {
        let is_plain = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=LONGEST_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
        };
        headers.get(REQUEST_ID).filter(is_plain).cloned().unwrap_or_else(|| {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            let name = format!("{:08x}-{number}", self.run as u32);
            HeaderValue::from_str(&name).expect("digits and a dash")
        })
    }
}

/// Admits a request or refuses it, and writes a line about it.
pub(crate) async fn admit(
    extract::State((access_state, state)): extract::State<(Arc<AccessState>, State)>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let client = Client::of(&request, state.limits());
    let id = access_state.id(request.headers());
    let entry = access_state.access.log.as_ref().map(|_| Entry::new(&request, &client, &id));
    let mut response = match access_state.check(&request, &client) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            drain(request).await;
            let is_unknown = error.status() == StatusCode::UNAUTHORIZED;
            let mut response = error.into_response();
            if is_unknown {
                // This header makes browsers prompt for a password and send it with every request of the page.
                let kinds = HeaderValue::from_static("Basic realm=\"ngsll\", Bearer");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, kinds);
            }
            response
        }
    };
    response.headers_mut().insert(REQUEST_ID, id);
    if access_state.stopping.load(Ordering::SeqCst) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if let (Some(log), Some(entry)) = (&access_state.access.log, entry) {
        log.write(&entry, response.status(), start.elapsed());
    }
    response
}

#[cfg(test)]
mod tests;
