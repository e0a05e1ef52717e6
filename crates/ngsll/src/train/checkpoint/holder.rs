//! One training at a time has a folder of checkpoints.

use super::STATE;
use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file that is locked.
const LOCK: &str = "lock";

/// A locked file in the folder; the lock ends with the process, however that ends.
#[derive(Debug)]
pub(super) struct Holder {
    folder: PathBuf,
    file: File,
}

impl Holder {
    /// Takes the folder, which exists.
    pub fn new(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        loop {
            let opened = File::options().write(true).create(true).truncate(false).open(&path);
            let file = match opened {
                // The one before may have removed the folder just now.
                Err(e) if e.kind() == ErrorKind::NotFound && !folder.exists() => {
                    fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
                    continue;
                }
                opened => opened.map_err(|e| Error::io(&path, "open", e))?,
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    return Ok(Self { folder: folder.to_path_buf(), file });
                }
                // The one before has removed the file that was locked here.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let message = "another training is using it: wait until that has ended, \
                                   or choose another place";
                    return Err(Error::ModelFolder {
                        path: folder.to_path_buf(),
                        message: message.into(),
                    });
                }
                // Where the file system knows no locks, nobody can be kept out.
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {
                    return Ok(Self { folder: folder.to_path_buf(), file });
                }
                Err(TryLockError::Error(e)) => return Err(Error::io(&path, "lock", e)),
            }
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // Where training has ended, somebody else may have the folder by now. A lock without a checkpoint is
        // of no use to anybody, nor is an empty folder; neither does harm where it cannot be removed.
        let path = self.folder.join(LOCK);
        if is_at(&self.file, &path) && !self.folder.join(STATE).exists() {
            let _ = fs::remove_file(path);
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Whether the path still names this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |about: fs::Metadata| (about.dev(), about.ino());
    let found = fs::metadata(path).ok().map(number);
    found.is_some() && found == file.metadata().ok().map(number)
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
