//! The plain JSON forms: `{"text": …}`, `{"row": …}`, `{"image": …}`, each one or a list.

use super::error::ApiError;
use super::json::{CellValue, List};
use super::state::Model;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ngsll::data::{Column, ColumnBuilder, ColumnKind, ColumnSpec, Images, Samples, Table, Texts};
use ngsll::representation::{Columns, Grid, Representation};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Samples of one request.
pub const MOST_SAMPLES: usize = 1024;
/// Bytes of one text; a model reads the first few hundred words only.
const LONGEST_TEXT: usize = 64 << 10;

/// Samples as people write them: exactly one of these.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    pub text: Option<List<String>>,
    pub row: Option<List<BTreeMap<String, CellValue>>>,
    pub image: Option<List<String>>,
}

impl Plain {
    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.text.is_none() && self.row.is_none() && self.image.is_none()
    }

    /// The samples, if they are of the kind that the model reads.
    pub fn samples(self, model: &Model) -> Result<Samples, ApiError> {
        let representation = model.predictor().representation();
        let samples = match (representation, self) {
            (Representation::Words(_), Self { text: Some(texts), row: None, image: None }) => {
                Samples::Texts(self::texts(&texts.0)?)
            }
            (
                Representation::Columns(columns),
                Self { row: Some(rows), text: None, image: None },
            ) => Samples::Table(table(columns, &rows.0)?),
            (Representation::Grid(grid), Self { image: Some(images), text: None, row: None }) => {
                Samples::Images(self::images(grid, &images.0)?)
            }
            _ => return Err(ApiError::bad(expected(representation))),
        };
        check_count(samples.len())?;
        Ok(samples)
    }
}

/// What a request to a model looks like.
pub fn expected(representation: &Representation) -> String {
    let form = match representation {
        Representation::Words(_) => "{\"text\": \"…\"}",
        Representation::Columns(_) => "{\"row\": {\"column\": value, …}}",
        Representation::Grid(_) => "{\"image\": \"<base64 of a PNG or JPEG file>\"}",
    };
    let reads = representation.reads();
    format!(
        "this model reads {reads}, expected {form} or the \"inputs\" of the Open Inference Protocol"
    )
}

/// At least one sample, and not too many.
pub fn check_count(samples: usize) -> Result<(), ApiError> {
    if (1..=MOST_SAMPLES).contains(&samples) {
        return Ok(());
    }
    Err(ApiError::bad(format!("{samples} samples in a request, expected 1 to {MOST_SAMPLES}")))
}

/// Texts, none of them too long.
pub fn texts(texts: &[String]) -> Result<Texts, ApiError> {
    if let Some(i) = texts.iter().position(|text| text.len() > LONGEST_TEXT) {
        let length = texts[i].len();
        let message = format!("it has {length} bytes, expected at most {LONGEST_TEXT}");
        return Err(ApiError::bad(message).at(format!("text {i}")));
    }
    Ok(texts.iter().collect())
}

/// A column from its cells.
pub fn column<'a>(
    spec: &ColumnSpec,
    cells: impl IntoIterator<Item = &'a CellValue>,
) -> Result<Column, ApiError> {
    let mut builder = ColumnBuilder::new(spec);
    for (i, value) in cells.into_iter().enumerate() {
        let place = || format!("row {i}, column {:?}", spec.name);
        let push = builder.push(&value.cell());
        push.map_err(|message| ApiError::bad(message).at(place()))?;
    }
    Ok(builder.finish())
}

/// The error for a column that a model does not have.
pub fn unknown_column(columns: &Columns, name: &str) -> ApiError {
    let known: Vec<String> = columns.specs().into_iter().map(|spec| spec.name).collect();
    let known = known.join(", ");
    ApiError::bad(format!("the model has no column {name:?}, its columns are {known}"))
}

/// The error for a column that is not given.
pub fn missing_column(spec: &ColumnSpec) -> ApiError {
    let expected = match spec.kind {
        ColumnKind::Numeric => "a number",
        ColumnKind::Categorical => "a text",
    };
    let name = &spec.name;
    ApiError::bad(format!(
        "column {name:?} is not given, expected {expected}, or null where the value is missing"
    ))
}

fn table(columns: &Columns, rows: &[BTreeMap<String, CellValue>]) -> Result<Table, ApiError> {
    let specs = columns.specs();
    for (i, row) in rows.iter().enumerate() {
        if let Some(name) = row.keys().find(|name| specs.iter().all(|spec| spec.name != **name)) {
            return Err(unknown_column(columns, name).at(format!("row {i}")));
        }
    }
    let mut table = Table::default();
    for spec in &specs {
        let mut cells = Vec::with_capacity(rows.len());
        for (i, row) in rows.iter().enumerate() {
            let cell = row.get(&spec.name);
            cells.push(cell.ok_or_else(|| missing_column(spec).at(format!("row {i}")))?);
        }
        table.columns.push(column(spec, cells)?);
    }
    Ok(table)
}

fn images(grid: &Grid, encoded: &[String]) -> Result<Images, ApiError> {
    let Grid { width, height, channels, .. } = *grid;
    let mut images = Images { width, height, channels, pixels: Vec::new() };
    for (i, text) in encoded.iter().enumerate() {
        let failed = |message: String| ApiError::bad(message).at(format!("image {i}"));
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| {
            failed(format!("not base64 ({error}), expected a PNG or JPEG file in base64"))
        })?;
        images.push_encoded(&bytes).map_err(failed)?;
    }
    Ok(images)
}
