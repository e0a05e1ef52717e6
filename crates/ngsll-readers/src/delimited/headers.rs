//! Records below a header line.

use super::RecordReader;
use crate::column_names;
use ngsll::error::{Location, Result};
use std::collections::HashSet;

/// The records of a file with a header, each with as many fields as the header has.
pub(crate) struct HeaderedReader {
    reader: RecordReader,
    headers: Vec<String>,
}

impl HeaderedReader {
    /// Takes the first record as the header. A column without a name is called `column N`.
    pub fn new(mut reader: RecordReader) -> Result<Self> {
        if !reader.read_record()? {
            let location = Location::file(reader.path());
            return Err(location.error("the file is empty, expected a header line"));
        }
        let mut headers: Vec<String> = Vec::with_capacity(reader.record().len());
        let mut known = HashSet::with_capacity(reader.record().len());
        for (index, name) in reader.record().iter().map(str::trim).enumerate() {
            let name =
                if name.is_empty() { format!("column {}", index + 1) } else { name.to_owned() };
            if !known.insert(name.clone()) {
                let name = column_names::quoted(&name);
                let message =
                    format!("the header names two columns {name}; give one of them another name");
                return Err(reader.location().error(message));
            }
            headers.push(name);
        }
        Ok(Self { reader, headers })
    }

    /// The columns' names.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// The reader below, which has the current record.
    pub fn get_ref(&self) -> &RecordReader {
        &self.reader
    }

    /// Reads the next record; `false` at the end of the file.
    pub fn read_record(&mut self) -> Result<bool> {
        if !self.reader.read_record()? {
            return Ok(false);
        }
        let (found, expected) = (self.reader.record().len(), self.headers.len());
        if found != expected {
            // A quote that is never closed swallows lines, which is hard to see from the count alone.
            let hint = match self.reader.lines() {
                0 | 1 => String::new(),
                lines => format!(" (the record spans {lines} lines; is a quote never closed?)"),
            };
            let s = if found == 1 { "" } else { "s" };
            let message =
                format!("found {found} field{s}, expected {expected} as in the header{hint}");
            return Err(self.reader.location().error(message));
        }
        Ok(true)
    }
}
