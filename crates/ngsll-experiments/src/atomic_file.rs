//! Files that are either whole or not there.
//!
//! `ngsll` has such a function, too, in `files.rs`. It is private: a user of the method has no need of it,
//! and it does without the crate `tempfile`, which this one can rely on.

use ngsll::error::{Error, Result};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes `bytes` to a temporary file in the same folder, syncs it and renames it to `path`.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = new_file(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|e| Error::io(path, "write", e))
}

/// A temporary file with the permissions of any new file; by default only its owner could read it.
#[cfg(unix)]
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(permissions).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}
