//! Paths as the user reads them.

use crate::stdin;
use std::path::Path;

/// The last part of a path: a page that is passed on need not say where it was made.
pub fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path != Path::new("-") => name.to_string_lossy().into_owned(),
        _ => stdin::shown(path),
    }
}
