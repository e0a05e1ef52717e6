//! Images in folders.

use super::decode::{self, DECODER_BYTES, Undecoded, check_side};
use super::listing::Listing;
use crate::{LabelUse, Reader, ReaderNote, dataset};
use ngsll::config::{Fit, ImageConfig};
use ngsll::dataset::{Dataset, ImageSize, Images, Origin};
use ngsll::error::{Error, Location, Result};
use ngsll::readable::count;
use std::path::{Path, PathBuf};

/// The most unreadable files, besides the first, that a message names.
const NAMED: usize = 4;

const ONE_FOLDER_PER_CLASS: &str =
    "expected a folder with one sub-folder of images for each class, or a CSV of paths and labels";

/// Reads PNG, JPEG and WebP images from a folder, in the order of their names.
///
/// With labels, each sub-folder is a class, including everything below it. The first image decides whether the images
/// are grey or coloured, and the most common size is used (unless a model sets one); all are brought to it as the
/// [`ImageConfig`] says. Hidden files are ignored; files of other kinds are counted in a note.
pub struct ImageFolderReader {
    path: PathBuf,
    files: Vec<PathBuf>,
    /// The class of each file, if there are classes.
    labels: Option<Vec<String>>,
    config: ImageConfig,
    /// The requested size or that of most images.
    size: Option<ImageSize>,
    /// The number of files that have been read.
    done: usize,
    /// The number of them with another size.
    resized: usize,
    /// Notes about the folders of the files.
    about_folders: Vec<String>,
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
        let mut top = Listing::of(path)?;
        if labels == LabelUse::Ignored || top.folders.is_empty() {
            if labels == LabelUse::Required {
                return Err(Location::file(path).error(ONE_FOLDER_PER_CLASS));
            }
            for folder in std::mem::take(&mut top.folders) {
                top.add(Listing::below(&folder)?);
            }
            reader.files = top.images.clone();
        } else {
            if let Some(stray) = top.images.first() {
                let message = "the image is outside the sub-folders; expected every image in the sub-folder of its class";
                return Err(Location::file(stray).error(message));
            }
            let mut classes = Vec::new();
            for folder in std::mem::take(&mut top.folders) {
                let class = folder.file_name().and_then(|name| name.to_str());
                let class = class.ok_or_else(|| {
                    Location::file(&folder)
                        .error("the folder's name, which is the class, is not valid UTF-8")
                })?;
                let listing = Listing::below(&folder)?;
                listing.check_found()?;
                classes.extend(listing.images.iter().map(|_| class.to_owned()));
                top.add(listing);
            }
            reader.files = top.images.clone();
            reader.labels = Some(classes);
        }
        if reader.files.is_empty() {
            top.check_found()?;
        }
        reader.about_folders = top.notes(reader.labels.is_some());
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
        Ok(Self {
            path,
            files,
            labels,
            config,
            size: expect,
            done: 0,
            resized: 0,
            about_folders: Vec::new(),
        })
    }

    /// Sets options other than the defaults.
    pub fn with_config(self, config: ImageConfig) -> Self {
        Self { config, ..self }
    }

    /// The size of the images: the model's, the requested one, or the most common; among equally common ones the first.
    /// Unreadable files are reported later, when they are read.
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

    /// The size that a file's header gives.
    fn size_of(&self, file: &Path) -> Result<ImageSize> {
        let bytes = decode::read(file)?;
        let image = Undecoded::new(&bytes, &self.config, DECODER_BYTES);
        image.map(|image| image.size()).map_err(|message| Location::file(file).error(message))
    }

    /// The error for a file, with the unreadable ones after it.
    fn with_others(&self, error: Error, at: usize, size: ImageSize) -> Error {
        let Error::Data { location, message } = error else { return error };
        let others = self.files[at + 1..].iter().filter(|file| self.read(file, size).is_err());
        let others: Vec<String> = others.map(|file| file.display().to_string()).collect();
        let more = match others.len() {
            0 => return location.error(message),
            n if n > NAMED => format!(" and {} more", count(n - NAMED)),
            _ => String::new(),
        };
        let named = others[..others.len().min(NAMED)].join(", ");
        location.error(format!("{message}; nor can these be read: {named}{more}"))
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
        for (at, file) in self.files[start..end].iter().enumerate() {
            let read = self.read(file, size);
            let (image, resized) =
                read.map_err(|error| self.with_others(error, start + at, size))?;
            pixels.extend(image);
            self.resized += usize::from(resized);
        }
        self.done = end;
        let labels = self.labels.as_ref().map(|labels| labels[start..end].to_vec());
        let origin = Origin::Files(self.files[start..end].to_vec());
        dataset(Images::new(size, pixels)?, labels, origin).map(Some)
    }

    fn notes(&self) -> Vec<ReaderNote> {
        let size = self.size.filter(|_| self.resized > 0);
        let resized = size.map(|size| resized_note(size, self.config.fit, self.resized, self.done));
        self.about_folders.iter().cloned().chain(resized).map(ReaderNote::from).collect()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Says that `count` of `of` images had another size than the model reads.
pub fn resized_note(size: ImageSize, fit: Fit, count: usize, of: usize) -> String {
    let ImageSize { width, height, .. } = size;
    let how = fit.describe();
    let (which, has, was) = match (count, of) {
        (1, 1) => ("the image".to_string(), "has", "was"),
        (1, _) => (format!("1 of {of} images"), "has", "was"),
        _ => (format!("{count} of {of} images"), "have", "were"),
    };
    format!(
        "{which} {has} another size than {width}×{height} and {was} scaled, {how} (data.image.fit)"
    )
}
