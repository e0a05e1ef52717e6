//! Samples of the user's data: opening them for a model, the number held in memory, and their names in results.

use anyhow::Result;
use ngsll::error::Location;
use ngsll::{Dataset, Model, TestRows};
use ngsll_readers::{InMemory, LabelUse, Reader, read_all};
use serde::Serialize;
use std::path::Path;

/// Samples held in memory at a time.
pub const CHUNK: usize = 1024;

/// Opens `data` as the model reads it, with its own options; `labels` is the file of labels of IDX images, `id` the
/// column that identifies a row. The one that the model was trained with may be absent.
pub fn open(
    model: &Model,
    data: &Path,
    labels: Option<&Path>,
    label_use: LabelUse,
    id: Option<&str>,
) -> Result<Box<dyn Reader>> {
    let (config, schema) = (model.config(), Some(model.schema()));
    let open = |id: Option<&str>| {
        let mut options = config.data.clone();
        options.id = id.map(str::to_string);
        ngsll_readers::open(config.task, &options, data, labels, label_use, schema.as_ref())
    };
    Ok(match (id, config.data.id.as_deref()) {
        (Some(id), _) => open(Some(id))?,
        (None, Some(id)) => open(Some(id)).or_else(|_| open(None))?,
        (None, None) => open(None)?,
    })
}

/// The rows of a file that were set aside when the model was trained on it.
pub fn test_part(
    mut reader: Box<dyn Reader>,
    rows: &TestRows,
    model: &Model,
) -> Result<Box<dyn Reader>> {
    let data = rows.select(&read_all(reader.as_mut())?, &model.schema())?;
    Ok(Box::new(InMemory::new(reader.path(), data, reader.notes())))
}

/// The row in the file of sample `at` of a part of it.
pub fn row_number(part: Option<&[usize]>, at: usize) -> usize {
    part.and_then(|rows| rows.get(at).copied()).unwrap_or(at)
}

/// The sample that a line of the result is about.
#[derive(Serialize)]
pub struct SampleId {
    pub row: usize,
    /// The user's identifier, if a column holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The image's file, for folders of images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl SampleId {
    /// Sample `i` of `chunk`, which is row `row` of the data.
    pub fn new(chunk: &Dataset, i: usize, row: usize) -> Self {
        let file = chunk.origin().and_then(|origin| origin.own_file(i));
        let id = chunk.id(i).map(str::to_string);
        Self { row, id, file: file.map(|path| path.display().to_string()) }
    }
}

/// The error for a file without samples.
pub fn none_error(path: &Path) -> anyhow::Error {
    Location::file(path).error("it is empty: expected at least one sample").into()
}
