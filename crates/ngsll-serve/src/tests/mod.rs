//! The server without a socket.

mod bounds;
mod damaged;
mod models;
mod protocol;
mod rows;
mod server;
mod shares;

use super::app::app;
use super::limits::Limits;
use super::state::State;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use ngsll::config::{Overrides, Task};
use ngsll::dataset::{CellValue, ColumnBuilder, ColumnKind, ColumnSpec, ImageSize, Images, Table};
use ngsll::{Config, Dataset, Device, Model, Samples, TrainingSetup};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use tower::ServiceExt;

/// `reviews` (text, two classes), `kinds` (text, three classes), `digits` (8×8 images), `houses` (a table, two
/// classes), `prices` (a table, a number); K = 2 and evidence chosen in all.
pub fn models() -> BTreeMap<String, Model> {
    static MODELS: OnceLock<BTreeMap<String, Model>> = OnceLock::new();
    let train = || {
        let houses = Samples::Table(houses());
        let half = |i: usize| if i % 20 < 10 { "small" } else { "big" }.to_string();
        let price = |i: usize| format!("{}", 100.0 + 3.25 * (i % 20) as f64);
        BTreeMap::from([
            ("reviews".into(), trained(Task::Text, texts(2), |i| ["neg", "pos"][i % 2].into())),
            ("kinds".into(), trained(Task::Text, texts(3), |i| ["a", "b", "c"][i % 3].into())),
            ("digits".into(), trained(Task::Image, images(40).into(), |i| (i % 2).to_string())),
            ("houses".into(), trained(Task::Tabular, houses.clone(), half)),
            ("prices".into(), trained(Task::Tabular, houses, price)),
        ])
    };
    MODELS.get_or_init(train).clone()
}

/// `reviews`, with evidence whole.
pub fn whole_reviews() -> Model {
    let label = |i: usize| ["neg", "pos"][i % 2].to_string();
    trained_with(&[("training.preset", "annealed")], Task::Text, texts(2), label)
}

/// `reviews` and `prices` as [`models`] has them, with figures of their terms for K = 1 and 2.
pub fn measured() -> BTreeMap<String, Model> {
    let quality = json!({ "accuracy": 0.875, "auroc": 0.9 });
    let figures = |k: usize| {
        json!({
            "data": "<new>.tsv", "samples": 60, "k": k, "own": quality, "chosen": quality, "random": quality,
            "all": quality, "removed": quality, "encoding_gap": 0.0625, "contest_rate": 0.25 * k as f64,
            "removal": {}, "stability": 1.0,
        })
    };
    let measured = |model: Model| {
        let figures = [2, 1].map(|k| serde_json::from_value(figures(k)).unwrap());
        figures.into_iter().fold(model, Model::with_trust)
    };
    let chosen =
        models().into_iter().filter(|(name, _)| ["reviews", "prices"].contains(&&name[..]));
    chosen.map(|(name, model)| (name, measured(model))).collect()
}

fn trained(task: Task, samples: Samples, label: impl Fn(usize) -> String) -> Model {
    trained_with(&[], task, samples, label)
}

fn trained_with(
    more: &[(&str, &str)],
    task: Task,
    samples: Samples,
    label: impl Fn(usize) -> String,
) -> Model {
    let labels: Vec<String> = (0..samples.len()).map(label).collect();
    let data = Dataset::new(samples).with_labels(labels).unwrap();
    let sets: &[(&str, &str)] = match task {
        Task::Text => &[("generator.embedding", "8"), ("generator.filters", "8")],
        Task::Image => &[("generator.channels", "[4, 4]"), ("representation.cells", "[4, 4]")],
        _ => &[],
    };
    let mut options = Overrides::new();
    let all = [("k", "2"), ("training.epochs", "2"), ("generator.units", "8")];
    all.iter().chain(sets).chain(more).for_each(|(name, value)| options.set(name, value));
    let options = options.applied_to(&Config::new(task)).unwrap().check().unwrap();
    let setup = TrainingSetup::new(options, &data, None, &Device::default()).unwrap();
    setup.fit(None, &mut |_| ControlFlow::Continue(())).unwrap().model
}

/// 60 texts, different in `kinds` ways and in length.
fn texts(kinds: usize) -> Samples {
    let word = |i: usize| ["bad", "good", "odd"][i % kinds];
    let text = |i: usize| format!("a {} film {}", word(i), "very long ".repeat(i % 7));
    Samples::Texts((0..60).map(text).collect())
}

/// Images of 8×8 pixels, with ink on the left or on the right.
pub fn images(n: usize) -> Images {
    let pixel = |i: usize, at: usize| match (at % 8 < 4) == i.is_multiple_of(2) {
        true => 120 + ((at * 7 + i * 13) % 120) as u8,
        false => 0,
    };
    let pixels = (0..n).flat_map(|i| (0..64).map(move |at| pixel(i, at))).collect();
    Images::new(ImageSize { width: 8, height: 8, channels: 1 }, pixels).unwrap()
}

/// 60 rows of a number `size` and a category `colour`, each missing at times.
fn houses() -> Table {
    let spec = |name: &str, kind| ColumnSpec::new(name, kind);
    let mut size = ColumnBuilder::new(&spec("size", ColumnKind::Numeric));
    let mut colour = ColumnBuilder::new(&spec("colour", ColumnKind::Categorical));
    for i in 0..60 {
        let number = (i % 20) as f64 + 0.5;
        let number = if i % 9 == 0 { CellValue::Missing } else { CellValue::Number(number) };
        size.push(&number).unwrap();
        colour.push(&CellValue::Text(["red", "blue", "NA"][i % 3].into())).unwrap();
    }
    Table::new([size, colour].into_iter().flat_map(|column| column.finish().unwrap())).unwrap()
}

/// A server with all models.
pub fn server() -> Router {
    app(state(Limits::default()))
}

/// All models within these limits.
pub fn state(limits: Limits) -> State {
    State::new(models(), limits).unwrap()
}

/// A response.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json");
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// The JSON of an answer that must be good.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.bytes));
        self.json()
    }

    /// Checks that the request was refused with this status and an error that holds all of `parts`.
    #[track_caller]
    pub fn refused(&self, status: u16, parts: &[&str]) {
        let json = self.json();
        assert_eq!(self.status, status, "{json}");
        let error = json["error"].as_str().unwrap();
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
        assert_eq!(json.as_object().unwrap().len(), 1);
    }
}

/// Sends a request.
pub async fn send(app: &Router, request: Request<Body>) -> Answer {
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    Answer { status: parts.status, headers: parts.headers, bytes }
}

pub async fn get(app: &Router, path: &str) -> Answer {
    send(app, Request::get(path).body(Body::empty()).unwrap()).await
}

/// Posts JSON to `/v2/models/{path}`.
pub async fn post(app: &Router, path: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post(format!("/v2/models/{path}"));
    let request = request.header("content-type", "application/json");
    send(app, request.body(body.into()).unwrap()).await
}
