//! Texts with a label, from lines or from columns.

use crate::delimited::{HeaderedReader, RecordReader, is_csv};
use crate::json_lines::{self, JsonLines};
use crate::labelled_columns::{ColumnIndices, Content, find};
use crate::memory::Memory;
use crate::{LabelUse, Reader, ReaderNote, dataset, with_ids};
use ngsll::dataset::{Dataset, Origin, Texts};
use ngsll::error::{Location, Result};
use std::path::Path;

/// The usual names of a text column.
const TEXT_NAMES: [&str; 7] =
    ["text", "sentence", "review", "document", "content", "phrase", "question"];

/// The most consecutive blank lines where every line is a sample.
const MOST_BLANK_LINES: u64 = 1 << 20;

/// The columns of a text file to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOptions {
    /// The column of the text; by default one with a usual name (`text`, `sentence`, …) or the only one left.
    pub text: Option<String>,
    /// The column of the label; by default `label`, `class`, `target` or `y`.
    pub target: Option<String>,
    /// The column that identifies a text; none by default.
    pub id: Option<String>,
    /// Whether labels are read.
    pub labels: LabelUse,
}

/// Reads texts from a `.csv` file with a header, a tab-separated file with a header, JSON lines (`.jsonl`, `.ndjson`),
/// whose first object has the names of the columns, or lines `label<TAB>text` without a header; each may be
/// gzip-compressed.
///
/// A tab-separated file has a header if a column is named in the options or if its first line has the fields
/// `text` and `label`. If labels are not required, a line without a tab is a text without a label. Labels are
/// trimmed; texts are not, and may be empty.
pub struct TextReader {
    layout: Layout,
    labels: LabelUse,
    /// The line after the last one that was read.
    next_line: u64,
}

enum Layout {
    /// `label<TAB>text`, or the text alone.
    Lines(RecordReader),
    Columns {
        reader: HeaderedReader,
        columns: TextColumns<usize>,
    },
    Json {
        reader: JsonLines,
        columns: TextColumns<String>,
        current: [String; 3],
        unread: bool,
    },
}

/// The columns of the text, the label and the id.
struct TextColumns<T> {
    text: T,
    label: Option<T>,
    id: Option<T>,
}

impl TextReader {
    /// Opens `path` and finds its columns.
    pub fn open(path: impl AsRef<Path>, options: &TextOptions) -> Result<Self> {
        let path = path.as_ref();
        let layout = if JsonLines::is_named_by(path) {
            json(path, options)?
        } else {
            delimited(path, options)?
        };
        Ok(Self { layout, labels: options.labels, next_line: 1 })
    }
}

/// The layout of a file that is not JSON.
fn delimited(path: &Path, options: &TextOptions) -> Result<Layout> {
    let mut reader = RecordReader::open(path)?;
    let named = options.text.is_some() || options.target.is_some() || options.id.is_some();
    if is_csv(path) || named || starts_with_header(&mut reader)? {
        let reader = HeaderedReader::new(reader)?;
        let columns = find_columns(path, reader.headers(), options)?;
        return Ok(Layout::Columns { reader, columns });
    }
    Ok(Layout::Lines(reader))
}

/// The layout of JSON lines: the first object has the names.
fn json(path: &Path, options: &TextOptions) -> Result<Layout> {
    let mut reader = JsonLines::open(path)?;
    let unread = reader.read_object()?;
    let names: Vec<String> = reader.object().0.iter().map(|(name, _)| name.clone()).collect();
    if !unread {
        let message = "it is empty: expected at least one sample";
        return Err(Location::file(path).error(message));
    }
    let TextColumns { text, label, id } = find_columns(path, &names, options)?;
    let name = |column: usize| names[column].clone();
    let columns = TextColumns { text: name(text), label: label.map(name), id: id.map(name) };
    Ok(Layout::Json { reader, columns, current: Default::default(), unread })
}

fn starts_with_header(reader: &mut RecordReader) -> Result<bool> {
    if !reader.read_record()? {
        return Ok(false);
    }
    reader.unread();
    let record = reader.record();
    let has = |name: &str| record.iter().any(|field| field.trim().eq_ignore_ascii_case(name));
    Ok(has("text") && has("label"))
}

/// The columns of a file with these names.
fn find_columns(
    path: &Path,
    columns: &[String],
    options: &TextOptions,
) -> Result<TextColumns<usize>> {
    let column = options.text.as_deref();
    let content = Content { column, usual: &TEXT_NAMES, what: "text", option: "data.text" };
    let (target, id) = (options.target.as_deref(), options.id.as_deref());
    let ColumnIndices { content, label, id } =
        find(path, columns, &content, (target, id), options.labels)?;
    Ok(TextColumns { text: content, label, id })
}

/// The current record: its text, its label and its id, each empty if missing.
type TextRecord<'a> = (&'a str, &'a str, &'a str);

impl TextReader {
    /// The location of the current record.
    fn location(&self) -> Location {
        match &self.layout {
            Layout::Lines(reader) => reader.location(),
            Layout::Columns { reader, .. } => reader.get_ref().location(),
            Layout::Json { reader, .. } => reader.location(),
        }
    }

    /// The line that the current record starts on.
    fn line(&self) -> u64 {
        match &self.layout {
            Layout::Lines(reader) => reader.line(),
            Layout::Columns { reader, .. } => reader.get_ref().line(),
            Layout::Json { reader, .. } => reader.line(),
        }
    }

    /// Whether every line is a sample, as for prediction; if labels are required, a blank line is not.
    fn keeps_blank_lines(&self) -> bool {
        matches!(self.layout, Layout::Lines(_)) && self.labels != LabelUse::Required
    }

    /// Whether records have an id.
    fn has_ids(&self) -> bool {
        match &self.layout {
            Layout::Lines(_) => false,
            Layout::Columns { columns, .. } => columns.id.is_some(),
            Layout::Json { columns, .. } => columns.id.is_some(),
        }
    }

    fn read_record(&mut self) -> Result<bool> {
        match &mut self.layout {
            Layout::Lines(reader) => reader.read_record(),
            Layout::Columns { reader, .. } => reader.read_record(),
            Layout::Json { reader, columns, current, unread } => {
                if !std::mem::take(unread) && !reader.read_object()? {
                    return Ok(false);
                }
                let TextColumns { text, label, id } = columns;
                let names = [Some(&*text), label.as_ref(), id.as_ref()];
                for (value, name) in current.iter_mut().zip(names) {
                    let found = name.and_then(|name| Some((name, reader.object().get(name)?)));
                    let found = found.map(|(name, value)| {
                        let wrong = |message| reader.location().column(name).error(message);
                        json_lines::text(value).map_err(wrong)
                    });
                    *value = found.transpose()?.flatten().unwrap_or_default();
                }
                Ok(true)
            }
        }
    }

    /// The current record; missing parts are empty.
    fn record(&self) -> Result<TextRecord<'_>> {
        let (text, label, id) = match &self.layout {
            Layout::Json { current: [text, label, id], .. } => {
                (text.as_str(), label.as_str(), id.as_str())
            }
            Layout::Columns { reader, columns } => {
                let record = reader.get_ref().record();
                let cell = |column: Option<usize>| column.map_or("", |column| record.get(column));
                (record.get(columns.text), cell(columns.label), cell(columns.id))
            }
            Layout::Lines(reader) => {
                let record = reader.record();
                match record.len() {
                    2 => (record.get(1), record.get(0), ""),
                    1 if self.labels != LabelUse::Required => (record.get(0), "", ""),
                    found => {
                        let s = if found == 1 { "" } else { "s" };
                        return Err(self.location().error(format!(
                            "found {found} field{s}, expected 2: the label and the text, separated by a tab"
                        )));
                    }
                }
            }
        };
        Ok((text, label.trim(), id.trim()))
    }
}

impl Reader for TextReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let (mut texts, mut labels, mut lines) = (Texts::default(), Vec::new(), Vec::new());
        let (mut ids, mut memory) = (Vec::new(), Memory::new(self.path()));
        while lines.len() < max_rows.max(1) && self.read_record()? {
            // If every line is a sample, a blank one is an empty sample: row numbers stay line numbers.
            let line = self.line();
            let blank = if self.keeps_blank_lines() { self.next_line..line } else { line..line };
            if blank.end - blank.start > MOST_BLANK_LINES {
                let message = format!(
                    "more than {MOST_BLANK_LINES} blank lines come before it; is this a text file?"
                );
                return Err(self.location().error(message));
            }
            for line in blank {
                memory.add_row(line, 1)?;
                texts.push("");
                labels.push(String::new());
                ids.push(String::new());
                lines.push(line);
            }
            self.next_line = line + 1;
            let (text, label, id) = self.record()?;
            if label.is_empty() && self.labels == LabelUse::Required {
                return Err(self.location().error("the label is empty"));
            }
            memory.add_row(line, 1)?;
            for text in [text, label, id] {
                memory.add_text(line, text)?;
            }
            texts.push(text);
            labels.push(label.to_owned());
            ids.push(id.to_owned());
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let labels = (self.labels != LabelUse::Ignored).then_some(labels);
        let origin = Origin::Lines { file: self.path().to_path_buf(), lines };
        let dataset = dataset(texts, labels, origin)?;
        with_ids(dataset, self.has_ids().then_some(ids)).map(Some)
    }

    fn path(&self) -> &Path {
        match &self.layout {
            Layout::Lines(reader) => reader.path(),
            Layout::Columns { reader, .. } => reader.get_ref().path(),
            Layout::Json { reader, .. } => reader.path(),
        }
    }

    fn notes(&self) -> Vec<ReaderNote> {
        let notes = match &self.layout {
            Layout::Lines(reader) => reader.notes(),
            Layout::Columns { reader, .. } => reader.get_ref().notes(),
            Layout::Json { .. } => Vec::new(),
        };
        notes.into_iter().map(ReaderNote::from).collect()
    }
}
