//! What can go wrong, said once: what was found, where, and what was expected.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error whose message is one sentence that a user can act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The content of a data file is not what was expected.
    #[error("{place}: {message}")]
    Data {
        /// Where in which file.
        place: Place,
        /// What was found and what was expected.
        message: String,
    },
    /// The operating system refused to read or write.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried: "read", "write", "create".
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A setting has a value that cannot work.
    #[error("{name} = {value}: {expected}")]
    Setting {
        /// The setting's name as the user writes it.
        name: String,
        /// The value that was given.
        value: String,
        /// What would be accepted.
        expected: String,
    },
    /// A model folder is damaged or was written by another version.
    #[error("{path}: {message}", path = path.display())]
    ModelFolder {
        /// The file inside the model folder.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A number that must be finite is NaN or infinite.
    #[error("{what} is not a finite number{hint}")]
    NotFinite {
        /// What was computed.
        what: String,
        /// What to try, starting with a separator, or nothing.
        hint: String,
    },
    /// Training was stopped from outside; its state is in the checkpoint, if it keeps one.
    #[error("training was interrupted")]
    Interrupted,
}

/// A place in a file, as precise as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, counted from 1; in binary files and Parquet the record.
    pub line: Option<u64>,
    /// The column's name, where the file has named columns.
    pub column: Option<String>,
}

impl Place {
    /// The whole file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { file: path.as_ref().to_path_buf(), line: None, column: None }
    }

    /// A line (or record) of the file, counted from 1.
    pub fn line(path: impl AsRef<Path>, line: u64) -> Self {
        Self { line: Some(line), ..Self::file(path) }
    }

    /// The same place, narrowed to a named column.
    pub fn column(mut self, name: impl Into<String>) -> Self {
        self.column = Some(name.into());
        self
    }

    /// An error at this place.
    pub fn error(self, message: impl Into<String>) -> Error {
        Error::Data { place: self, message: message.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, " column {column:?}")?;
        }
        Ok(())
    }
}

impl Error {
    /// The system's refusal to `action` (a verb such as "read") `path`.
    pub fn io(path: impl AsRef<Path>, action: &'static str, source: std::io::Error) -> Self {
        Error::Io { path: path.as_ref().to_path_buf(), action, source }
    }

    /// The same error with its column named, where it is about a line of a file.
    pub fn in_column(mut self, name: Option<&str>) -> Self {
        if let (Error::Data { place, .. }, Some(name)) = (&mut self, name)
            && place.line.is_some()
        {
            place.column.get_or_insert_with(|| name.to_string());
        }
        self
    }

    /// A setting that cannot work, with what would be accepted.
    pub fn setting(
        name: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Error::Setting { name: name.into(), value: value.to_string(), expected: expected.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_file_line_and_column() {
        let error = Place::line("a.csv", 17).column("age").error("\"x\" is not a number");
        assert_eq!(error.to_string(), "a.csv line 17 column \"age\": \"x\" is not a number");
    }
}
