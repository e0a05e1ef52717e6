//! Samples in memory as a reader.

use crate::{Reader, ReaderNote};
use ngsll::Dataset;
use ngsll::error::Result;
use std::path::{Path, PathBuf};

/// A reader of samples that are all in memory already.
pub struct InMemory {
    path: PathBuf,
    /// All samples, until the last of them is returned.
    dataset: Option<Dataset>,
    /// The number of samples that have been returned.
    done: usize,
    notes: Vec<ReaderNote>,
}

impl InMemory {
    /// A reader of samples that were read from `path`, with notes about how.
    pub fn new(path: impl Into<PathBuf>, dataset: Dataset, notes: Vec<ReaderNote>) -> Self {
        Self { path: path.into(), dataset: Some(dataset), done: 0, notes }
    }
}

impl Reader for InMemory {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let Some(dataset) = self.dataset.take() else { return Ok(None) };
        let rows = self.done..self.done.saturating_add(max_rows.max(1)).min(dataset.len());
        if rows.len() == dataset.len() {
            return Ok(Some(dataset));
        }
        self.done = rows.end;
        let chunk = dataset.select(&rows.collect::<Vec<_>>());
        self.dataset = Some(dataset).filter(|dataset| self.done < dataset.len());
        Ok(Some(chunk))
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn notes(&self) -> Vec<ReaderNote> {
        self.notes.clone()
    }
}
