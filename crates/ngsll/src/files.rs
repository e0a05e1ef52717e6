//! Files that are either whole or not there.

use crate::error::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `bytes` to a temporary sibling and renames it to `path`.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = sibling(path, "tmp");
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|e| {
        // The reason is in `e`; a temporary that cannot be removed adds nothing to it.
        let _ = std::fs::remove_file(&beside);
        Error::io(path, "write", e)
    })
}

/// `path` with a suffix that no other process uses: `model` → `.model.tmp-1234`.
pub fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{suffix}-{}", std::process::id()))
}
