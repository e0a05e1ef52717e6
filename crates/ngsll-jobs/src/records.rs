//! Finished results as lines of one file, so that nothing is computed twice.
//!
//! A record is appended and synced as soon as it exists; a line that a crash cut short is ignored when the file is
//! read, and where two lines have the same key and fingerprint the later one wins. The file stays locked while a run
//! uses it, so that two processes cannot interleave their lines.

use ngsll::error::{Error, Location, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A line of the file of records.
#[derive(Debug, Serialize, Deserialize)]
struct Line<R> {
    key: String,
    fingerprint: String,
    record: R,
}

/// Whether a file contains at least one record.
pub fn holds_records(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| lines(&bytes).next().is_some())
}

/// The readable lines of a file of records.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<Value>> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// A JSON Lines file of results, open for reading and appending: each has a key, which names it, and a fingerprint
/// of all that it depends on.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    open: Mutex<OpenFile>,
}

#[derive(Debug)]
struct OpenFile {
    /// Locked until it is dropped.
    file: File,
    /// Records by key and fingerprint.
    found: HashMap<(String, String), Value>,
}

impl Records {
    /// Creates the file and its folder where they do not exist; fails while another process has it open.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        }
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|e| Error::io(path, "open", e))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Location::file(path).error(
                "another run is using this folder; wait until it has finished or choose another folder",
            ),
            TryLockError::Error(e) => Error::io(path, "lock", e),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| Error::io(path, "read", e))?;
        if bytes.last().is_some_and(|&last| last != b'\n') {
            // Ends the line that was cut short, so that the next record starts on its own line.
            file.write_all(b"\n").map_err(|e| Error::io(path, "write", e))?;
        }
        let found = lines(&bytes).map(|line| ((line.key, line.fingerprint), line.record)).collect();
        Ok(Self { path: path.to_path_buf(), open: Mutex::new(OpenFile { file, found }) })
    }

    fn lock(&self) -> MutexGuard<'_, OpenFile> {
        // A record enters the map in one step, after it is on disk: a panic elsewhere leaves it valid.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record with this key and fingerprint, if there is one.
    pub fn find<R: DeserializeOwned>(&self, key: &str, fingerprint: &str) -> Option<R> {
        let at = (key.to_string(), fingerprint.to_string());
        R::deserialize(self.lock().found.get(&at)?).ok()
    }

    /// Appends a record; it is on disk when this returns.
    pub fn save(&self, key: &str, fingerprint: &str, record: &impl Serialize) -> Result<()> {
        let line = Line { key: key.to_string(), fingerprint: fingerprint.to_string(), record };
        let text = serde_json::to_string(&line).expect("records are plain data") + "\n";
        let record = serde_json::to_value(record).expect("records are plain data");
        let mut open = self.lock();
        let io = |e| Error::io(&self.path, "write", e);
        let before = open.file.metadata().map_err(io)?.len();
        let write =
            |file: &mut File| file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        if let Err(error) = write(&mut open.file) {
            // Part of the line may have been written, as on a full disk. If that cannot be undone
            // either, `error` is still what the user has to know.
            let _ = open.file.set_len(before);
            return Err(io(error));
        }
        open.found.insert((line.key, line.fingerprint), record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_side_by_side_write_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/records.jsonl");
        let records = Records::open(&path).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let records = &records;
                scope.spawn(move || {
                    for i in 0..10 {
                        records.save(&format!("{worker}-{i}"), "f", &vec![0.1; i]).unwrap();
                    }
                });
            }
        });
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(lines(&bytes).count(), 40);
        assert_eq!(bytes.iter().filter(|&&byte| byte == b'\n').count(), 40);
    }
}
