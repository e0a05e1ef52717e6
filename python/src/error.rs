//! Maps library errors to Python exceptions, with the same messages.

use ngsll::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyKeyboardInterrupt, PyOSError, PyValueError};

/// Maps a library error to a Python exception: `OSError` for errors of the system, `FileExistsError` if the target
/// exists, `KeyboardInterrupt` after Ctrl-C, and `ValueError` for everything about data, options and models.
pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Io { source, .. } => match source.raw_os_error() {
            // From the number, Python derives FileNotFoundError or PermissionError.
            Some(number) => PyOSError::new_err((number, message)),
            None => PyOSError::new_err(message),
        },
        Error::AlreadyExists { .. } => PyFileExistsError::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
