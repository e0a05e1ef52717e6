//! Requests to the server, plain JSON and tensors in binary form, and the states of its page.

use crate::campaign::campaign;
use crate::common::data;
use crate::models;
use crate::mutate::{self, Random};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ngsll_serve::{Limits, State, app};
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// A request: its path, the JSON, and the binary data behind it.
type Good = (&'static str, String, Vec<u8>);

/// The header with the length of the JSON in a body with binary data.
const JSON_LENGTH: &str = "inference-header-content-length";

fn good() -> Vec<Good> {
    let image = STANDARD.encode(data::png(8, 8, &data::digit(1)));
    let tensors = r#"{"inputs": [{"name": "size", "shape": [1], "datatype": "FP64", "data": [[1.5]]},
        {"name": "colour", "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": 7}}],
        "outputs": [{"name": "label", "parameters": {"binary_data": true}}], "id": "1"}"#;
    let json = |path, text: &str| (path, text.to_string(), Vec::new());
    vec![
        json("/v2/models/reviews/infer", r#"{"text": ["a good film", "bad"], "k": 1}"#),
        json("/v2/models/reviews/explain", r#"{"text": "a good film"}"#),
        json("/v2/models/houses/infer", r#"{"row": {"size": -1.5e3, "colour": null}}"#),
        json("/v2/models/houses/explain", r#"{"row": [{"size": "7", "colour": true}], "id": "x"}"#),
        json("/v2/models/digits/explain", &format!(r#"{{"image": "{image}"}}"#)),
        json(
            "/page/models/reviews",
            r#"{"sample": {"text": "an odd film"}, "k": 1, "label": "c"}"#,
        ),
        json(
            "/page/models/houses",
            r#"{"sample": {"row": {"size": 3, "colour": "red"}}, "original": {"row": {"size": null, "colour": "blue"}}}"#,
        ),
        json("/page/models/digits", &format!(r#"{{"sample": {{"image": "{image}"}}, "k": 2}}"#)),
        ("/v2/models/houses/infer", tensors.to_string(), b"\x03\0\0\0red".to_vec()),
    ]
}

/// A server in memory, and what runs it.
struct Server {
    runtime: Runtime,
    app: Router,
}

impl Server {
    fn new() -> Self {
        let models: BTreeMap<_, _> = models::trained()
            .into_iter()
            .map(|(name, model, _)| (name.to_string(), model))
            .collect();
        let mut limits = Limits::default();
        limits.threads = 1;
        let app = app(State::new(models, limits).unwrap());
        Self { runtime: Builder::new_current_thread().enable_all().build().unwrap(), app }
    }

    /// The status of the answer.
    fn send(&self, path: &str, json_length: Option<usize>, body: Vec<u8>) -> u16 {
        let mut request = Request::post(path).header("host", "localhost");
        if let Some(length) = json_length {
            request = request.header(JSON_LENGTH, length);
        }
        let request = request.body(Body::from(body)).unwrap();
        self.runtime.block_on(async {
            let response = self.app.clone().oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            to_bytes(response.into_body(), usize::MAX).await.unwrap();
            status
        })
    }
}

#[test]
fn requests() {
    let good = good();
    let server = Server::new();
    for (path, json, binary) in &good {
        let body = [json.as_bytes(), binary].concat();
        assert_eq!(server.send(path, Some(json.len()), body), 200, "{path} {json}");
    }
    let others: Vec<Vec<u8>> = good.iter().map(|(_, json, _)| json.clone().into_bytes()).collect();
    campaign("requests", || {
        let (server, good, others) = (Server::new(), &good, &others);
        move |random: &mut Random<'_>| {
            let (path, json, binary) = random.choose(good);
            let (mut json, mut binary) = (json.clone().into_bytes(), binary.clone());
            if random.below(2) == 0 {
                let mut content: Value = serde_json::from_slice(&json).unwrap();
                (0..=random.below(2)).for_each(|_| mutate::value(random, &mut content));
                json = serde_json::to_vec(&content).unwrap();
            } else {
                mutate::bytes(random, &mut json, others);
            }
            if random.below(4) == 0 {
                mutate::bytes(random, &mut binary, others);
            }
            let length = match random.below(8) {
                0 => None,
                1 => Some(random.below(json.len() + binary.len() + 2)),
                _ => Some(json.len()),
            };
            let body = [json, binary].concat();
            let text = String::from_utf8_lossy(&body).into_owned();
            random.reads("request.txt", format!("{path} {length:?}\n{text}").as_bytes());
            let status = server.send(path, length, body);
            assert!([200, 400].contains(&status), "{status} {path} {length:?} {text}");
        }
    });
}
