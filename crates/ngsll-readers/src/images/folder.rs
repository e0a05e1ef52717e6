//! Images in folders.

use super::decode::{self, DECODER_BYTES, Undecoded};
use crate::{LabelUse, Reader, dataset};
use ngsll::dataset::{Dataset, ImageSize, Images, Origin};
use ngsll::error::{Error, Location, Result};
use std::fs;
use std::path::{Path, PathBuf};

const ONE_FOLDER_PER_CLASS: &str = "expected a folder with one sub-folder of images for each class";

/// Reads PNG and JPEG images from a folder, in the order of their names.
///
/// With labels, each sub-folder is a class. The first image fixes the size and whether the images are grey or coloured
/// (unless a model does); later ones must have its size and are converted to its channels. Transparency is dropped,
/// hidden files and files of other kinds are passed over.
pub struct ImageFolderReader {
    path: PathBuf,
    files: Vec<PathBuf>,
    /// The class of each file, where there are classes.
    labels: Option<Vec<String>>,
    /// The size that is asked for or that the first image has.
    size: Option<ImageSize>,
    /// How many files have been read.
    done: usize,
}

impl ImageFolderReader {
    /// Lists the images of a folder, or takes the one image file `path`. `expect` is the size that a model
    /// takes.
    pub fn open(
        path: impl AsRef<Path>,
        labels: LabelUse,
        expect: Option<ImageSize>,
    ) -> Result<Self> {
        let path = path.as_ref();
        if let Some(size) = expect.filter(|size| ![1, 3].contains(&size.channels)) {
            let found = size.channels;
            let message =
                format!("PNG and JPEG images give 1 or 3 channels, the model takes {found}");
            return Err(Location::file(path).error(message));
        }
        let mut reader = Self {
            path: path.to_path_buf(),
            files: Vec::new(),
            labels: None,
            size: expect,
            done: 0,
        };
        if path.is_file() {
            if labels == LabelUse::Required {
                return Err(Location::file(path).error(ONE_FOLDER_PER_CLASS));
            }
            reader.files.push(path.to_path_buf());
            return Ok(reader);
        }
        let top = Listing::of(path)?;
        if labels == LabelUse::Ignored || top.folders.is_empty() {
            if labels == LabelUse::Required {
                return Err(Location::file(path).error(ONE_FOLDER_PER_CLASS));
            }
            reader.files = top.images.clone();
            for folder in &top.folders {
                reader.files.extend(Listing::of(folder)?.images);
            }
        } else {
            if let Some(stray) = top.images.first() {
                let message = "the image lies beside the sub-folders, expected every image in the sub-folder of its class";
                return Err(Location::file(stray).error(message));
            }
            let mut classes = Vec::new();
            for folder in &top.folders {
                let class = folder.file_name().and_then(|name| name.to_str());
                let class = class.ok_or_else(|| {
                    Location::file(folder)
                        .error("the folder's name, which is the class, is not valid UTF-8")
                })?;
                let listing = Listing::of(folder)?;
                listing.check_found()?;
                classes.extend(listing.images.iter().map(|_| class.to_owned()));
                reader.files.extend(listing.images);
            }
            reader.labels = Some(classes);
        }
        if reader.files.is_empty() {
            top.check_found()?;
        }
        Ok(reader)
    }

    /// The pixels of an image.
    fn read(&mut self, file: &Path) -> Result<Vec<u8>> {
        let bytes = decode::read(file)?;
        let failed = |message| Location::file(file).error(message);
        let image = Undecoded::new(&bytes, DECODER_BYTES).map_err(failed)?;
        let found = image.size();
        let ImageSize { width, height, channels } = *self.size.get_or_insert(found);
        if (found.width, found.height) != (width, height) {
            let like =
                if self.done == 0 { "as the model takes" } else { "like the images before it" };
            let (w, h) = (found.width, found.height);
            return Err(failed(format!("the image is {w}×{h}, expected {width}×{height} {like}")));
        }
        image.pixels(channels).map_err(failed)
    }
}

impl Reader for ImageFolderReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let start = self.done;
        let end = start.saturating_add(max_rows.max(1)).min(self.files.len());
        let mut pixels = Vec::new();
        while self.done < end {
            let file = self.files[self.done].clone();
            pixels.extend(self.read(&file)?);
            self.done += 1;
        }
        let Some(size) = self.size.filter(|_| start < end) else { return Ok(None) };
        let labels = self.labels.as_ref().map(|labels| labels[start..end].to_vec());
        let origin = Origin::Files(self.files[start..end].to_vec());
        dataset(Images::new(size, pixels)?, labels, origin).map(Some)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// What a folder holds, each list sorted by name.
struct Listing {
    images: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// A file of another kind, to name where there are no images.
    other: Option<PathBuf>,
}

impl Listing {
    fn of(folder: &Path) -> Result<Self> {
        let failed = |error| Error::io(folder, "read", error);
        let mut listing = Self { images: Vec::new(), folders: Vec::new(), other: None };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                listing.folders.push(path);
            } else if [".png", ".jpg", ".jpeg"].iter().any(|end| name.ends_with(end)) {
                listing.images.push(path);
            } else if listing.other.as_ref().is_none_or(|other| path < *other) {
                listing.other = Some(path);
            }
        }
        listing.images.sort_unstable();
        listing.folders.sort_unstable();
        Ok(listing)
    }

    /// Fails where there are files but no image among them.
    fn check_found(&self) -> Result<()> {
        match &self.other {
            Some(other) if self.images.is_empty() => Err(Location::file(other)
                .error("found this file but no image, expected .png or .jpg files")),
            _ => Ok(()),
        }
    }
}
