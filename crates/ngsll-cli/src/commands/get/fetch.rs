//! Puts the files of a dataset into their places.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::catalogue::{Catalogue, Entry, Recipe, Source};
use super::convert::Conversion;
use super::download::{Failure, bytes_sha256, download, file_sha256};
use ngsll::error::{Error, Location, Result};
use ngsll_experiments::PaperDataset;
use ngsll_jobs::temporary_in;

/// The progress of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadProgress<'a> {
    /// The name of the file that is downloaded.
    pub file: &'a str,
    /// The bytes so far.
    pub bytes: u64,
    /// The bytes in all, if the server announces them.
    pub total: Option<u64>,
}

/// A file that is now in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The file.
    pub path: PathBuf,
    /// Its origin.
    pub outcome: FetchOutcome,
}

/// The origin of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchOutcome {
    /// It was there, with the right SHA-256.
    AlreadyThere,
    /// It was downloaded from this URL.
    Downloaded(String),
    /// It was taken from this file.
    Taken(PathBuf),
    /// Its text is known.
    Written,
}

/// The places to look for source files.
enum Sources<'a> {
    Mirrors,
    Url(&'a str),
    Folder(&'a Path),
}

/// Puts the files of `dataset` into `dir/<dataset>`: from the mirrors of the catalogue or, with
/// `from`, from a URL or a folder that holds the source files or the finished ones, directly or in
/// the layout `<dataset>/` or `<dataset>/orig/`.
///
/// A correct existing file is kept; if one differs, nothing is changed at all.
pub fn fetch(
    dataset: PaperDataset,
    dir: &Path,
    from: Option<&str>,
    catalogue: &Catalogue,
    progress: &mut dyn FnMut(DownloadProgress<'_>),
) -> Result<Vec<Fetched>> {
    let sources = sources(from)?;
    let folder = dir.join(dataset.name());
    let mut planned = Vec::new();
    for entry in catalogue.of(dataset) {
        let path = folder.join(&entry.file);
        let is_there = is_there(&path, &entry.sha256)?;
        planned.push((entry, path, is_there));
    }
    let mut fetched = Vec::new();
    for (entry, path, is_there) in planned {
        let outcome = if is_there {
            FetchOutcome::AlreadyThere
        } else {
            make(entry, &path, &sources, progress)?
        };
        fetched.push(Fetched { path, outcome });
    }
    Ok(fetched)
}

fn sources(from: Option<&str>) -> Result<Sources<'_>> {
    match from {
        None => Ok(Sources::Mirrors),
        Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
            Ok(Sources::Url(url))
        }
        Some(folder) if Path::new(folder).is_dir() => Ok(Sources::Folder(Path::new(folder))),
        Some(other) => {
            let expected = "neither a folder that exists nor a URL with http:// or https://";
            Err(Error::setting("from", other, expected))
        }
    }
}

/// Whether the file exists; one with different content is an error.
fn is_there(path: &Path, sha256: &str) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Error::io(path, "read", error)),
        Ok(_) => {}
    }
    let found = file_sha256(path)?;
    if found == sha256 {
        return Ok(true);
    }
    Err(Location::file(path).error(format!(
        "a file with SHA-256 {found} is already there, expected {sha256}; \
         nothing was overwritten, move it away or choose another --dir"
    )))
}

/// Makes a missing file.
fn make(
    entry: &Entry,
    path: &Path,
    sources: &Sources<'_>,
    progress: &mut dyn FnMut(DownloadProgress<'_>),
) -> Result<FetchOutcome> {
    let (source, conversion) = match &entry.recipe {
        Recipe::Source { source, conversion } => (source, conversion),
        Recipe::Text(text) => {
            return write(entry, path, text.as_bytes()).map(|()| FetchOutcome::Written);
        }
    };
    let urls: Vec<String> = match sources {
        Sources::Folder(folder) => return take(entry, source, conversion, folder, path),
        Sources::Url(base) => vec![format!("{}/{}", base.trim_end_matches('/'), source.file)],
        Sources::Mirrors => source.mirrors.iter().map(|m| format!("{m}{}", source.file)).collect(),
    };
    let mut failures = Vec::new();
    for url in urls {
        let mut temporary = temporary_beside(path)?;
        match download(&url, &source.file, &source.sha256, &mut temporary, progress) {
            Err(Failure::Remote(message)) => failures.push(message),
            Err(Failure::Local(error)) => return Err(error),
            Ok(()) => {
                match conversion {
                    Conversion::None => keep(temporary, path)?,
                    conversion => {
                        let bytes = conversion.apply(read(temporary.path())?, Path::new(&url))?;
                        write(entry, path, &bytes)?;
                    }
                }
                return Ok(FetchOutcome::Downloaded(url));
            }
        }
    }
    Err(Location::file(path).error(format!(
        "could not be downloaded ({}); if you have {} elsewhere, \
         give its folder or URL with --from",
        failures.join("; "),
        source.file
    )))
}

/// Takes the finished file or its source from a folder.
fn take(
    entry: &Entry,
    source: &Source,
    conversion: &Conversion,
    folder: &Path,
    path: &Path,
) -> Result<FetchOutcome> {
    let own = folder.join(entry.dataset.name());
    let orig = [folder.join("orig"), own.join("orig")];
    let finished =
        [folder, &own].map(|at| (at.join(&entry.file), &entry.sha256, &Conversion::None));
    let sources = [folder, &own, &orig[0], &orig[1]]
        .map(|at| (at.join(&source.file), &source.sha256, conversion));
    let mut others = Vec::new();
    for (candidate, sha256, conversion) in finished.into_iter().chain(sources) {
        if !candidate.is_file() {
            continue;
        }
        let bytes = read(&candidate)?;
        let found = bytes_sha256(&bytes);
        if found == *sha256 {
            write(entry, path, &conversion.apply(bytes, &candidate)?)?;
            return Ok(FetchOutcome::Taken(candidate));
        }
        let other = format!("{} has SHA-256 {found}, expected {sha256}", candidate.display());
        if !others.contains(&other) {
            others.push(other);
        }
    }
    if others.is_empty() {
        let (file, source, own) = (&entry.file, &source.file, entry.dataset);
        others.push(if file == source {
            format!("no {file} found in it or in its {own}, orig or {own}/orig")
        } else {
            format!("neither {file} nor {source} found in it or in its {own}, orig or {own}/orig")
        });
    }
    Err(Error::setting("from", folder.display(), others.join("; ")))
}

/// Writes a finished file after checking its SHA-256.
fn write(entry: &Entry, path: &Path, bytes: &[u8]) -> Result<()> {
    let found = bytes_sha256(bytes);
    if found != entry.sha256 {
        let expected = &entry.sha256;
        return Err(Location::file(path).error(format!(
            "the conversion gave SHA-256 {found}, expected {expected}; nothing was written"
        )));
    }
    let mut temporary = temporary_beside(path)?;
    temporary.write_all(bytes).map_err(|error| Error::io(path, "write", error))?;
    keep(temporary, path)
}

/// A temporary file in the folder of `path`, which is created if missing.
fn temporary_beside(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, "create", error))?;
    temporary_in(folder).map_err(|error| Error::io(folder, "write in", error))
}

/// Gives a temporary file its name; a file of that name that has appeared meanwhile stays.
fn keep(temporary: NamedTempFile, path: &Path) -> Result<()> {
    temporary.as_file().sync_all().map_err(|error| Error::io(path, "write", error))?;
    let kept = temporary.persist_noclobber(path);
    kept.map(drop).map_err(|error| Error::io(path, "write", error.error))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::io(path, "read", error))
}
