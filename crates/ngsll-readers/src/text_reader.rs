//! Texts with a label, from lines or from columns.

use crate::delimited::{HeaderedReader, RecordReader, is_csv};
use crate::labelled_columns::{Content, find};
use crate::{LabelUse, Reader, dataset};
use ngsll::dataset::{Dataset, Origin, Texts};
use ngsll::error::Result;
use std::path::Path;

/// Names that a text column goes by when none is given.
const TEXT_NAMES: [&str; 7] =
    ["text", "sentence", "review", "document", "content", "phrase", "question"];

/// Which columns of a text file to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOptions {
    /// The column of the text; by default one with a usual name (`text`, `sentence`, …) or the only one left.
    pub text: Option<String>,
    /// The column of the label; by default `label`, `class`, `target` or `y`.
    pub target: Option<String>,
    /// Whether labels are read.
    pub labels: LabelUse,
}

/// Reads texts from a `.csv` file with a header, a tab-separated file with a header, or lines `label<TAB>text`
/// without one; each may be gzip-compressed.
///
/// A tab-separated file has a header when a column is named in the options or when its first line has the fields
/// `text` and `label`. Where labels are not required, a line without a tab is a text without a label. Labels are
/// trimmed, texts are kept as they are, and may be empty.
pub struct TextReader {
    layout: Layout,
    labels: LabelUse,
    /// The line after the last one that was read.
    next_line: u64,
}

enum Layout {
    /// `label<TAB>text`, or the text alone.
    Lines(RecordReader),
    /// The indices of the text and of the label.
    Columns { reader: HeaderedReader, text: usize, label: Option<usize> },
}

impl TextReader {
    /// Opens `path` and finds its columns.
    pub fn open(path: impl AsRef<Path>, options: &TextOptions) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = RecordReader::open(path)?;
        let named = options.text.is_some() || options.target.is_some();
        let layout = if is_csv(path) || named || starts_with_header(&mut reader)? {
            columns(HeaderedReader::new(reader)?, options)?
        } else {
            Layout::Lines(reader)
        };
        Ok(Self { layout, labels: options.labels, next_line: 1 })
    }
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

/// The layout of a file with a header.
fn columns(reader: HeaderedReader, options: &TextOptions) -> Result<Layout> {
    let column = options.text.as_deref();
    let content = Content { column, usual: &TEXT_NAMES, what: "text", option: "data.text" };
    let (path, target) = (reader.get_ref().path(), options.target.as_deref());
    let (text, label) = find(path, reader.headers(), &content, target, options.labels)?;
    Ok(Layout::Columns { reader, text, label })
}

impl TextReader {
    /// The reader of records, which has the current one.
    fn reader(&self) -> &RecordReader {
        match &self.layout {
            Layout::Lines(reader) => reader,
            Layout::Columns { reader, .. } => reader.get_ref(),
        }
    }

    /// Whether every line is a sample, as for prediction; where labels are required, a blank line is none.
    fn keeps_blank_lines(&self) -> bool {
        matches!(self.layout, Layout::Lines(_)) && self.labels != LabelUse::Required
    }

    fn read_record(&mut self) -> Result<bool> {
        match &mut self.layout {
            Layout::Lines(reader) => reader.read_record(),
            Layout::Columns { reader, .. } => reader.read_record(),
        }
    }

    /// The current record's text and label; no label is an empty one.
    fn text_and_label(&self) -> Result<(&str, &str)> {
        let record = self.reader().record();
        let (text, label) = match (&self.layout, record.len()) {
            (Layout::Columns { text, label, .. }, _) => {
                (record.get(*text), label.map_or("", |label| record.get(label)))
            }
            (Layout::Lines(_), 2) => (record.get(1), record.get(0)),
            (Layout::Lines(_), 1) if self.labels != LabelUse::Required => (record.get(0), ""),
            (Layout::Lines(_), found) => {
                let s = if found == 1 { "" } else { "s" };
                return Err(self.reader().location().error(format!(
                    "found {found} field{s}, expected 2: the label and the text, separated by a tab"
                )));
            }
        };
        Ok((text, label.trim()))
    }
}

impl Reader for TextReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let (mut texts, mut labels, mut lines) = (Texts::default(), Vec::new(), Vec::new());
        while lines.len() < max_rows.max(1) && self.read_record()? {
            // Where a line is a sample, a blank one is an empty sample: row numbers stay line numbers.
            let line = self.reader().line();
            let blank = if self.keeps_blank_lines() { self.next_line..line } else { line..line };
            for line in blank {
                texts.push("");
                labels.push(String::new());
                lines.push(line);
            }
            self.next_line = line + 1;
            let (text, label) = self.text_and_label()?;
            if label.is_empty() && self.labels == LabelUse::Required {
                return Err(self.reader().location().error("the label is empty"));
            }
            texts.push(text);
            labels.push(label.to_owned());
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let labels = (self.labels != LabelUse::Ignored).then_some(labels);
        let origin = Origin::Lines { file: self.path().to_path_buf(), lines };
        dataset(texts, labels, origin).map(Some)
    }

    fn path(&self) -> &Path {
        self.reader().path()
    }
}
