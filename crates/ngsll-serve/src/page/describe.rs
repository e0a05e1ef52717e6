//! What the page needs to know about the models.

use crate::aside::aside;
use crate::state::{Model, State};
use axum::Json;
use axum::extract;
use axum::response::{IntoResponse, Response};
use ngsll::config::Task;
use ngsll::examples::Example;
use ngsll::objective::Objective;
use ngsll::representation::{ColumnEncoding, NumericRange, Representation};
use serde::Serialize;
use serde_json::json;

/// A model as the page sees it.
#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    task: Task,
    k: usize,
    /// None in regression.
    classes: &'a [String],
    /// What is predicted, in regression.
    target: Option<&'a str>,
    /// The number of features to choose from.
    features: usize,
    image: Option<ImageSize>,
    columns: Vec<Field<'a>>,
    examples: &'a [Example],
}

#[derive(Serialize)]
struct ImageSize {
    width: usize,
    height: usize,
    channels: usize,
}

/// A field of the form.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Field<'a> {
    Numeric {
        name: &'a str,
        #[serde(flatten)]
        range: NumericRange,
    },
    Categorical {
        name: &'a str,
        /// The most frequent first.
        levels: &'a [String],
    },
}

/// All models.
pub async fn models(extract::State(state): extract::State<State>) -> Response {
    aside(move || {
        let models: Vec<Described> = state.models().map(|model| describe(model)).collect();
        Json(json!({ "models": models })).into_response()
    })
    .await
}

fn describe(model: &Model) -> Described<'_> {
    let predictor = model.predictor();
    let (image, columns) = match predictor.representation() {
        Representation::Grid(grid) => {
            let (width, height, channels) = (grid.width, grid.height, grid.channels);
            (Some(ImageSize { width, height, channels }), Vec::new())
        }
        Representation::Words(_) => (None, Vec::new()),
        Representation::Columns(columns) => (None, columns.encodings().iter().map(field).collect()),
    };
    let objective = predictor.objective();
    Described {
        name: model.name(),
        task: predictor.config().task,
        k: predictor.k(),
        classes: objective.classes(),
        target: match objective {
            Objective::Regression { target, .. } => Some(target),
            _ => None,
        },
        features: predictor.representation().features(),
        image,
        columns,
        examples: model.examples(),
    }
}

fn field(encoding: &ColumnEncoding) -> Field<'_> {
    match encoding {
        ColumnEncoding::Numeric { name, mean, deviation, borders, range } => {
            // Older models keep no range; their bins go from the smallest value to the largest.
            let value =
                |border: Option<&f32>| border.map_or(*mean, |b| mean + deviation * f64::from(*b));
            let range = range.unwrap_or_else(|| NumericRange {
                min: value(borders.first()),
                max: value(borders.last()),
                median: *mean,
                whole: false,
            });
            Field::Numeric { name, range }
        }
        ColumnEncoding::Categorical { name, levels } => Field::Categorical { name, levels },
    }
}
