//! Any bytes at all.

use super::super::body::JSON_LENGTH;
use super::{send, server};
use axum::body::Body;
use axum::http::Request;
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Requests with a few bytes changed: answered or refused, never a mistake of the server's.
    #[test]
    fn damaged_requests_are_answered_or_refused(
        which in 0..REQUESTS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let (model, json, binary) = REQUESTS[which];
        let length = json.len();
        let mut body = [json, binary].concat().into_bytes();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if cut {
            body.truncate(end.index(body.len()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let request = Request::post(format!("/v2/models/{model}/infer")).header(JSON_LENGTH, length);
        let request = request.body(Body::from(body.clone())).unwrap();
        let answer = runtime.block_on(send(&server(), request));
        let text = String::from_utf8_lossy(&body).into_owned();
        prop_assert!([200, 400].contains(&answer.status.as_u16()), "{} {text}", answer.status);
    }
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
}
