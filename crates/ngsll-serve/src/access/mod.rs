//! Who may ask, how often, and what is written about it: what a server on a network needs.
//!
//! `token` is the password, `rate` how often a client may ask, `log` the lines about requests, `tls` the encryption.
//! [`enter`] is what every request of a connection passes first.

mod log;
mod rate;
mod tls;
mod token;

pub use log::AccessLog;
pub use rate::Rate;
pub use tls::Tls;
pub use token::Token;

use super::body::drain;
use super::error::ApiError;
use super::host;
use axum::extract::{self, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use log::Entry;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The header with which a request goes by its name; a client may give it.
const REQUEST_ID: &str = "x-request-id";
/// The longest name.
const LONGEST_ID: usize = 128;

/// Who may ask a server, how often, and what is written about it; by default everyone, at will, and nothing.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Access {
    /// The password.
    pub token: Option<Token>,
    /// How often one client may ask.
    pub rate: Option<Rate>,
    /// Where a line about every request goes.
    pub log: Option<AccessLog>,
    /// Certificate and key; connections are not encrypted without.
    pub tls: Option<Tls>,
}

/// What all connections of a server share.
pub(crate) struct Door {
    access: Access,
    /// On a loopback address only names of this machine are answered to.
    local: bool,
    stopping: AtomicBool,
    requests: AtomicU64,
    /// Tells the names that this server gives from those of another.
    run: u64,
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub IpAddr);

impl Door {
    pub fn new(access: Access, local: bool) -> Self {
        use std::hash::{BuildHasher, Hasher, RandomState};
        // Randomly keyed, by the system.
        let run = RandomState::new().build_hasher().finish();
        Self { access, local, stopping: AtomicBool::new(false), requests: AtomicU64::new(0), run }
    }

    pub fn tls(&self) -> Option<&Tls> {
        self.access.tls.as_ref()
    }

    /// From now on every response is the last of its connection.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    fn check(&self, request: &Request, client: IpAddr) -> Result<(), ApiError> {
        host::one_name(request)?;
        if self.local {
            host::local(request.headers())?;
        }
        if let Some(rate) = &self.access.rate {
            rate.check(client)?;
        }
        // A supervisor asks whether the server lives, and learns nothing else.
        let path = request.uri().path();
        let is_health = path == "/healthz" || path.starts_with("/v2/health/");
        match &self.access.token {
            Some(token) if !is_health => token.check(request.headers()),
            _ => Ok(()),
        }
    }

    /// The name that the client gave its request, or a new one.
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

/// Lets a request in, or refuses it, and writes a line about it.
pub(crate) async fn enter(
    extract::State(door): extract::State<Arc<Door>>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let Peer(client) = *request.extensions().get().unwrap_or(&Peer([127, 0, 0, 1].into()));
    let id = door.id(request.headers());
    let entry = door.access.log.as_ref().map(|_| Entry::new(&request, client, &id));
    let mut response = match door.check(&request, client) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            drain(request).await;
            let is_unknown = error.status() == StatusCode::UNAUTHORIZED;
            let mut response = error.into_response();
            if is_unknown {
                // Browsers ask for a password at this, and send it with what the page asks.
                let kinds = HeaderValue::from_static("Basic realm=\"ngsll\", Bearer");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, kinds);
            }
            response
        }
    };
    response.headers_mut().insert(REQUEST_ID, id);
    if door.stopping.load(Ordering::SeqCst) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if let (Some(log), Some(entry)) = (&door.access.log, entry) {
        log.write(&entry, response.status(), start.elapsed());
    }
    response
}

#[cfg(test)]
mod tests;
