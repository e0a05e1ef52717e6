//! CSV with records about samples: the row first, its id if it has one, then the result, then its file
//! if it has one.

use crate::output::Output;
use crate::samples::SampleId;
use anyhow::Result;
use std::io;

/// Writes such a file.
pub struct SampleCsv {
    // In a box: a CSV writer is far larger than the other formats' state.
    csv: Box<csv::Writer<Output>>,
    begun: bool,
}

impl SampleCsv {
    /// An empty file, without its header so far.
    pub fn new(out: Output) -> Self {
        Self { csv: Box::new(csv::Writer::from_writer(out)), begun: false }
    }

    /// Writes the header before the first record, so that unreadable data leave no header behind.
    pub fn begin<C: IntoIterator<Item: AsRef<[u8]>>>(
        &mut self,
        id: &SampleId,
        columns: impl FnOnce() -> C,
    ) -> Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let (name, file) = (id.id.is_some().then_some("id"), id.file.is_some().then_some("file"));
        self.write("row", name, columns(), file)
    }

    /// Writes a record.
    pub fn add(
        &mut self,
        id: &SampleId,
        columns: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<()> {
        self.write(&id.row.to_string(), id.id.as_deref(), columns, id.file.as_deref())
    }

    /// Flushes, and gives a file its name.
    pub fn finish(mut self) -> Result<()> {
        self.csv.flush().map_err(|error| self.csv.get_ref().write_error(error))?;
        self.csv.into_inner().map_err(csv::IntoInnerError::into_error)?.finish()
    }

    fn write(
        &mut self,
        row: &str,
        id: Option<&str>,
        columns: impl IntoIterator<Item: AsRef<[u8]>>,
        file: Option<&str>,
    ) -> Result<()> {
        let record = || {
            self.csv.write_field(row)?;
            id.map_or(Ok(()), |id| self.csv.write_field(id))?;
            columns.into_iter().try_for_each(|column| self.csv.write_field(column))?;
            file.map_or(Ok(()), |file| self.csv.write_field(file))?;
            self.csv.write_record(None::<&str>)
        };
        Ok(record().map_err(io_error)?)
    }
}

/// The cause of a CSV error: `csv::Error` has no `source` by which a broken pipe could be found.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
