//! What the tests share.
#![allow(dead_code, reason = "each test file uses its part")]

use flate2::Compression;
use flate2::write::GzEncoder;
use ngsll::Dataset;
use ngsll::dataset::{Column, ColumnKind, ColumnSpec, Samples, Values};
use ngsll::error::Result;
use ngsll_readers::{Reader, read_all};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder that is removed after the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is created");
        fs::write(&path, bytes).expect("the file is written");
        path
    }
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes.as_ref()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

pub fn all<R: Reader>(reader: Result<R>) -> Result<Dataset> {
    read_all(&mut reader?)
}

/// The labels in the order of the samples, where there are any.
pub fn labels(data: &Dataset) -> Option<Vec<&str>> {
    data.labels().map(|labels| labels.iter().collect())
}

/// The columns of a table as they are in its file: dates, not their parts.
pub fn specs(data: &Dataset) -> Vec<ColumnSpec> {
    let Samples::Table(table) = data.samples() else { panic!("expected a table, found {data:?}") };
    let spec = |column: &Column| {
        let (name, kind) = match (column.values(), &column.form().date) {
            (_, Some(date)) => (date.column.as_str(), ColumnKind::Date),
            (Values::Numeric(_), None) => (column.name(), ColumnKind::Numeric),
            _ => (column.name(), ColumnKind::Categorical),
        };
        ColumnSpec { form: column.form().clone(), ..ColumnSpec::new(name, kind) }
    };
    let mut specs: Vec<ColumnSpec> = table.columns().iter().map(spec).collect();
    specs.dedup_by(|a, b| a.name == b.name);
    specs
}

/// The message of a failure, with the folder's path cut off its start.
pub fn message<T>(folder: &Folder, result: Result<T>) -> String {
    let message = result.err().expect("this must fail").to_string();
    let start = format!("{}/", folder.path("").display().to_string().trim_end_matches('/'));
    message.strip_prefix(&start).unwrap_or(&message).to_owned()
}
