//! Texts with a label, from lines or from columns.

use std::path::Path;

use super::delimited::{Headed, Records, is_csv};
use super::{Chunk, Labels, Origin, Reader, Samples, Texts, names};
use crate::error::{Error, Place, Result};

/// Names that a label column goes by when none is given.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];
/// Names that a text column goes by when none is given.
const TEXT_NAMES: [&str; 7] =
    ["text", "sentence", "review", "document", "content", "phrase", "question"];

/// Which columns of a text file to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// The column of the text; by default one with a usual name (`text`, `sentence`, …) or the only one left.
    pub text: Option<String>,
    /// The column of the label; by default `label`, `class`, `target` or `y`.
    pub target: Option<String>,
    /// Whether labels are read.
    pub labels: Labels,
}

/// Reads texts from a `.csv` file with a header, a tab-separated file with a header, or lines `label<TAB>text`
/// without one; each may be gzip-compressed.
///
/// A tab-separated file has a header when a column is named in the options or when its first line has the fields
/// `text` and `label`. Where labels are not required, a line without a tab is a text without a label. Labels are
/// trimmed, texts are kept as they are, and may be empty.
pub struct TextReader {
    layout: Layout,
    labels: Labels,
    /// The line after the last one that was read.
    next_line: u64,
}

enum Layout {
    /// `label<TAB>text`, or the text alone.
    Lines(Records),
    /// The indices of the text and of the label.
    Columns { records: Headed, text: usize, label: Option<usize> },
}

impl TextReader {
    /// Opens `path` and finds its columns.
    pub fn open(path: impl AsRef<Path>, options: &TextOptions) -> Result<Self> {
        let path = path.as_ref();
        let mut records = Records::open(path)?;
        let named = options.text.is_some() || options.target.is_some();
        let layout = if is_csv(path) || named || starts_with_header(&mut records)? {
            columns(Headed::new(records)?, options)?
        } else {
            Layout::Lines(records)
        };
        Ok(Self { layout, labels: options.labels, next_line: 1 })
    }
}

fn starts_with_header(records: &mut Records) -> Result<bool> {
    if !records.advance()? {
        return Ok(false);
    }
    records.stay();
    let record = records.record();
    let has = |name: &str| record.iter().any(|field| field.trim().eq_ignore_ascii_case(name));
    Ok(has("text") && has("label"))
}

/// The layout of a file with a header.
fn columns(records: Headed, options: &TextOptions) -> Result<Layout> {
    let (path, columns) = (records.records().path(), records.names());
    let label = match &options.target {
        Some(target) if options.labels == Labels::Required => {
            Some(names::find(path, columns, target)?)
        }
        Some(target) => columns.iter().position(|column| column == target),
        None => usual(columns, &LABEL_NAMES),
    };
    if label.is_none() && options.labels == Labels::Required {
        return Err(unclear(path, columns, "label", "expected its name with --target COLUMN"));
    }
    let text = match &options.text {
        Some(text) => Some(names::find(path, columns, text)?),
        None => usual(columns, &TEXT_NAMES).filter(|text| Some(*text) != label).or_else(|| {
            let mut left = (0..columns.len()).filter(|column| Some(*column) != label);
            left.next().filter(|_| left.next().is_none())
        }),
    };
    let text = text.ok_or_else(|| unclear(path, columns, "text", TEXT_EXPECTED))?;
    if label == Some(text) {
        let message = format!("column {:?} cannot be both the text and the label", columns[text]);
        return Err(Place::file(path).error(message));
    }
    let label = label.filter(|_| options.labels != Labels::Ignored);
    Ok(Layout::Columns { records, text, label })
}

/// The first column with one of the usual names.
fn usual(columns: &[String], usual: &[&str]) -> Option<usize> {
    usual.iter().find_map(|name| columns.iter().position(|c| c.eq_ignore_ascii_case(name)))
}

/// Not every command that reads texts has options for their columns.
const TEXT_EXPECTED: &str =
    "expected one named \"text\", or a model trained with --set data.text=COLUMN";

fn unclear(path: &Path, columns: &[String], what: &str, expected: &str) -> Error {
    let list = names::list(columns);
    Place::file(path).error(format!(
        "it is not clear which column is the {what}: {expected}; the columns are {list}"
    ))
}

impl TextReader {
    /// The records, to look at the current one.
    fn records(&self) -> &Records {
        match &self.layout {
            Layout::Lines(records) => records,
            Layout::Columns { records, .. } => records.records(),
        }
    }

    /// Whether every line is a sample, as for prediction; where labels are required, a blank line is none.
    fn keeps_blank_lines(&self) -> bool {
        matches!(self.layout, Layout::Lines(_)) && self.labels != Labels::Required
    }

    fn advance(&mut self) -> Result<bool> {
        match &mut self.layout {
            Layout::Lines(records) => records.advance(),
            Layout::Columns { records, .. } => records.advance(),
        }
    }

    /// The current record's text and label; no label is an empty one.
    fn text_and_label(&self) -> Result<(&str, &str)> {
        let record = self.records().record();
        let (text, label) = match (&self.layout, record.len()) {
            (Layout::Columns { text, label, .. }, _) => {
                (record.get(*text), label.map_or("", |label| record.get(label)))
            }
            (Layout::Lines(_), 2) => (record.get(1), record.get(0)),
            (Layout::Lines(_), 1) if self.labels != Labels::Required => (record.get(0), ""),
            (Layout::Lines(_), found) => {
                let s = if found == 1 { "" } else { "s" };
                return Err(self.records().place().error(format!(
                    "found {found} field{s}, expected 2: the label and the text, separated by a tab"
                )));
            }
        };
        Ok((text, label.trim()))
    }
}

impl Reader for TextReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let (mut texts, mut labels, mut lines) = (Texts::default(), Vec::new(), Vec::new());
        while lines.len() < max_rows.max(1) && self.advance()? {
            // Where a line is a sample, a blank one is an empty sample: row numbers stay line numbers.
            let line = self.records().line();
            let blank = if self.keeps_blank_lines() { self.next_line..line } else { line..line };
            for line in blank {
                texts.push("");
                labels.push(String::new());
                lines.push(line);
            }
            self.next_line = line + 1;
            let (text, label) = self.text_and_label()?;
            if label.is_empty() && self.labels == Labels::Required {
                return Err(self.records().place().error("the label is empty"));
            }
            texts.push(text);
            labels.push(label.to_owned());
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let labelled = self.labels != Labels::Ignored && labels.iter().any(|l| !l.is_empty());
        Ok(Some(Chunk {
            samples: Samples::Texts(texts),
            labels: labelled.then_some(labels),
            origin: Origin::Lines { file: self.path().to_path_buf(), lines },
        }))
    }

    fn path(&self) -> &Path {
        self.records().path()
    }
}
