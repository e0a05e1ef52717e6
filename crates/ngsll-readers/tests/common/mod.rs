//! Helpers shared by the tests.
#![allow(dead_code, reason = "each test file uses its part")]

use flate2::Compression;
use flate2::write::GzEncoder;
use ngsll::Dataset;
use ngsll::config::{DataConfig, Task};
use ngsll::dataset::{Column, ColumnKind, ColumnSpec, Samples, Values};
use ngsll::error::Result;
use ngsll_readers::{LabelUse, Reader, open, read_all};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
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

/// The notes about how the samples were read.
pub fn notes(reader: &dyn Reader) -> Vec<String> {
    reader.notes().iter().map(ToString::to_string).collect()
}

/// The table as training reads it, with the target `y`, and the notes on it.
pub fn train(path: &Path, change: impl FnOnce(&mut DataConfig)) -> Result<(Dataset, Vec<String>)> {
    let mut data = DataConfig::default();
    data.target = Some("y".into());
    change(&mut data);
    let mut reader = open(Task::Tabular, &data, path, None, LabelUse::Required, None)?;
    let dataset = read_all(reader.as_mut())?;
    Ok((dataset, notes(reader.as_ref())))
}

/// The labels in the order of the samples, where there are any.
pub fn labels(data: &Dataset) -> Option<Vec<&str>> {
    data.labels().map(|labels| labels.iter().collect())
}

/// The columns of a table as in its file: dates, not their parts.
pub fn specs(data: &Dataset) -> Vec<ColumnSpec> {
    let Samples::Table(table) = data.samples() else { panic!("expected a table, found {data:?}") };
    let spec = |column: &Column| {
        let (name, kind) = match (column.values(), &column.form().date) {
            (_, Some(date)) => (date.column.as_str(), ColumnKind::Date),
            (Values::Numeric(_), None) => (column.name(), ColumnKind::Numeric),
            _ => (column.name(), ColumnKind::Categorical),
        };
        ColumnSpec::new(name, kind).with_form(column.form().clone())
    };
    let mut specs: Vec<ColumnSpec> = table.columns().iter().map(spec).collect();
    specs.dedup_by(|a, b| a.name == b.name);
    specs
}

/// The message of a failure, without the folder's path.
pub fn message<T>(folder: &Folder, result: Result<T>) -> String {
    let message = result.err().expect("this must fail").to_string();
    let start = format!("{}/", folder.path("").display().to_string().trim_end_matches('/'));
    message.replace(&start, "")
}
