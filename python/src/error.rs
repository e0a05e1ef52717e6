//! The library's errors as Python's exceptions, in the same words.

use ngsll::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyKeyboardInterrupt, PyOSError, PyValueError};

/// What a Python user catches: `OSError` where the system refused, `FileExistsError` where something is in the
/// way, `KeyboardInterrupt` after Ctrl-C, and `ValueError` for everything about data, options and models.
pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Io { source, .. } => match source.raw_os_error() {
            // With the number, Python makes FileNotFoundError or PermissionError of it.
            Some(number) => PyOSError::new_err((number, message)),
            None => PyOSError::new_err(message),
        },
        Error::AlreadyExists { .. } => PyFileExistsError::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
