//! The image files of a folder.

use crate::open::PICTURES;
use ngsll::error::{Error, Location, Result};
use ngsll::readable::count_of;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders nested deeper than this are a cycle of links.
const DEEPEST: usize = 32;

/// Files that operating systems leave in folders of images.
const LEFTOVERS: [&str; 2] = ["thumbs.db", "desktop.ini"];

/// The content of a folder, each list sorted by name.
#[derive(Default)]
pub(super) struct Listing {
    pub images: Vec<PathBuf>,
    pub folders: Vec<PathBuf>,
    /// The number of images in deeper folders.
    deeper: usize,
    /// A file of another kind, to name if there are no images.
    other: Option<PathBuf>,
    /// The number of files with each other extension.
    endings: BTreeMap<String, usize>,
}

impl Listing {
    /// The folder itself.
    pub fn of(folder: &Path) -> Result<Self> {
        let failed = |error| Error::io(folder, "read", error);
        let mut listing = Self::default();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if name.starts_with('.') || LEFTOVERS.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                listing.folders.push(path);
            } else if PICTURES.contains(&ending.as_str()) {
                listing.images.push(path);
            } else {
                *listing.endings.entry(ending).or_default() += 1;
                if listing.other.as_ref().is_none_or(|other| path < *other) {
                    listing.other = Some(path);
                }
            }
        }
        listing.images.sort_unstable();
        listing.folders.sort_unstable();
        Ok(listing)
    }

    /// The folder with all folders in it.
    pub fn below(folder: &Path) -> Result<Self> {
        Self::down_to(folder, DEEPEST)
    }

    fn down_to(folder: &Path, depth: usize) -> Result<Self> {
        let mut all = Self::of(folder)?;
        for folder in std::mem::take(&mut all.folders) {
            if depth == 0 {
                let message = "folders are nested too deeply; do links form a cycle?";
                return Err(Location::file(folder).error(message));
            }
            let mut inner = Self::down_to(&folder, depth - 1)?;
            inner.deeper = inner.images.len();
            all.add(inner);
        }
        Ok(all)
    }

    /// Appends the content of another folder.
    pub fn add(&mut self, other: Self) {
        self.images.extend(other.images);
        self.deeper += other.deeper;
        self.other = self.other.take().or(other.other);
        other
            .endings
            .into_iter()
            .for_each(|(ending, n)| *self.endings.entry(ending).or_default() += n);
    }

    /// Fails if there are files but no image among them.
    pub fn check_found(&self) -> Result<()> {
        match &self.other {
            Some(other) if self.images.is_empty() => Err(Location::file(other)
                .error("found this file but no images; expected .png, .jpg or .webp files")),
            _ => Ok(()),
        }
    }

    /// Notes on surprises among the files, depending on whether folders are classes.
    pub fn notes(&self, classes: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if self.deeper > 0 && classes {
            let (all, are) = (self.images.len(), if self.deeper == 1 { "is" } else { "are" });
            notes.push(format!(
                "{} of {} {are} in deeper folders, of which the first one is the class",
                self.deeper,
                count_of(all, "image")
            ));
        }
        let others: usize = self.endings.values().sum();
        if others > 0 {
            let kinds = self.endings.iter().map(|(ending, n)| match ending.as_str() {
                "" => format!("{n} without an extension"),
                _ => format!("{n} .{ending}"),
            });
            let (kinds, are) =
                (kinds.collect::<Vec<_>>().join(", "), if others == 1 { "is" } else { "are" });
            notes.push(format!(
                "{} of other kinds {are} skipped ({kinds}); .png, .jpg and .webp are read",
                count_of(others, "file")
            ));
        }
        notes
    }
}
