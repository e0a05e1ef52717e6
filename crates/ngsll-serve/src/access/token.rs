//! The password of a server.

use super::super::error::ApiError;
use axum::http::{HeaderMap, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use subtle::ConstantTimeEq;

/// The fewest characters of a token: fewer can be guessed.
const SHORTEST: usize = 16;

/// A secret that requests must carry: as `Authorization: Bearer TOKEN`, or as the password of a browser.
pub struct Token(String);

/// The secret is not shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Takes the text of a file: one line of at least 16 visible characters. The error is a message.
    pub fn new(text: &str) -> Result<Self, String> {
        let token = text.trim();
        if token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(token.to_string()));
        }
        Err(format!(
            "expected a token of at least {SHORTEST} visible ASCII characters on one line, such as \
             `openssl rand -hex 32` prints"
        ))
    }

    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        let is_own = given.is_some_and(|(kind, secret)| match kind.to_ascii_lowercase().as_str() {
            "bearer" => self.is(secret.trim().as_bytes()),
            "basic" => {
                let pair = STANDARD.decode(secret.trim()).unwrap_or_default();
                let colon = pair.iter().position(|byte| *byte == b':');
                colon.is_some_and(|colon| self.is(&pair[colon + 1..]))
            }
            _ => false,
        });
        if is_own {
            return Ok(());
        }
        let message = "this server requires a token: send \"Authorization: Bearer TOKEN\"";
        Err(ApiError::new(StatusCode::UNAUTHORIZED, message))
    }

    /// Whether it equals this token, in a time that does not reveal how much of it is right.
    fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }
}
