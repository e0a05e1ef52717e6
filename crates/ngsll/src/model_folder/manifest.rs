//! The manifest: size and SHA-256 of every file of a model folder.

use super::held_out::TEST_ROWS;
use super::{CARD, CONFIG, EXAMPLES, JUDGE, JUDGE_WEIGHTS, OPTIONS, SUMMARY, WEIGHTS};
use crate::checksum::sha256;
use crate::error::{Error, Result, from_json};
use crate::files::read_bounded;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// The file's name.
pub(super) const MANIFEST: &str = "manifest.json";
/// The most bytes of the manifest, and of all files that it lists together.
const LARGEST_MANIFEST: u64 = 1 << 20;
const LARGEST_FOLDER: u64 = 4 << 30;

/// Every file that a manifest may list, with the most bytes that it may have: a stranger's folder may be sparse, so
/// that its files cost nothing, and JSON takes several times its length in memory.
const KNOWN: [(&str, u64); 12] = [
    (WEIGHTS, LARGEST_FOLDER),
    (JUDGE_WEIGHTS, LARGEST_FOLDER),
    (TEST_ROWS, 256 << 20),
    ("vocabulary.json", 64 << 20),
    ("columns.json", 64 << 20),
    ("grid.json", 64 << 20),
    (JUDGE, 64 << 20),
    (SUMMARY, 64 << 20),
    (CONFIG, 32 << 20),
    (EXAMPLES, 32 << 20),
    (OPTIONS, 32 << 20),
    (CARD, 32 << 20),
];

#[derive(Serialize, Deserialize)]
struct Entry {
    bytes: u64,
    sha256: String,
}

type Manifest = BTreeMap<String, Entry>;

/// Refuses, before any file is read, what no folder of ours lists; the error is the name and a message.
fn check(manifest: &Manifest) -> Result<(), (String, String)> {
    for (name, entry) in manifest {
        let known = KNOWN.iter().find(|(known, _)| known == name);
        let Some((_, most)) = known else {
            return Err((name.clone(), "no model has such a file".into()));
        };
        if entry.bytes > *most {
            let message = format!("{} bytes, expected at most {most}", entry.bytes);
            return Err((name.clone(), message));
        }
    }
    let all = manifest.values().fold(0_u64, |sum, entry| sum.saturating_add(entry.bytes));
    if all > LARGEST_FOLDER {
        let message = format!("its files have {all} bytes, expected at most {LARGEST_FOLDER}");
        return Err((MANIFEST.into(), message));
    }
    Ok(())
}

/// The bytes of the manifest of these files.
pub(super) fn of(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entry = |bytes: &[u8]| Entry { bytes: bytes.len() as u64, sha256: sha256(bytes) };
    let manifest: Manifest = files.iter().map(|(n, b)| (n.to_string(), entry(b))).collect();
    json(&manifest)
}

/// A folder's files, read and verified against the manifest.
pub(super) struct Verified<'a> {
    folder: &'a Path,
    /// The manifest itself.
    manifest: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
}

impl<'a> Verified<'a> {
    /// Reads the folder, which may hold the files of its manifest, those that are `vouched` for otherwise,
    /// and no others, whose origin would be unknown. Hidden files are ignored.
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
        // No checksum covers the manifest itself, so it must be as we write it, byte for byte.
        if json(&manifest) != bytes {
            let message =
                "the file was changed: it differs from what this program writes".to_string();
            return Err(Error::ModelFolder { path, message });
        }
        let is_known =
            |name: &str| manifest.contains_key(name) || name == MANIFEST || vouched.contains(&name);
        if let Some(name) = visible_files(folder)?.into_iter().find(|name| !is_known(name)) {
            let message = "the manifest does not list it: it is not part of the model; remove it";
            return Err(Error::ModelFolder { path: folder.join(name), message: message.into() });
        }
        check(&manifest)
            .map_err(|(name, message)| Error::ModelFolder { path: folder.join(name), message })?;
        let mut files = BTreeMap::new();
        for (name, entry) in manifest {
            let path = folder.join(&name);
            let damaged = |message: String| Error::ModelFolder { path: path.clone(), message };
            let differs = |found: u64| {
                damaged(format!("it has {found} bytes, the manifest says {}", entry.bytes))
            };
            let found = std::fs::metadata(&path).map_err(|e| Error::io(&path, "read", e))?;
            if found.is_file() && found.len() != entry.bytes {
                return Err(differs(found.len()));
            }
            let bytes = read_bounded(&path, entry.bytes)?;
            if bytes.len() as u64 != entry.bytes {
                return Err(differs(bytes.len() as u64));
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

    /// Takes the file's bytes out.
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
        // By itself, so that another version is named before what else is new in it; what it does not ask for is
        // passed over and takes no memory.
        #[derive(Deserialize)]
        struct Version {
            format: Option<u64>,
        }
        let path = self.folder.join(CONFIG);
        match self.parse::<Version>(CONFIG)?.format {
            Some(format) if versions.clone().any(|known| format == u64::from(known)) => {
                self.parse(CONFIG)
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
    from_json(bytes).map_err(|e| Error::ModelFolder {
        path: path.to_path_buf(),
        message: format!("it is damaged: {e}"),
    })
}

/// A value as the lines of a JSON file.
pub(super) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("model descriptions are plain data");
    bytes.push(b'\n');
    bytes
}

/// The same on one line, for files that people do not read.
pub(super) fn compact_json<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("model descriptions are plain data");
    bytes.push(b'\n');
    bytes
}
