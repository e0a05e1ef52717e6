//! Samples of the user's data: how many are held at a time, and how a result names each.

use crate::output::{Output, csv_error};
use ngsll::data::{Chunk, Origin};
use ngsll::error::Place;
use serde::Serialize;
use std::io;
use std::path::Path;

/// Samples held in memory at a time.
pub const CHUNK: usize = 1024;

/// Which sample a line of the result is about.
#[derive(Serialize)]
pub struct SampleId {
    row: usize,
    /// The image's file, for folders of images.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl SampleId {
    /// Sample `i` of a chunk, which is row `row` of the data.
    pub fn new(chunk: &Chunk, i: usize, row: usize) -> Self {
        let file = match &chunk.origin {
            Origin::Files(files) => Some(files[i].display().to_string()),
            Origin::Lines { .. } => None,
        };
        Self { row, file }
    }

    /// Writes a CSV record of the sample: its row, `columns`, and its file where it has one.
    pub fn write_record<T: AsRef<[u8]>>(
        &self,
        csv: &mut csv::Writer<Output>,
        columns: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        write(csv, &self.row.to_string(), columns, self.file.as_deref())
    }

    /// Writes the header of such records.
    pub fn write_header<T: AsRef<[u8]>>(
        &self,
        csv: &mut csv::Writer<Output>,
        columns: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        write(csv, "row", columns, self.file.is_some().then_some("file"))
    }
}

fn write<T: AsRef<[u8]>>(
    csv: &mut csv::Writer<Output>,
    first: &str,
    columns: impl IntoIterator<Item = T>,
    last: Option<&str>,
) -> io::Result<()> {
    let record = || {
        csv.write_field(first)?;
        columns.into_iter().try_for_each(|column| csv.write_field(column))?;
        last.map_or(Ok(()), |last| csv.write_field(last))?;
        csv.write_record(None::<&str>)
    };
    record().map_err(csv_error)
}

/// The error for a file without samples.
pub fn none_error(path: &Path) -> anyhow::Error {
    Place::file(path).error("it holds no samples, expected at least one").into()
}
