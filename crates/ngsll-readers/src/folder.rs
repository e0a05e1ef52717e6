//! Images in folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::decode::{self, DECODER_BYTES, Undecoded};
use super::{Chunk, Images, Labels, Origin, Reader, Samples};
use crate::error::{Error, Place, Result};

const ONE_FOLDER_PER_CLASS: &str = "expected a folder with one sub-folder of images for each class";

/// Reads PNG and JPEG images from a folder, in the order of their names.
///
/// With labels, each sub-folder is a class. The first image fixes the size and whether the images are grey or coloured
/// (unless a model does); later ones must have its size and are converted to its channels. Transparency is dropped,
/// hidden files and files of other kinds are passed over.
pub struct FolderReader {
    path: PathBuf,
    files: Vec<PathBuf>,
    /// The class of each file, where there are classes.
    labels: Option<Vec<String>>,
    /// The (width, height, channels) that is asked for or that the first image has.
    size: Option<(usize, usize, usize)>,
    /// How many files have been read.
    done: usize,
}

impl FolderReader {
    /// Lists the images of a folder, or takes the one image file `path`. `expect` is the (width, height, channels) that a
    /// model takes.
    pub fn open(
        path: impl AsRef<Path>,
        labels: Labels,
        expect: Option<(usize, usize, usize)>,
    ) -> Result<Self> {
        let path = path.as_ref();
        if let Some((_, _, channels)) = expect.filter(|(_, _, channels)| ![1, 3].contains(channels))
        {
            let message =
                format!("PNG and JPEG images give 1 or 3 channels, the model takes {channels}");
            return Err(Place::file(path).error(message));
        }
        let mut reader = Self {
            path: path.to_path_buf(),
            files: Vec::new(),
            labels: None,
            size: expect,
            done: 0,
        };
        if path.is_file() {
            if labels == Labels::Required {
                return Err(Place::file(path).error(ONE_FOLDER_PER_CLASS));
            }
            reader.files.push(path.to_path_buf());
            return Ok(reader);
        }
        let top = Listing::of(path)?;
        if labels == Labels::Ignored || top.folders.is_empty() {
            if labels == Labels::Required {
                return Err(Place::file(path).error(ONE_FOLDER_PER_CLASS));
            }
            reader.files = top.images.clone();
            for folder in &top.folders {
                reader.files.extend(Listing::of(folder)?.images);
            }
        } else {
            if let Some(stray) = top.images.first() {
                let message = "the image lies beside the sub-folders, expected every image in the sub-folder of its class";
                return Err(Place::file(stray).error(message));
            }
            let mut classes = Vec::new();
            for folder in &top.folders {
                let class = folder.file_name().and_then(|name| name.to_str());
                let class = class.ok_or_else(|| {
                    Place::file(folder)
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

    /// Reads an image and appends its pixels, channel-major.
    fn read(&mut self, file: &Path, pixels: &mut Vec<u8>) -> Result<()> {
        let bytes = decode::read(file)?;
        let failed = |message| Place::file(file).error(message);
        let image = Undecoded::new(&bytes, DECODER_BYTES).map_err(failed)?;
        let (width, height, _) = image.size();
        let size = *self.size.get_or_insert(image.size());
        if (width, height) != (size.0, size.1) {
            let like =
                if self.done == 0 { "as the model takes" } else { "like the images before it" };
            return Err(failed(format!(
                "the image is {width}×{height}, expected {}×{} {like}",
                size.0, size.1
            )));
        }
        image.push(size.2, pixels).map_err(failed)
    }
}

impl Reader for FolderReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let start = self.done;
        let end = start.saturating_add(max_rows.max(1)).min(self.files.len());
        let mut pixels = Vec::new();
        while self.done < end {
            let file = self.files[self.done].clone();
            self.read(&file, &mut pixels)?;
            self.done += 1;
        }
        let Some((width, height, channels)) = self.size.filter(|_| start < end) else {
            return Ok(None);
        };
        Ok(Some(Chunk {
            samples: Samples::Images(Images { width, height, channels, pixels }),
            labels: self.labels.as_ref().map(|labels| labels[start..end].to_vec()),
            origin: Origin::Files(self.files[start..end].to_vec()),
        }))
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
            Some(other) if self.images.is_empty() => Err(Place::file(other)
                .error("found this file but no image, expected .png or .jpg files")),
            _ => Ok(()),
        }
    }
}
