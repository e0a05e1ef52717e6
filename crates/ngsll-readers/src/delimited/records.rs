//! Records of delimited files, one at a time, each with the line it starts on.
//!
//! In `.csv` files fields are separated by commas (or by semicolons or tabs, where the header has no comma), may be
//! quoted and then hold commas, quotes and line breaks. In every other file the fields are separated by tabs, a line
//! is a record, and quotes are characters like any other.
//!
//! This drives the parser `csv-core` itself, not the crate `csv` around it, for three things that crate does not do:
//! it accepts a quote that is never closed as the end of the file's last field, puts no bound on the length of a
//! record, and counts the blank lines before a record as part of it, so that messages would name a wrong line.

use crate::source::{self, Source};
use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};
use ngsll::error::{Location, Result};
use std::io::BufRead;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A record longer than this is taken for a mistake: most likely a quote that is never closed.
const LONGEST_RECORD: usize = 16 << 20;

/// The records of a file, empty lines left out.
pub(crate) struct RecordReader {
    path: PathBuf,
    source: Source,
    parser: csv_core::Reader,
    /// The line that the next byte belongs to.
    next_line: u64,
    /// The line that the current record starts on.
    line: u64,
    /// The current record's fields, one after the other, followed by unused space.
    fields: Vec<u8>,
    /// The end of each field in `fields`, followed by unused space.
    ends: Vec<usize>,
    /// The number of fields of the current record.
    len: usize,
    /// The current record's fields as text.
    text: String,
    /// Whether the current record is to be given again.
    unread: bool,
}

/// The fields of one record.
pub(crate) struct Record<'a> {
    text: &'a str,
    ends: &'a [usize],
}

impl<'a> Record<'a> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> &'a str {
        &self.text[field(self.ends, index)]
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

fn field(ends: &[usize], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    start..ends[index]
}

/// Whether the file's name says that it is comma-separated.
pub(crate) fn is_csv(path: &Path) -> bool {
    source::extension(path) == "csv"
}

/// What separates the fields of a CSV file: a comma, or else the semicolon or tab of its header.
fn separator(start: &[u8]) -> u8 {
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |separator: &u8| header.contains(separator);
    [b',', b';', b'\t'].into_iter().find(has).unwrap_or(b',')
}

impl RecordReader {
    /// Opens a file whose name says whether it is comma-separated.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_as(path, is_csv(path))
    }

    /// Opens a comma-separated file (`csv`) or a tab-separated one.
    pub fn open_as(path: &Path, csv: bool) -> Result<Self> {
        let mut source = source::open(path)?;
        let start = source.fill_buf().map_err(|error| source::read_error(path, error))?;
        if start.starts_with(b"PAR1") {
            let message =
                "it is a Parquet file, expected text; tables are read from files .parquet";
            return Err(Location::file(path).error(message));
        }
        let delimiter = if csv { separator(start) } else { b'\t' };
        if start.starts_with(b"\xef\xbb\xbf") {
            source.consume(3);
        }
        let parser = ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(csv)
            .terminator(Terminator::Any(b'\n'))
            .build();
        Ok(Self {
            path: path.to_path_buf(),
            source,
            parser,
            next_line: 1,
            line: 1,
            fields: vec![0; 1 << 12],
            ends: vec![0; 64],
            len: 0,
            text: String::new(),
            unread: false,
        })
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the next [`read_record`](Self::read_record) give the current record again.
    pub fn unread(&mut self) {
        self.unread = true;
    }

    /// Reads the next record; `false` at the end of the file.
    pub fn read_record(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.unread) {
            return Ok(true);
        }
        if !self.parse()? {
            return Ok(false);
        }
        let ends = &self.ends[..self.len];
        let text = str::from_utf8(&self.fields[..ends.last().copied().unwrap_or(0)])
            .ok()
            // Two broken characters that only the separator kept apart make a whole one once it is gone.
            .filter(|text| ends.iter().all(|end| text.is_char_boundary(*end)))
            .ok_or_else(|| self.location().error("the text is not valid UTF-8"))?;
        self.text.clear();
        self.text.push_str(text);
        Ok(true)
    }

    /// The current record.
    pub fn record(&self) -> Record<'_> {
        Record { text: &self.text, ends: &self.ends[..self.len] }
    }

    /// Where the current record starts.
    pub fn location(&self) -> Location {
        Location::line(&self.path, self.line)
    }

    /// The line that the current record starts on.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// How many lines the current record spans.
    pub fn lines(&self) -> u64 {
        self.next_line - self.line
    }

    /// Parses records until one is not empty; `false` at the end of the file.
    fn parse(&mut self) -> Result<bool> {
        while self.skip_line_feeds()? {
            self.line = self.next_line;
            let bytes = self.parse_one()?;
            if self.len == 0 {
                return Ok(false);
            }
            let last = field(&self.ends[..self.len], self.len - 1);
            if self.fields[last.clone()].last() == Some(&b'\r') {
                self.ends[self.len - 1] -= 1;
            }
            let blank = self.len == 1 && self.ends[0] == 0 && bytes <= 2;
            if !blank {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Skips line feeds, so that the parser starts where the record starts; `false` at the end of the file.
    fn skip_line_feeds(&mut self) -> Result<bool> {
        loop {
            let input = self.source.fill_buf().map_err(|e| source::read_error(&self.path, e))?;
            if input.is_empty() {
                return Ok(false);
            }
            let feeds = input.iter().take_while(|byte| **byte == b'\n').count();
            let more = feeds == input.len();
            self.next_line += feeds as u64;
            self.source.consume(feeds);
            if !more {
                return Ok(true);
            }
        }
    }

    /// Parses one record and returns the number of bytes it took in the file.
    fn parse_one(&mut self) -> Result<usize> {
        let (mut bytes, mut written, mut ended) = (0, 0, 0);
        loop {
            let input = self.source.fill_buf().map_err(|e| source::read_error(&self.path, e))?;
            // A last line without its line feed is given one; only within quotes does that not end the record.
            let at_end = input.is_empty();
            let (result, read, output, ends) = self.parser.read_record(
                if at_end { b"\n" } else { input },
                &mut self.fields[written..],
                &mut self.ends[ended..],
            );
            if !at_end {
                self.next_line +=
                    input[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
                self.source.consume(read);
                bytes += read;
            }
            written += output;
            ended += ends;
            match result {
                ReadRecordResult::InputEmpty if at_end => {
                    let message = "a quote in the record that starts here is never closed";
                    return Err(self.location().error(message));
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.fields.len() >= LONGEST_RECORD => {
                    let message =
                        "a record of more than 16 MiB starts here; is a quote never closed?";
                    return Err(self.location().error(message));
                }
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => {
                    self.len = ended;
                    return Ok(bytes);
                }
            }
        }
    }
}
