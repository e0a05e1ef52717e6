//! Images of one size.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The size of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// Numbers per pixel: 1 for grey, 3 for red, green, blue.
    pub channels: usize,
}

impl ImageSize {
    /// Bytes per image.
    pub fn bytes(&self) -> usize {
        self.width * self.height * self.channels
    }
}

impl fmt::Display for ImageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, channels } = self;
        let s = if *channels == 1 { "" } else { "s" };
        write!(f, "{width}×{height} with {channels} channel{s}")
    }
}

/// Images of one size, one byte per channel of a pixel.
///
/// ```
/// use ngsll::dataset::{ImageSize, Images};
/// let size = ImageSize { width: 2, height: 1, channels: 3 };
/// let images = Images::new(size, vec![255, 0, 0, 0, 0, 255])?;
/// assert_eq!((images.len(), images.get(0)[5]), (1, 255));
/// assert!(Images::new(size, vec![0; 7]).is_err());
/// assert!(Images::new(ImageSize { width: 0, ..size }, Vec::new()).is_err());
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    size: ImageSize,
    pixels: Vec<u8>,
}

impl Images {
    /// Image after image, each height × width × channels: a pixel's channels stand together, as decoders
    /// give them and networks read them.
    pub fn new(size: ImageSize, pixels: Vec<u8>) -> Result<Self> {
        let ImageSize { width, height, channels } = size;
        let bytes = width.checked_mul(height).and_then(|area| area.checked_mul(channels));
        match bytes {
            Some(bytes) if bytes > 0 && pixels.len().is_multiple_of(bytes) => {
                Ok(Self { size, pixels })
            }
            Some(bytes) if bytes > 0 => {
                let expected =
                    format!("expected a multiple of {bytes}, the bytes of an image of {size}");
                Err(Error::setting("pixels", pixels.len(), expected))
            }
            _ => Err(Error::setting(
                "image size",
                size,
                "expected at least one pixel and one channel, and a size that memory can hold",
            )),
        }
    }

    /// No images yet, of the given size.
    pub fn empty(size: ImageSize) -> Result<Self> {
        Self::new(size, Vec::new())
    }

    /// The number of images.
    pub fn len(&self) -> usize {
        self.pixels.len() / self.size.bytes()
    }

    /// Whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// The size of each.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// The bytes of image `index`, height × width × channels.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u8] {
        let bytes = self.size.bytes();
        &self.pixels[index * bytes..(index + 1) * bytes]
    }

    /// The bytes of all images, one after the other.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Appends images of the same size.
    pub fn push(&mut self, pixels: &[u8]) -> Result<()> {
        let more = Self::new(self.size, pixels.to_vec())?;
        self.pixels.extend(more.pixels);
        Ok(())
    }

    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let pixels = rows.iter().flat_map(|&r| self.get(r)).copied().collect();
        Self { size: self.size, pixels }
    }

    /// Appends images of the same size; `None` where theirs is another.
    pub(super) fn append(&mut self, more: &Self) -> Option<()> {
        (self.size == more.size).then(|| self.pixels.extend(&more.pixels))
    }
}
