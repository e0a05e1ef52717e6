//! `/openapi.json`: the interface, with examples for the models that are loaded.

use super::aside::aside;
use super::state::{Model, State};
use axum::Json;
use axum::extract;
use axum::response::{IntoResponse, Response};
use ngsll::representation::{ColumnEncoding, Representation};
use ngsll_view::data_uri;
use serde_json::{Map, Value, json};

/// All but what depends on the models.
const INTERFACE: &str = include_str!("openapi.json");

/// The document.
pub async fn json(extract::State(state): extract::State<State>) -> Response {
    aside(move || Json(document(&state)).into_response()).await
}

/// The document for these models.
pub fn document(state: &State) -> Value {
    let mut document: Value = serde_json::from_str(INTERFACE).expect("the file is JSON");
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let names: Vec<&str> = state.models().map(|model| model.name()).collect();
    document["components"]["parameters"]["name"]["schema"]["enum"] = names.clone().into();
    document["components"]["parameters"]["name"]["example"] = names.first().copied().into();
    for action in ["explain", "infer"] {
        let post = &mut document["paths"][format!("/v2/models/{{name}}/{action}")]["post"];
        post["requestBody"]["content"]["application/json"]["examples"] = examples(state, action);
    }
    document
}

/// A request to each model, under the model's name.
fn examples(state: &State, action: &str) -> Value {
    let mut all = Map::new();
    for model in state.models() {
        let mut plain = sample(model);
        if action == "explain" {
            plain["k"] = model.predictor().k().min(3).into();
        }
        all.insert(model.name().into(), json!({ "value": plain }));
    }
    Value::Object(all)
}

/// A sample as a person would write it: one that the model's folder keeps, or else one made up.
fn sample(model: &Model) -> Value {
    if let Some(example) = model.examples().first() {
        return json!(example.input);
    }
    match model.predictor().representation() {
        Representation::Words(words) => {
            let known =
                words.vocabulary().iter().filter(|word| word.chars().all(char::is_alphabetic));
            json!({ "text": known.take(6).cloned().collect::<Vec<_>>().join(" ") })
        }
        Representation::Columns(columns) => {
            let cell = |encoding: &ColumnEncoding| {
                let value = match encoding {
                    ColumnEncoding::Numeric { mean, .. } => json!((mean * 100.0).round() / 100.0),
                    ColumnEncoding::Categorical { levels, .. } => json!(levels.first()),
                };
                (encoding.name().to_string(), value)
            };
            json!({ "row": columns.encodings().iter().map(cell).collect::<Map<_, _>>() })
        }
        Representation::Grid(grid) => {
            // A bright cross.
            let near = |at: usize, side: usize| at.abs_diff(side / 2) <= side / 8;
            let places = (0..grid.height).flat_map(|y| (0..grid.width).map(move |x| (x, y)));
            let ink = |(x, y)| [255 * u8::from(near(x, grid.width) || near(y, grid.height)); 3];
            let pixels: Vec<u8> = places.flat_map(ink).collect();
            let uri = data_uri(grid.width, grid.height, &pixels).unwrap_or_default();
            json!({ "image": uri.rsplit(',').next() })
        }
    }
}
