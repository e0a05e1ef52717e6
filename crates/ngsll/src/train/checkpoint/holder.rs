//! The lock that lets one training at a time use a folder of checkpoints.

use super::STATE;
use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file that is locked.
const LOCK: &str = "lock";

/// A locked file in the folder; the lock is released when the process ends, however it ends.
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
                // The previous holder may have removed the folder just now.
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
                // The previous holder has removed the file that was locked here.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let message = "another training is using it: wait until it has ended, \
                                   or choose another folder";
                    return Err(Error::ModelFolder {
                        path: folder.to_path_buf(),
                        message: message.into(),
                    });
                }
                // On a file system without locks, other trainings cannot be kept out.
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
        // When training has ended, another process may have the folder by now. A lock without a checkpoint is
        // of no use, nor is an empty folder; both are harmless if they cannot be removed.
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
