//! Paths as the user reads them.

use std::path::Path;

/// The last part of a path: a page that is passed on need not say where it was made.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
