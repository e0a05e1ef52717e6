//! Paths as shown to users.

use crate::stdin;
use std::path::Path;

/// The last part of a path: a shared page must not reveal a local path.
pub fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path != Path::new("-") => name.to_string_lossy().into_owned(),
        _ => stdin::shown(path),
    }
}
