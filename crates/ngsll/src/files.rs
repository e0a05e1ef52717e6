//! Files and folders that are either complete or absent, whatever happens in between, and bounded reads of
//! regular files.
//!
//! Hand-written: the crate `tempfile` would replace only `Temporary` (a unique name, removal on drop). Syncing,
//! locks that tell leftovers of killed processes from files in use, and the atomic exchange of folders would remain.

use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to a temporary sibling, syncs it and renames it to `path`.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let temporary = Temporary::new(path, |beside| File::create_new(beside).map(Some))?;
        write_synced(temporary.lock.as_ref().expect("it was created"), bytes)?;
        fs::rename(&temporary.path, path)?;
        sync_parent(path)
    };
    write().map_err(|e| Error::io(path, "write", e))
}

/// Writes the files into a new folder beside its path, syncs all of them and the folder, and renames it to
/// `folder`: later steps can rely on the folder, even after a power cut.
pub(crate) fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    let write = || -> io::Result<()> {
        let temporary = written_beside(folder, files)?;
        fs::rename(&temporary.path, folder)?;
        sync_parent(folder)
    };
    write().map_err(|e| Error::io(folder, "write", e))
}

/// Writes the files into a new folder beside `folder` and replaces `folder` by it.
pub(crate) fn replace_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    let replace = || -> io::Result<()> {
        let temporary = written_beside(folder, files)?;
        exchange(&temporary.path, folder)?;
        sync_parent(folder)
    };
    replace().map_err(|e| Error::io(folder, "replace", e))
}

/// Creates the folder and its parents, and makes their names durable.
pub(crate) fn create_folders(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    folder.parent().map_or(Ok(()), create_folders)?;
    match fs::create_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(e) => Err(e),
        Ok(()) => sync_parent(folder),
    }
}

/// The bytes of a file. Other than a regular file, a pipe may never end; and no file here is meant to have
/// more than `most` bytes.
pub(crate) fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>> {
    let refused = |message: String| Error::ModelFolder { path: path.to_path_buf(), message };
    let read = || -> io::Result<Result<Vec<u8>>> {
        // Checked before it is opened: opening a pipe waits for its writer.
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Ok(Err(refused("it is not a regular file".into())));
        }
        let too_long = |bytes: u64| Err(refused(format!("{bytes} bytes, expected at most {most}")));
        if about.len() > most {
            return Ok(too_long(about.len()));
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
        Ok(if bytes.len() as u64 > most { too_long(bytes.len() as u64) } else { Ok(bytes) })
    };
    read().map_err(|e| Error::io(path, "read", e))?
}

/// A file or folder beside its path with a unique name, such as `.model.tmp-94c1e2f0a7b3d586`. It is locked
/// while this process uses it, which distinguishes it from the remains of a killed one; if it still exists in
/// the end, it is removed.
struct Temporary {
    path: PathBuf,
    /// Only Unix can open a folder.
    lock: Option<File>,
}

impl Temporary {
    /// The result of `create`, which must fail if something of that name exists.
    fn new(
        path: &Path,
        create: impl Fn(&Path) -> io::Result<Option<File>>,
    ) -> io::Result<Temporary> {
        remove_leftovers(path);
        loop {
            // Randomly keyed, by the system.
            let number = RandomState::new().build_hasher().finish();
            let beside = sibling(path, &format!("{number:016x}"));
            let lock = match create(&beside) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            };
            // Another process may be cleaning up just now, before it is locked. On a file system without
            // locks nothing is removed.
            let locked = lock.as_ref().is_none_or(|lock| !is_held_elsewhere(&lock.try_lock()));
            if locked && beside.exists() {
                return Ok(Temporary { path: beside, lock });
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Usually it has been renamed by now; if removing fails, another error has already been reported.
        let _ = remove(&self.path);
    }
}

fn is_held_elsewhere(locked: &Result<(), TryLockError>) -> bool {
    matches!(locked, Err(TryLockError::WouldBlock))
}

/// The files in a new folder beside its path, all synced.
fn written_beside(folder: &Path, files: &[(&str, Vec<u8>)]) -> io::Result<Temporary> {
    folder.parent().map_or(Ok(()), create_folders)?;
    let temporary = Temporary::new(folder, |beside| {
        fs::create_dir(beside)?;
        if cfg!(unix) { File::open(beside).map(Some) } else { Ok(None) }
    })?;
    for (name, bytes) in files {
        write_synced(&File::create_new(temporary.path.join(name))?, bytes)?;
    }
    sync(&temporary.path)?;
    Ok(temporary)
}

/// Removes the remains of killed processes beside `path`. Without locks for folders their owner is unknown.
fn remove_leftovers(path: &Path) {
    let (folder, marked) = (parent(path), sibling(path, ""));
    let Some(marked) = marked.file_name().filter(|_| cfg!(unix)) else { return };
    let marked = marked.to_string_lossy();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(&*marked));
        let is_ours_by_name = number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_hexdigit()));
        let is_plain = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if is_ours_by_name && is_plain {
            remove_unless_held(&entry.path());
        }
    }
}

/// Removes what nobody holds. Only the lock tells that, so it must have been taken, and it is kept until the file is
/// gone: whoever has just made it and waits for the lock then sees that it is.
pub fn remove_unless_held(path: &Path) {
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
    {
        // A leftover that cannot be removed is harmless.
        let _ = remove(path);
        drop(file);
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// `model` → `.model.tmp-` and the number.
fn sibling(path: &Path, number: &str) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.tmp-{number}"))
}

/// Gives each folder the other's name: there is no moment without one, where the system can do that.
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return done.map_err(io::Error::from),
        }
    }
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    fs::rename(new, old).inspect_err(|_| {
        // Restore the old folder; the error says why.
        let _ = fs::rename(&aside, old);
    })?;
    fs::rename(&aside, new)
}

fn write_synced(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a rename durable: a file's name is part of its folder.
fn sync_parent(path: &Path) -> io::Result<()> {
    if path.parent().is_some() { sync(parent(path)) } else { Ok(()) }
}

/// The folder of a path, by a name that can be opened.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs a folder; only Unix can open one.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_are_removed_and_locked_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("model");
        // An earlier process with the same id has left files.
        let stale = folder.path().join(format!(".model.tmp-{}", std::process::id()));
        fs::create_dir(&stale).unwrap();
        fs::write(stale.join("examples.json"), "somebody's").unwrap();
        fs::write(folder.path().join(".model.tmp-notes"), "not ours").unwrap();
        let held = written_beside(&place, &[("a", vec![1])]).unwrap();
        let in_use = held.path.file_name().unwrap().to_str().unwrap().to_string();
        write_folder(&place, &[("weights", vec![7])]).unwrap();
        assert_eq!(names(&place), ["weights"]);
        let mut expected = vec![in_use, ".model.tmp-notes".to_string(), "model".to_string()];
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        drop(held);
        replace_folder(&place, &[("others", vec![8])]).unwrap();
        assert_eq!(names(&place), ["others"]);
        assert_eq!(names(folder.path()), [".model.tmp-notes", "model"]);
        write_atomic(&place.join("others"), b"new").unwrap();
        assert_eq!(fs::read(place.join("others")).unwrap(), b"new");
        assert_eq!(names(&place), ["others"]);
    }

    #[test]
    fn cleaning_up_never_removes_a_file_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("model");
        let make = || {
            for _ in 0..500 {
                let held = Temporary::new(&place, |beside| File::create_new(beside).map(Some));
                assert!(held.unwrap().path.exists(), "another thread has removed it");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(make))));
    }

    #[test]
    fn only_files_of_bounded_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [5; 10]).unwrap();
        assert_eq!(read_bounded(&path, 10).unwrap(), [5; 10]);
        let refusal = |path: &Path| read_bounded(path, 9).unwrap_err().to_string();
        assert!(
            refusal(&path).ends_with("file: 10 bytes, expected at most 9"),
            "{}",
            refusal(&path)
        );
        assert!(refusal(folder.path()).ends_with(": it is not a regular file"));
        if cfg!(unix) {
            assert!(refusal(Path::new("/dev/zero")).ends_with("zero: it is not a regular file"));
        }
    }
}
