//! The files of the page, embedded in the program.

use crate::body::MAX_BODY_BYTES;
use crate::error::ApiError;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const PAGE: &str = include_str!("assets/page.html");

/// Scripts and styles are loaded from this server alone. Fragments carry their strengths in style attributes and
/// pictures as data addresses; neither can run anything.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name and content of a script.
macro_rules! script {
    ($name:literal) => {
        ($name, include_str!(concat!("assets/", $name)))
    };
}

pub const SCRIPTS: &[(&str, &str)] = &[
    script!("page.js"),
    script!("clipboard.js"),
    script!("drawing.js"),
    script!("elements.js"),
    script!("image.js"),
    script!("link.js"),
    script!("result.js"),
    script!("server.js"),
    script!("table.js"),
    script!("text.js"),
];

/// The page itself, which is told the largest body.
pub async fn page() -> Response {
    file("text/html; charset=utf-8", PAGE.replace("MAX_BODY_BYTES", &MAX_BODY_BYTES.to_string()))
}

/// A script, the style sheet or the icon.
pub async fn asset(name: Result<Path<String>, PathRejection>) -> Result<Response, ApiError> {
    match name?.as_str() {
        "page.css" => {
            let css = ngsll_view::parts_css() + include_str!("assets/page.css");
            Ok(file("text/css; charset=utf-8", css))
        }
        "icon.svg" => Ok(file("image/svg+xml", include_str!("assets/icon.svg").to_string())),
        name => {
            let found = SCRIPTS.iter().find(|(known, _)| *known == name);
            let (_, text) = found
                .ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "the page has no such file"))?;
            Ok(file(SCRIPT, text.to_string()))
        }
    }
}

fn file(kind: &'static str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        // Another version of the program has other files at the same addresses.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}
