//! Host names that a server on this machine accepts.

use super::error::ApiError;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, Version, header};
use std::net::IpAddr;

/// Refuses a request of HTTP/1.1 without the header `Host`, and any with two: proxies and servers may use different
/// ones of them.
pub fn one_name(request: &Request) -> Result<(), ApiError> {
    let names = request.headers().get_all(header::HOST).iter().count();
    let is_old = request.version() < Version::HTTP_11;
    if names == 1 || names == 0 && is_old {
        return Ok(());
    }
    Err(ApiError::bad(format!("{names} headers Host, expected one")))
}

/// Refuses requests to other names than this machine's own: a web site may let its name resolve to the
/// reader's own machine (DNS rebinding), and its script would then read the server's data.
pub fn local(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(host) = foreign(headers) else { return Ok(()) };
    let message = format!(
        "this server only answers requests for localhost, not for {host:?}; a proxy in front of \
         it should send \"Host: localhost\""
    );
    Err(ApiError::new(StatusCode::FORBIDDEN, message))
}

/// The name in the header, if it is neither localhost nor an address.
fn foreign(headers: &HeaderMap) -> Option<String> {
    let host = String::from_utf8_lossy(headers.get(header::HOST)?.as_bytes()).into_owned();
    let end = host.rfind(':').filter(|at| host[at + 1..].bytes().all(|b| b.is_ascii_digit()));
    let name = &host[..end.unwrap_or(host.len())];
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    let own = address || name.eq_ignore_ascii_case("localhost");
    if own { None } else { Some(host) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_localhost_and_addresses_are_this_machine() {
        let foreign = |host: &str| {
            let value = HeaderValue::from_str(host).unwrap();
            foreign(&HeaderMap::from_iter([(header::HOST, value)])).is_some()
        };
        for own in
            ["localhost", "LocalHost:8080", "127.0.0.1:8080", "127.0.0.1", "[::1]:80", "[::1]"]
        {
            assert!(!foreign(own), "{own}");
        }
        for other in
            ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.nip", ""]
        {
            assert!(foreign(other), "{other}");
        }
        assert!(super::foreign(&HeaderMap::new()).is_none(), "HTTP/1.0 has none");
    }
}
