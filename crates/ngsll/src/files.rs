//! Files and folders that are either whole or not there, whatever happens in between.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to a temporary sibling, syncs it and renames it to `path`.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = sibling(path, "tmp");
    let write = || -> io::Result<()> {
        write_synced(&beside, bytes)?;
        fs::rename(&beside, path)?;
        sync_parent(path)
    };
    write().map_err(|e| {
        // The reason is in `e`; a temporary that cannot be removed adds nothing to it.
        let _ = fs::remove_file(&beside);
        Error::io(path, "write", e)
    })
}

/// Writes the files into the new folder `beside`, syncs all of them and the folder, and renames it to
/// `folder`: what comes after this call may rely on the folder, even after a power cut.
pub(crate) fn write_folder(folder: &Path, beside: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    let write = || -> io::Result<()> {
        fs::create_dir_all(beside)?;
        for (name, bytes) in files {
            write_synced(&beside.join(name), bytes)?;
        }
        sync(beside)?;
        fs::rename(beside, folder)?;
        sync_parent(folder)
    };
    write().map_err(|e| {
        // As above.
        let _ = fs::remove_dir_all(beside);
        Error::io(folder, "write", e)
    })
}

/// Writes the files into a new folder beside `folder` and puts it in the place of that one.
pub(crate) fn replace_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    let (new, old) = (sibling(folder, "new"), sibling(folder, "old"));
    write_folder(&new, &sibling(folder, "tmp"), files)?;
    let swap = || -> io::Result<()> {
        fs::rename(folder, &old)?;
        fs::rename(&new, folder).inspect_err(|_| {
            // Back to how it was; the error says why.
            let _ = fs::rename(&old, folder);
        })?;
        sync_parent(folder)?;
        fs::remove_dir_all(&old)
    };
    swap().map_err(|e| {
        let _ = fs::remove_dir_all(&new);
        Error::io(folder, "replace", e)
    })
}

/// `path` with a suffix that no other process uses: `model` → `.model.tmp-1234`.
pub(crate) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{suffix}-{}", std::process::id()))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a rename last: a file's name is part of its folder.
fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => sync(Path::new(".")),
        Some(parent) => sync(parent),
        None => Ok(()),
    }
}

/// Syncs a folder; only Unix can open one.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
