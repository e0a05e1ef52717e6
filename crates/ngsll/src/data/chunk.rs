//! Samples as they were read, with their labels and the place each came from.

use std::path::PathBuf;

use super::decode::Undecoded;
use super::{Table, Texts};
use crate::error::Place;

/// Memory that decoding an image from memory may take besides its pixels.
const DECODER_SLACK: u64 = 1 << 20;

/// n samples as read. Labels are the file's own strings.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// The samples.
    pub samples: Samples,
    /// One label per sample; where labels are optional, a sample without one has the empty string, and a chunk
    /// without any has none.
    pub labels: Option<Vec<String>>,
    /// Where each sample came from.
    pub origin: Origin,
}

impl Chunk {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The given rows, in the given order.
    ///
    /// # Panics
    /// If a row is not below [`len`](Self::len).
    pub fn select(&self, rows: &[usize]) -> Self {
        let labels = self.labels.as_ref().map(|l| rows.iter().map(|&r| l[r].clone()).collect());
        let origin = match &self.origin {
            Origin::Lines { file, lines } => Origin::Lines {
                file: file.clone(),
                lines: rows.iter().map(|&r| lines[r]).collect(),
            },
            Origin::Files(files) => Origin::Files(rows.iter().map(|&r| files[r].clone()).collect()),
        };
        Self { samples: self.samples.select(rows), labels, origin }
    }

    /// Where sample `row` (counted from 0) came from.
    ///
    /// # Panics
    /// If `row` is not below [`len`](Self::len).
    pub fn place(&self, row: usize) -> Place {
        self.origin.place(row)
    }
}

/// The samples of one kind of input.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Free texts.
    Texts(Texts),
    /// Images of one size.
    Images(Images),
    /// Rows of named columns.
    Table(Table),
}

impl Samples {
    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Texts(texts) => Self::Texts(rows.iter().map(|&r| texts.get(r)).collect()),
            Self::Images(images) => {
                let pixels = rows.iter().flat_map(|&r| images.get(r)).copied().collect();
                Self::Images(Images { pixels, ..*images })
            }
            Self::Table(table) => Self::Table(table.select(rows)),
        }
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Images(images) => images.len(),
            Self::Table(table) => table.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All samples of the parts, in order; `None` where the parts differ in kind, image size or columns.
    pub fn join<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()?.clone();
        for part in parts {
            match (&mut all, part) {
                (Self::Texts(all), Self::Texts(more)) => more.iter().for_each(|t| all.push(t)),
                (Self::Images(all), Self::Images(more)) if all.is_like(more) => {
                    all.pixels.extend(&more.pixels);
                }
                (Self::Table(all), Self::Table(more)) => all.append(more)?,
                _ => return None,
            }
        }
        Some(all)
    }

    /// What they are, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Texts(_) => "text",
            Self::Images(_) => "images",
            Self::Table(_) => "a table",
        }
    }
}

/// Images of one size, one byte per channel and pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    /// Pixels in a row.
    pub width: usize,
    /// Rows in an image.
    pub height: usize,
    /// 1 for grey, 3 for red, green, blue.
    pub channels: usize,
    /// Image after image, each channel-major: `channels × height × width`.
    pub pixels: Vec<u8>,
}

impl Images {
    /// The number of images.
    pub fn len(&self) -> usize {
        self.pixels.len() / self.size()
    }

    /// Whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// The bytes of image `index`, `channels × height × width`.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u8] {
        &self.pixels[index * self.size()..(index + 1) * self.size()]
    }

    /// Decodes a PNG or JPEG image of this size and appends it, in colour or grey as these are. Its size is
    /// looked at before any pixel is decoded. The error is a message for the image.
    pub fn push_encoded(&mut self, bytes: &[u8]) -> Result<(), String> {
        if ![1, 3].contains(&self.channels) {
            let found = self.channels;
            return Err(format!("PNG and JPEG give 1 or 3 channels, the model takes {found}"));
        }
        // Four channels of two bytes are the most that a pixel has; a colour profile, which is compressed, may not be
        // larger than what is left.
        let memory = 8 * (self.width * self.height) as u64 + DECODER_SLACK;
        let image = Undecoded::new(bytes, memory)?;
        let (width, height, _) = image.size();
        if (width, height) != (self.width, self.height) {
            let (w, h) = (self.width, self.height);
            return Err(format!("the image is {width}×{height}, the model takes {w}×{h}"));
        }
        image.push(self.channels, &mut self.pixels)
    }

    /// Whether the images have the same size.
    fn is_like(&self, other: &Self) -> bool {
        let size = |images: &Self| (images.width, images.height, images.channels);
        size(self) == size(other)
    }

    /// Bytes per image.
    fn size(&self) -> usize {
        self.width * self.height * self.channels
    }
}

/// Appends `pixels` (each pixel's channels together) channel by channel to `out`.
pub(super) fn push_channel_major(pixels: &[u8], channels: usize, out: &mut Vec<u8>) {
    for channel in 0..channels {
        out.extend(pixels.iter().skip(channel).step_by(channels));
    }
}

/// An image's size for messages.
pub(super) fn describe((width, height, channels): (usize, usize, usize)) -> String {
    let s = if channels == 1 { "" } else { "s" };
    format!("{width}×{height} with {channels} channel{s}")
}

/// Where the samples of a chunk came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Lines of one file (records, where the file has no lines), counted from 1.
    Lines {
        /// The file.
        file: PathBuf,
        /// The line of each sample.
        lines: Vec<u64>,
    },
    /// One file per sample.
    Files(Vec<PathBuf>),
}

impl Origin {
    /// Where sample `row` (counted from 0) came from.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn place(&self, row: usize) -> Place {
        match self {
            Origin::Lines { file, lines } => Place::line(file, lines[row]),
            Origin::Files(files) => Place::file(&files[row]),
        }
    }

    fn len(&self) -> usize {
        match self {
            Origin::Lines { lines, .. } => lines.len(),
            Origin::Files(files) => files.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_channel_major() {
        let mut pixels = Vec::new();
        push_channel_major(&[1, 2, 3, 4, 5, 6], 3, &mut pixels);
        let images = Images { width: 2, height: 1, channels: 3, pixels };
        assert_eq!(images.len(), 1);
        assert_eq!(images.get(0), [1, 4, 2, 5, 3, 6]);
    }

    #[test]
    fn a_chunk_knows_where_its_rows_came_from() {
        let mut texts = Texts::default();
        texts.push("a");
        let origin = Origin::Lines { file: "a.csv".into(), lines: vec![2] };
        let chunk = Chunk { samples: Samples::Texts(texts), labels: None, origin };
        assert_eq!((chunk.len(), chunk.is_empty()), (1, false));
        assert_eq!(chunk.place(0), Place::line("a.csv", 2));
        assert_eq!(Origin::Files(vec!["b.png".into()]).place(0), Place::file("b.png"));
    }

    #[test]
    fn joined_samples_are_the_parts_one_after_the_other() {
        let texts = |list: &[&str]| Samples::Texts(list.iter().collect());
        let joined = Samples::join([&texts(&["a", "b"]), &texts(&[]), &texts(&["c"])]);
        assert_eq!(joined, Some(texts(&["a", "b", "c"])));

        let image = |width, pixels: &[u8]| {
            Samples::Images(Images { width, height: 1, channels: 1, pixels: pixels.to_vec() })
        };
        let joined = Samples::join([&image(2, &[1, 2]), &image(2, &[3, 4, 5, 6])]);
        assert_eq!(joined.as_ref().map(Samples::len), Some(3));
        assert_eq!(joined, Some(image(2, &[1, 2, 3, 4, 5, 6])));
        assert_eq!(Samples::join([&image(2, &[1, 2]), &image(1, &[3])]), None);
        assert_eq!(Samples::join([&image(2, &[1, 2]), &texts(&["a"])]), None);
    }
}
