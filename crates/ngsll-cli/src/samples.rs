//! Samples of the user's data: how a model's are opened, how many are held at a time, and how a result names each.

use anyhow::Result;
use ngsll::error::Location;
use ngsll::{Dataset, Model};
use ngsll_readers::{LabelUse, Reader};
use serde::Serialize;
use std::path::Path;

/// Samples held in memory at a time.
pub const CHUNK: usize = 1024;

/// Opens `data` as the model reads it, with its own options; `labels` is the file of labels of IDX images.
pub fn open(
    model: &Model,
    data: &Path,
    labels: Option<&Path>,
    label_use: LabelUse,
) -> Result<Box<dyn Reader>> {
    let (config, schema) = (model.config(), Some(model.schema()));
    let data =
        ngsll_readers::open(config.task, &config.data, data, labels, label_use, schema.as_ref());
    Ok(data?)
}

/// Which sample a line of the result is about.
#[derive(Serialize)]
pub struct SampleId {
    pub row: usize,
    /// The image's file, for folders of images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl SampleId {
    /// Sample `i` of `chunk`, which is row `row` of the data.
    pub fn new(chunk: &Dataset, i: usize, row: usize) -> Self {
        let file = chunk.origin().and_then(|origin| origin.own_file(i));
        Self { row, file: file.map(|path| path.display().to_string()) }
    }
}

/// Whether a field that says something unusual is left out.
pub fn is_false(value: &bool) -> bool {
    !value
}

/// The error for a file without samples.
pub fn none_error(path: &Path) -> anyhow::Error {
    Location::file(path).error("it holds no samples, expected at least one").into()
}
