//! Images in folders.

use super::decode::{self, DECODER_BYTES, Undecoded, check_side};
use crate::open::PICTURES;
use crate::{LabelUse, Reader, dataset};
use ngsll::config::{Fit, ImageConfig};
use ngsll::dataset::{Dataset, ImageSize, Images, Origin};
use ngsll::error::{Error, Location, Result};
use std::fs;
use std::path::{Path, PathBuf};

const ONE_FOLDER_PER_CLASS: &str =
    "expected a folder with one sub-folder of images for each class, or a CSV of paths and labels";

/// Reads PNG, JPEG and WebP images from a folder, in the order of their names.
///
/// With labels, each sub-folder is a class. The first image fixes whether the images are grey or coloured, and the most
/// common size theirs (unless a model does); all are brought to it as the [`ImageConfig`] says. Hidden files and files
/// of other kinds are passed over.
pub struct ImageFolderReader {
    path: PathBuf,
    files: Vec<PathBuf>,
    /// The class of each file, where there are classes.
    labels: Option<Vec<String>>,
    config: ImageConfig,
    /// The size that is asked for or that most images have.
    size: Option<ImageSize>,
    /// How many files have been read.
    done: usize,
    /// How many of them had another size.
    resized: usize,
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
        let mut reader = Self::of_files(path, Vec::new(), None, expect)?;
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
                let message = "the image is outside the sub-folders; expected every image in the sub-folder of its class";
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

    /// The images of these files, which `path` names.
    pub(super) fn of_files(
        path: &Path,
        files: Vec<PathBuf>,
        labels: Option<Vec<String>>,
        expect: Option<ImageSize>,
    ) -> Result<Self> {
        if let Some(size) = expect.filter(|size| ![1, 3].contains(&size.channels)) {
            let found = size.channels;
            let message = format!("image files have 1 or 3 channels, but the model reads {found}");
            return Err(Location::file(path).error(message));
        }
        let (path, config) = (path.to_path_buf(), ImageConfig::default());
        Ok(Self { path, files, labels, config, size: expect, done: 0, resized: 0 })
    }

    /// The same with other options than the defaults.
    pub fn with_config(self, config: ImageConfig) -> Self {
        Self { config, ..self }
    }

    /// The size of the images: the model's, the one that is asked for, or the most common, of several the one that comes
    /// first. Files that cannot be read are named when it is their turn.
    fn common_size(&self) -> Result<ImageSize> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let asked = self.config.size;
        let (mut first, mut counts) = (None, Vec::<([usize; 2], usize)>::new());
        for file in &self.files {
            let Ok(size) = self.size_of(file) else { continue };
            first.get_or_insert(size);
            let sides = [size.width, size.height];
            match counts.iter_mut().find(|(known, _)| *known == sides) {
                Some((_, count)) => *count += 1,
                None => counts.push((sides, 1)),
            }
            if asked.is_some() {
                break;
            }
        }
        let Some(ImageSize { channels, .. }) = first else {
            return self.size_of(&self.files[0]);
        };
        let most = counts.iter().map(|(_, count)| *count).max();
        let common = counts.iter().find(|(_, count)| Some(*count) == most).map(|(sides, _)| *sides);
        let [width, height] = asked.or(common).unwrap_or_default();
        let size = ImageSize { width, height, channels };
        check_side(&self.path, size).map(|()| size)
    }

    /// The size that a file's header promises.
    fn size_of(&self, file: &Path) -> Result<ImageSize> {
        let bytes = decode::read(file)?;
        let image = Undecoded::new(&bytes, &self.config, DECODER_BYTES);
        image.map(|image| image.size()).map_err(|message| Location::file(file).error(message))
    }

    /// The pixels of an image, and whether it had another size.
    fn read(&self, file: &Path, size: ImageSize) -> Result<(Vec<u8>, bool)> {
        let bytes = decode::read(file)?;
        let failed = |message| Location::file(file).error(message);
        let image = Undecoded::new(&bytes, &self.config, DECODER_BYTES).map_err(failed)?;
        let found = image.size();
        let resized = (found.width, found.height) != (size.width, size.height);
        Ok((image.pixels(size, &self.config).map_err(failed)?, resized))
    }
}

impl Reader for ImageFolderReader {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        let start = self.done;
        let end = start.saturating_add(max_rows.max(1)).min(self.files.len());
        if start == end {
            return Ok(None);
        }
        let size = self.common_size()?;
        self.size = Some(size);
        let mut pixels = Vec::new();
        for file in &self.files[start..end] {
            let (image, resized) = self.read(file, size)?;
            pixels.extend(image);
            self.resized += usize::from(resized);
        }
        self.done = end;
        let labels = self.labels.as_ref().map(|labels| labels[start..end].to_vec());
        let origin = Origin::Files(self.files[start..end].to_vec());
        dataset(Images::new(size, pixels)?, labels, origin).map(Some)
    }

    fn notes(&self) -> Vec<String> {
        match (self.size, self.resized) {
            (None, _) | (_, 0) => Vec::new(),
            (Some(size), count) => vec![resized_note(size, self.config.fit, count, self.done)],
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Says that `count` of `of` images had another size than the model reads.
pub fn resized_note(size: ImageSize, fit: Fit, count: usize, of: usize) -> String {
    let ImageSize { width, height, .. } = size;
    let (has, was) = if count == 1 { ("has", "was") } else { ("have", "were") };
    let how = fit.describe();
    format!(
        "{count} of {of} images {has} another size than {width}×{height} and {was} scaled, {how} (data.image.fit)"
    )
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
            } else if PICTURES.iter().any(|end| name.ends_with(&format!(".{end}"))) {
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
                .error("found this file but no images; expected .png, .jpg or .webp files")),
            _ => Ok(()),
        }
    }
}
