//! Errors: the problem, its location, and what was expected.

mod json;
mod remedy;

pub use json::{JsonError, from_json};
pub use remedy::Remedy;

use std::fmt;
use std::path::{Path, PathBuf};

/// The operating system's reason, without its error number.
///
/// ```
/// let error = std::fs::read("no such file").unwrap_err();
/// assert!(!ngsll::error::system_reason(&error).contains("os error"));
/// ```
#[doc(hidden)]
pub fn system_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_string()
}

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error whose message is one sentence that a user can act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data are not as expected.
    #[error("{location}: {message}")]
    Data {
        /// The sample, and its file if known.
        location: Location,
        /// The problem, and what was expected.
        message: String,
    },
    /// The operating system refused to read or write.
    #[error("{path}: cannot {action}: {reason}", path = path.display(), reason = system_reason(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The attempted operation: "read", "write", "create".
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// An option has a value that cannot work.
    #[error("{name} = {value}: {expected}")]
    Setting {
        /// The option or argument, such as `generator.units` or `labels`.
        name: String,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// An option that has no default for this data was not given.
    #[error("{location}: {message}: {name} is not set")]
    Unset {
        /// The data that need it.
        location: Location,
        /// The option's path in [`Config`](crate::Config), such as `data.target`.
        name: &'static str,
        /// The decision that needs it.
        message: String,
    },
    /// The data are invalid unless an option declares how to read them.
    #[error("{location}: {message}, or {remedy}")]
    Undecided {
        /// The sample, and its file if known.
        location: Location,
        /// The problem, and what would make the data valid.
        message: String,
        /// The option.
        remedy: Box<Remedy>,
    },
    /// A model folder is damaged or was written by another version.
    #[error("{path}: {message}", path = path.display())]
    ModelFolder {
        /// The file inside the model folder.
        path: PathBuf,
        /// The problem.
        message: String,
    },
    /// The file or folder to be written already exists.
    #[error("{path}: already exists and will not be overwritten; choose another name", path = path.display())]
    AlreadyExists {
        /// The file or folder.
        path: PathBuf,
    },
    /// A number that must be finite is NaN or infinite.
    #[error("{what} is not a finite number{hint}")]
    NotFinite {
        /// The number's name.
        what: String,
        /// A suggestion, starting with a separator, or empty.
        hint: String,
    },
    /// Training was stopped by the caller; its state is in the checkpoint, if there is one.
    #[error("training was interrupted")]
    Interrupted,
}

/// The location of a problem, as precisely as it is known.
///
/// ```
/// use ngsll::error::Location;
/// assert_eq!(Location::line("a.csv", 17).column("age").to_string(), "a.csv line 17 column \"age\"");
/// assert_eq!(Location::sample(3).to_string(), "sample 3");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The file or folder; samples that were made in memory have none.
    pub file: Option<PathBuf>,
    /// The line, counted from 1 (in binary files and Parquet the record), or the sample's number,
    /// counted from 0, where there is no file.
    pub line: Option<u64>,
    /// The column's name, where the data have named columns.
    pub column: Option<String>,
}

impl Location {
    /// The whole file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { file: Some(path.as_ref().to_path_buf()), line: None, column: None }
    }

    /// A line (or record) of the file, counted from 1.
    pub fn line(path: impl AsRef<Path>, line: u64) -> Self {
        Self { line: Some(line), ..Self::file(path) }
    }

    /// A sample in memory, counted from 0.
    pub fn sample(number: usize) -> Self {
        Self { file: None, line: Some(number as u64), column: None }
    }

    /// Narrows the location to a named column.
    pub fn column(mut self, name: impl Into<String>) -> Self {
        self.column = Some(name.into());
        self
    }

    /// An error at this location.
    pub fn error(self, message: impl Into<String>) -> Error {
        Error::Data { location: self, message: message.into() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), None) => write!(f, "{}", file.display())?,
            (Some(file), Some(line)) => write!(f, "{} line {line}", file.display())?,
            (None, None) => write!(f, "the data")?,
            (None, Some(number)) => write!(f, "sample {number}")?,
        }
        match &self.column {
            Some(column) => write!(f, " column {column:?}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// The error when `action` (a verb such as "read") fails on `path`.
    pub fn io(path: impl AsRef<Path>, action: &'static str, source: std::io::Error) -> Self {
        Error::Io { path: path.as_ref().to_path_buf(), action, source }
    }

    /// Adds the column's name to an error about a single sample.
    pub fn in_column(mut self, name: Option<&str>) -> Self {
        let location = match &mut self {
            Error::Data { location, .. } | Error::Undecided { location, .. } => Some(location),
            _ => None,
        };
        if let (Some(location), Some(name)) = (location.filter(|at| at.line.is_some()), name) {
            location.column.get_or_insert_with(|| name.to_string());
        }
        self
    }

    /// Prefixes the option's name with the table `prefix`.
    pub(crate) fn within(mut self, prefix: &str) -> Self {
        if let Error::Setting { name, .. } = &mut self {
            *name = format!("{prefix}.{name}");
        }
        self
    }

    /// An option with an invalid value, and the values that would be accepted.
    pub fn setting(
        name: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Error::Setting { name: name.into(), value: value.to_string(), expected: expected.into() }
    }
}
