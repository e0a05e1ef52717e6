//! Any bytes at all.

use super::super::body::JSON_LENGTH;
use super::{send, server};
use axum::body::Body;
use axum::http::Request;
use axum::http::request::Builder;
use proptest::prelude::*;

/// Good requests: the model, the JSON, the binary data behind it.
const REQUESTS: [(&str, &str, &str); 5] = [
    ("reviews", r#"{"text": ["a good film", "bad"], "k": 1}"#, ""),
    ("houses", r#"{"row": {"size": -1.5e3, "colour": null}}"#, ""),
    ("prices", r#"{"row": [{"size": "7", "colour": true}], "id": "x"}"#, ""),
    (
        "digits",
        r#"{"image": "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAUElEQVR4nGNgYGRiZmFlY2fg4OTi5uHl42cQEBQSFhEVE2eQkJSSlpGVk2dQUFRSVlFVU2fQ0NTS1tHV02cwMDQyNjE1M2ewsLSytrG1swcAu/gH4WRyo/YAAAAASUVORK5CYII="}"#,
        "",
    ),
    (
        "houses",
        r#"{"inputs": [{"name": "size", "shape": [1], "datatype": "FP64", "data": [[1.5]]},
            {"name": "colour", "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": 7}}],
            "outputs": [{"name": "label", "parameters": {"binary_data": true}}], "id": "1"}"#,
        "\x03\0\0\0red",
    ),
];

/// The number of cases: small in CI, or set for a longer campaign.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Good states of the page.
const STATES: [(&str, &str); 3] = [
    ("kinds", r#"{"sample": {"text": "an odd film"}, "k": 1, "label": "c"}"#),
    (
        "houses",
        r#"{"sample": {"row": {"size": 3, "colour": "red"}}, "original": {"row": {"size": null, "colour": "blue"}}}"#,
    ),
    (
        "digits",
        r#"{"sample": {"image": "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAUElEQVR4nGNgYGRiZmFlY2fg4OTi5uHl42cQEBQSFhEVE2eQkJSSlpGVk2dQUFRSVlFVU2fQ0NTS1tHV02cwMDQyNjE1M2ewsLSytrG1swcAu/gH4WRyo/YAAAAASUVORK5CYII="}, "k": 2}"#,
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Requests with a few bytes changed: answered or refused, never a server error.
    #[test]
    fn damaged_requests_are_answered_or_refused(
        which in 0..REQUESTS.len(),
        changes in changes(),
        end in any::<Option<prop::sample::Index>>(),
    ) {
        let (model, json, binary) = REQUESTS[which];
        let length = json.len();
        let body = damaged([json, binary].concat().into_bytes(), changes, end);
        let request = Request::post(format!("/v2/models/{model}/infer")).header(JSON_LENGTH, length);
        answered_or_refused(request, body)?;
    }

    /// The same for the page's own states.
    #[test]
    fn damaged_states_of_the_page_are_answered_or_refused(
        which in 0..STATES.len(),
        changes in changes(),
        end in any::<Option<prop::sample::Index>>(),
    ) {
        let (model, state) = STATES[which];
        let body = damaged(state.as_bytes().to_vec(), changes, end);
        answered_or_refused(Request::post(format!("/page/models/{model}")), body)?;
    }
}

/// A few bytes of a body with other values.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)
}

/// The body with these changes, cut off at its `end`.
fn damaged(
    mut body: Vec<u8>,
    changes: Vec<(prop::sample::Index, u8)>,
    end: Option<prop::sample::Index>,
) -> Vec<u8> {
    for (at, byte) in changes {
        let at = at.index(body.len());
        body[at] = byte;
    }
    if let Some(end) = end {
        body.truncate(end.index(body.len()));
    }
    body
}

fn answered_or_refused(request: Builder, body: Vec<u8>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = String::from_utf8_lossy(&body).into_owned();
    let request = request.body(Body::from(body)).unwrap();
    let answer = runtime.block_on(send(&server(), request));
    prop_assert!([200, 400].contains(&answer.status.as_u16()), "{} {text}", answer.status);
    Ok(())
}

#[tokio::test]
async fn undamaged_requests_are_answered() {
    let app = server();
    for (model, json, binary) in REQUESTS {
        let request = Request::post(format!("/v2/models/{model}/infer"));
        let request = request.header(JSON_LENGTH, json.len());
        let request = request.body(Body::from([json, binary].concat())).unwrap();
        assert_eq!(send(&app, request).await.status, 200, "{json}");
    }
    for (model, state) in STATES {
        let request = Request::post(format!("/page/models/{model}"));
        let request = request.body(Body::from(state)).unwrap();
        assert_eq!(send(&app, request).await.status, 200, "{state}");
    }
}
