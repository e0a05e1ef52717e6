//! Records of delimited files, one at a time, each with the line it starts on.
//!
//! In `.csv` files fields are separated by the most frequent separator of the header (commas, semicolons or tabs) or by
//! that of a first line `sep=;`, may be quoted and then contain commas, quotes and line breaks. In other files they are
//! separated by tabs, a line is a record, and quotes are ordinary characters.
//!
//! Files are UTF-8 or UTF-16. Where the first character beyond ASCII is not UTF-8, the file is read as Windows-1252.
//!
//! This drives the parser `csv-core` itself, not the crate `csv` around it, for three things that crate does not do:
//! it accepts a quote that is never closed as the end of the file's last field, puts no bound on the length of a
//! record, and counts the blank lines before a record as part of it, so that messages would name a wrong line.

use super::encoding::{Decoded, is_windows_1252, push_windows_1252, utf_16};
use crate::source::{self, Source};
use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};
use ngsll::error::{Location, Result};
use std::io::BufRead;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A longer record counts as an error: most likely a quote that is never closed.
const LONGEST_RECORD: usize = 16 << 20;

/// A record with more fields is not a row of a table.
const MOST_FIELDS: usize = 1 << 20;

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
    /// Whether the current record is to be returned again.
    unread: bool,
    delimiter: u8,
    encoding: TextEncoding,
}

/// The encoding of a file, as far as it has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextEncoding {
    /// Nothing beyond ASCII yet.
    Ascii,
    Utf8,
    /// Decoded by the source.
    Utf16,
    Windows1252,
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

/// The separator of a CSV file's fields: the most frequent one in its header outside quotes; a comma wins ties.
fn separator(start: &[u8]) -> u8 {
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut counts = [(b'\t', 0), (b';', 0), (b',', 0)];
    let mut quoted = false;
    for byte in header {
        quoted ^= *byte == b'"';
        let count = counts.iter_mut().find(|(separator, _)| separator == byte && !quoted);
        count.into_iter().for_each(|(_, count)| *count += 1);
    }
    // Of equal counts `max_by_key` takes the last.
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| separator)
}

/// The separator that a first line `sep=;` names, as Excel writes it, and the bytes of this line.
fn named_separator(start: &[u8]) -> Option<(u8, usize)> {
    let line = start.split_inclusive(|byte| *byte == b'\n').next()?;
    let (name, rest) = line.split_at_checked(4)?;
    match (name.eq_ignore_ascii_case(b"sep="), rest) {
        (true, [separator, b'\n'] | [separator, b'\r', b'\n']) => Some((*separator, line.len())),
        _ => None,
    }
}

/// Whether there is no line feed, but a carriage return between two lines.
fn ends_lines_by_returns(start: &[u8]) -> bool {
    let within = start.trim_ascii();
    within.contains(&b'\r') && !start.contains(&b'\n')
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
            let message = "it is a Parquet file, expected text; give it a name that ends in .parquet to read a table";
            return Err(Location::file(path).error(message));
        }
        let encoding = match utf_16(start) {
            Some(utf_16) => {
                source = Box::new(Decoded::new(source, utf_16));
                TextEncoding::Utf16
            }
            None => TextEncoding::Ascii,
        };
        let peek = |source: &mut Source| -> Result<Vec<u8>> {
            let start = source.fill_buf().map_err(|error| source::read_error(path, error))?;
            Ok(start.to_vec())
        };
        if peek(&mut source)?.starts_with(b"\xef\xbb\xbf") {
            source.consume(3);
        }
        let start = peek(&mut source)?;
        if ends_lines_by_returns(&start) {
            let message = "its lines end with carriage returns alone, as on old Macs; save it with line feeds";
            return Err(Location::file(path).error(message));
        }
        let named = named_separator(&start).filter(|_| csv);
        let delimiter = match named {
            Some((delimiter, bytes)) => {
                source.consume(bytes);
                delimiter
            }
            None if csv => separator(&start),
            None => b'\t',
        };
        let parser = ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(csv)
            .terminator(Terminator::Any(b'\n'))
            .build();
        Ok(Self {
            path: path.to_path_buf(),
            source,
            parser,
            next_line: 1 + u64::from(named.is_some()),
            line: 1,
            fields: vec![0; 1 << 12],
            ends: vec![0; 64],
            len: 0,
            text: String::new(),
            unread: false,
            delimiter,
            encoding,
        })
    }

    /// The separator of the fields.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Notes for the user about how the file was read.
    pub fn notes(&self) -> Vec<String> {
        let path = self.path.display();
        match self.encoding {
            TextEncoding::Ascii | TextEncoding::Utf8 => Vec::new(),
            TextEncoding::Utf16 => vec![format!("{path} is read as UTF-16")],
            TextEncoding::Windows1252 => {
                vec![format!("{path} is read as Windows-1252 (Latin-1), as it is not UTF-8")]
            }
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the next [`read_record`](Self::read_record) return the current record again.
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
        self.text.clear();
        let ends = &self.ends[..self.len];
        let bytes = &self.fields[..ends.last().copied().unwrap_or(0)];
        if self.encoding != TextEncoding::Windows1252 {
            let text = str::from_utf8(bytes)
                .ok()
                // Two broken characters kept apart only by the separator would form a valid one without it.
                .filter(|text| ends.iter().all(|end| text.is_char_boundary(*end)));
            match (text, self.encoding) {
                (Some(text), encoding) => {
                    if encoding == TextEncoding::Ascii && !text.is_ascii() {
                        self.encoding = TextEncoding::Utf8;
                    }
                    self.text.push_str(text);
                    return Ok(true);
                }
                (None, TextEncoding::Ascii) if is_windows_1252(bytes) => {
                    self.encoding = TextEncoding::Windows1252;
                }
                _ => return Err(self.location().error("the text is not valid UTF-8")),
            }
        }
        let mut start = 0;
        for end in &mut self.ends[..self.len] {
            push_windows_1252(&mut self.text, &self.fields[start..*end]);
            start = std::mem::replace(end, self.text.len());
        }
        Ok(true)
    }

    /// The current record.
    pub fn record(&self) -> Record<'_> {
        Record { text: &self.text, ends: &self.ends[..self.len] }
    }

    /// The location of the current record.
    pub fn location(&self) -> Location {
        Location::line(&self.path, self.line)
    }

    /// The line that the current record starts on.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The number of lines that the current record spans.
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
            // A last line without a line feed gets one; it does not end the record only within quotes.
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
                ReadRecordResult::OutputEndsFull if self.ends.len() >= MOST_FIELDS => {
                    let message = format!("a record of more than {MOST_FIELDS} fields starts here");
                    return Err(self.location().error(message));
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => {
                    self.len = ended;
                    return Ok(bytes);
                }
            }
        }
    }
}
