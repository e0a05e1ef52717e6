//! The manifest: size and SHA-256 of every file of a model folder.

use crate::checksum::sha256;
use crate::error::{Error, Result, json_reason};
use crate::files::read_bounded;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// The file's name.
pub(super) const MANIFEST: &str = "manifest.json";
/// The most bytes of the manifest, of files of weights, and of the others.
const LARGEST_MANIFEST: u64 = 1 << 20;
const LARGEST_WEIGHTS: u64 = 4 << 30;
const LARGEST_FILE: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
struct Entry {
    bytes: u64,
    sha256: String,
}

type Manifest = BTreeMap<String, Entry>;

/// The bytes of the manifest of these files.
pub(super) fn of(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entry = |bytes: &[u8]| Entry { bytes: bytes.len() as u64, sha256: sha256(bytes) };
    let manifest: Manifest = files.iter().map(|(n, b)| (n.to_string(), entry(b))).collect();
    json(&manifest)
}

/// A folder's files, read and found to be what the manifest says.
pub(super) struct Verified<'a> {
    folder: &'a Path,
    /// The manifest itself.
    manifest: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> Verified<'a> {
    /// Reads the folder, which may hold the files of its manifest, those that are `vouched` for otherwise,
    /// and no others: what nobody vouches for may be somebody else's. Hidden files are left alone.
    pub fn open(folder: &'a Path, vouched: &[&str]) -> Result<Self> {
        let path = folder.join(MANIFEST);
        if !folder.is_dir() || matches!(path.try_exists(), Ok(false)) {
            let message = match folder.exists() {
                true => "it is not a model folder: there is no manifest.json in it",
                false => "there is no such model folder",
            };
            let (path, message) = (folder.to_path_buf(), message.to_string());
            return Err(Error::ModelFolder { path, message });
        }
        let bytes = read_bounded(&path, LARGEST_MANIFEST)?;
        let manifest: Manifest = parse(&bytes, &path)?;
        // Nothing vouches for the manifest itself, so it must be as we write it, byte for byte.
        if json(&manifest) != bytes {
            let message = "the file was changed: it is not as this program writes it".to_string();
            return Err(Error::ModelFolder { path, message });
        }
        let is_known =
            |name: &str| manifest.contains_key(name) || name == MANIFEST || vouched.contains(&name);
        if let Some(name) = visible_files(folder)?.into_iter().find(|name| !is_known(name)) {
            let message = "the manifest does not list it: it is no part of the model, remove it";
            return Err(Error::ModelFolder { path: folder.join(name), message: message.into() });
        }
        let mut files = BTreeMap::new();
        for (name, entry) in manifest {
            // The manifest may name plain files of this folder only.
            let path = folder.join(&name);
            let damaged = |message: String| Error::ModelFolder { path: path.clone(), message };
            if Path::new(&name).components().count() != 1 {
                return Err(damaged("the manifest names a file outside the folder".into()));
            }
            let weights = Path::new(&name).extension().is_some_and(|end| end == "safetensors");
            let bytes = read_bounded(&path, if weights { LARGEST_WEIGHTS } else { LARGEST_FILE })?;
            if bytes.len() as u64 != entry.bytes {
                let found = bytes.len();
                return Err(damaged(format!(
                    "it has {found} bytes, the manifest says {}",
                    entry.bytes
                )));
            }
            if sha256(&bytes) != entry.sha256 {
                return Err(damaged(
                    "the file was changed: its checksum is not the one in the manifest".into(),
                ));
            }
            files.insert(name, bytes);
        }
        Ok(Self { folder, manifest: bytes, files })
    }

    /// The bytes of the manifest.
    pub fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    /// Whether the folder has the file.
    pub fn contains(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// The file's bytes, which are not needed here any more.
    pub fn take(&mut self, name: &str) -> Result<Vec<u8>> {
        self.files.remove(name).ok_or_else(|| self.unlisted(name))
    }

    /// The file as JSON.
    pub fn parse<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let bytes = self.files.get(name).ok_or_else(|| self.unlisted(name))?;
        parse(bytes, &self.folder.join(name))
    }

    /// `config.json`, if it has the format version that this program reads.
    pub fn config<T: DeserializeOwned>(&self, versions: RangeInclusive<u32>) -> Result<T> {
        let value: serde_json::Value = self.parse("config.json")?;
        let path = self.folder.join("config.json");
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if versions.clone().any(|known| format == u64::from(known)) => {
                serde_json::from_value(value)
                    .map_err(|e| Error::ModelFolder { path, message: e.to_string() })
            }
            format => {
                let found = format.map_or("none".to_string(), |f| f.to_string());
                let (oldest, newest) = versions.into_inner();
                let message = format!(
                    "format version {found}, this program reads versions {oldest} to {newest}"
                );
                Err(Error::ModelFolder { path, message })
            }
        }
    }

    fn unlisted(&self, name: &str) -> Error {
        let message = "the manifest does not list it".into();
        Error::ModelFolder { path: self.folder.join(name), message }
    }
}

/// The manifest's bytes.
pub(super) fn read(folder: &Path) -> Result<Vec<u8>> {
    read_bounded(&folder.join(MANIFEST), LARGEST_MANIFEST)
}

/// The names in a folder, without hidden ones.
fn visible_files(folder: &Path) -> Result<Vec<String>> {
    let names = || -> std::io::Result<Vec<String>> {
        let entries = std::fs::read_dir(folder)?;
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.map(|entry| Ok(name(entry?))).collect()
    };
    let mut names = names().map_err(|e| Error::io(folder, "read", e))?;
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    Ok(names)
}

pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::ModelFolder {
        path: path.to_path_buf(),
        message: format!("it is damaged: {}", json_reason(&e)),
    })
}

/// A value as the lines of a JSON file.
pub(super) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("model descriptions are plain data");
    bytes.push(b'\n');
    bytes
}

/// The same on one line, for what nobody reads.
pub(super) fn compact_json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("model descriptions are plain data");
    bytes.push(b'\n');
    bytes
}
