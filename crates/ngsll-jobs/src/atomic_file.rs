//! Files that are either complete or absent.
//!
//! `ngsll` has such functions, too, in `files.rs`. They are private, as users of the method do not need them,
//! and avoid the dependency on `tempfile`, which this crate can have.

use ngsll::files::remove_unless_held;
use std::fs::{self, TryLockError};
use std::io;
use std::path::Path;

pub use ngsll::files::write_atomic;
pub use tempfile::NamedTempFile;

/// Names of temporary files.
const PREFIX: &str = ".ngsll-";
const SUFFIX: &str = ".part";

/// A temporary file; it is removed when it is dropped, unless it was given a name. Those that killed processes
/// have left in the folder are removed: whoever still has one has locked it.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    remove_leftovers(folder);
    let mut builder = tempfile::Builder::new();
    // Readable by others as far as the umask permits, like any ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.prefix(PREFIX).suffix(SUFFIX).tempfile_in(folder)?;
        // Another process may remove it before it is locked. On file systems without locks nothing is removed.
        let is_held_elsewhere = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !is_held_elsewhere && file.path().exists() {
            return Ok(file);
        }
    }
}

fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_named_so =
            name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_named_so && is_file {
            remove_unless_held(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_removed_and_locked_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let leftover = folder.path().join(".ngsll-a1B2c3.part");
        fs::write(&leftover, "half a download").unwrap();
        fs::write(folder.path().join(".ngsll-notes"), "not ours").unwrap();
        let held = temporary_in(folder.path()).unwrap();
        assert!(!leftover.exists());
        write_atomic(&folder.path().join("results.csv"), b"whole").unwrap();
        assert!(held.path().exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn cleaning_up_never_removes_a_file_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let make = || {
            for _ in 0..500 {
                let held = temporary_in(folder.path()).unwrap();
                assert!(held.path().exists(), "another thread has removed it");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(make))));
    }
}
