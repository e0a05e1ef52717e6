//! Files with a JSON object on each line.

use crate::source::{self, Source};
use ngsll::error::{Location, Result, from_json};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// A longer line counts as an error.
const LONGEST_LINE: usize = 16 << 20;

/// The objects of a file, blank lines left out.
pub(crate) struct JsonLines {
    path: PathBuf,
    source: Source,
    /// The number of the line that was read last.
    line: u64,
    bytes: Vec<u8>,
    object: Object,
}

/// Names and values in the order of the file; a name that occurs twice has both values.
#[derive(Debug, Default)]
pub(crate) struct Object(pub Vec<(String, Value)>);

impl Object {
    /// The value of a name; `None` if it is absent.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl JsonLines {
    /// Whether the file's name says that it holds JSON lines.
    pub fn is_named_by(path: &Path) -> bool {
        matches!(source::extension(path).as_str(), "jsonl" | "ndjson")
    }

    pub fn open(path: &Path) -> Result<Self> {
        let mut source = source::open(path)?;
        let start = source.fill_buf().map_err(|error| source::read_error(path, error))?;
        if start.starts_with(b"\xef\xbb\xbf") {
            source.consume(3);
        }
        let (bytes, object) = (Vec::new(), Object::default());
        Ok(Self { path: path.to_path_buf(), source, line: 0, bytes, object })
    }

    /// Reads the next object; `false` at the end of the file.
    pub fn read_object(&mut self) -> Result<bool> {
        loop {
            self.bytes.clear();
            let mut line = (&mut self.source).take(LONGEST_LINE as u64);
            let read = line.read_until(b'\n', &mut self.bytes);
            let read = read.map_err(|error| source::read_error(&self.path, error))?;
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            if read == LONGEST_LINE {
                return Err(self.location().error("the line is longer than 16 MiB"));
            }
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        self.object = from_json(&self.bytes).map_err(|error| {
            // The parser sees one line only.
            let reason = error.reason.replace("(line 1, column", "(column");
            self.location().error(format!("the line is not a JSON object: {reason}"))
        })?;
        Ok(true)
    }

    /// The current object.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// The line of the current object.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The location of the current object.
    pub fn location(&self) -> Location {
        Location::line(&self.path, self.line)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A value as text, `None` for null; the error is the message for a list or an object.
pub(crate) fn text(value: &Value) -> std::result::Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(truth) => Ok(Some(truth.to_string())),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Array(_) | Value::Object(_) => Err(NESTED),
    }
}

/// The message for a value that does not fit into a cell.
pub(crate) const NESTED: &str =
    "found a list or an object, expected a number, a text, true, false or null";

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Object, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Object(entries))
    }
}
