//! Decoding one PNG, JPEG or WebP image.

use super::fit::{fitted, flattened};
use crate::contained::contained;
use crate::{LONGEST_SIDE, LONGEST_SOURCE_SIDE, source};
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use ngsll::config::ImageConfig;
use ngsll::dataset::{ImageSize, Images};
use ngsll::error::{Error, Location, Result};
use std::io::{Cursor, Read};
use std::path::Path;

/// The most memory that decoding a file may take.
pub(super) const DECODER_BYTES: u64 = 512 << 20;
/// The memory, besides its pixels, that decoding an image from memory may take.
const DECODER_SLACK: u64 = 1 << 20;
/// The largest file; no image within the limit on its sides needs more.
const LARGEST_FILE: u64 = 256 << 20;

/// The bytes of an image file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let content = source::open_regular(file)?;
    content
        .take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(file, "read", error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Location::file(file).error(damaged("the file is larger than 256 MiB")));
    }
    Ok(bytes)
}

/// An image of which only the header has been read.
pub(super) struct Undecoded<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    /// The rotation to apply.
    orientation: Orientation,
}

impl<'a> Undecoded<'a> {
    /// Reads the header; formats are detected by their content. Decoding takes at most `memory` bytes. The error is
    /// a message.
    pub fn new(bytes: &'a [u8], config: &ImageConfig, memory: u64) -> Result<Self, String> {
        contained(|| Self::open(bytes, config, memory)).unwrap_or_else(|| Err(no_decoder_error()))
    }

    fn open(bytes: &'a [u8], config: &ImageConfig, memory: u64) -> Result<Self, String> {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
        let mut reader = reader.map_err(|error| damaged(&error.to_string()))?;
        // The JPEG decoder fills missing parts with grey.
        if reader.format() == Some(ImageFormat::Jpeg) && !is_whole_jpeg(bytes) {
            return Err(damaged("the file is cut off"));
        }
        let mut limits = Limits::default();
        limits.max_image_width = Some(LONGEST_SOURCE_SIDE);
        limits.max_image_height = Some(LONGEST_SOURCE_SIDE);
        limits.max_alloc = Some(memory);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(|error| damaged(&error.to_string()))?;
        // Unreadable metadata do not make the picture unreadable.
        let orientation = match config.orientation {
            true => decoder.orientation().unwrap_or(Orientation::NoTransforms),
            false => Orientation::NoTransforms,
        };
        Ok(Self { decoder: Box::new(decoder), orientation })
    }

    /// Width and height after rotation, and 1 channel for grey or 3 for colour.
    pub fn size(&self) -> ImageSize {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        let (mut width, mut height) = self.decoder.dimensions();
        if matches!(self.orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH) {
            (width, height) = (height, width);
        }
        let grey = matches!(
            self.decoder.color_type(),
            ColorType::L8 | ColorType::La8 | ColorType::L16 | ColorType::La16
        );
        let channels = if grey { 1 } else { 3 };
        ImageSize { width: width as usize, height: height as usize, channels }
    }

    /// Decodes the pixels as an image of `size`, in grey for 1 channel and in colour for 3: height × width × channels.
    pub fn pixels(self, size: ImageSize, config: &ImageConfig) -> Result<Vec<u8>, String> {
        let orientation = self.orientation;
        let image = contained(|| DynamicImage::from_decoder(self.decoder));
        let image = image.ok_or_else(no_decoder_error)?;
        let image = image.map_err(|error| damaged(&error.to_string()))?;
        let image = flattened(image, config.background);
        let mut image = match size.channels {
            1 => DynamicImage::ImageLuma8(image.into_luma8()),
            _ => DynamicImage::ImageRgb8(image.into_rgb8()),
        };
        image.apply_orientation(orientation);
        Ok(fitted(image, (size.width as u32, size.height as u32), config.fit).into_bytes())
    }
}

/// Decodes a PNG, JPEG or WebP image, brings it to the size of `images` according to `config`, and appends it, in
/// colour or grey like them; returns its original width and height. An image of another size may have `most_pixels`
/// pixels, which is checked before any of them is decoded. The error is a message for the image.
///
/// ```
/// use ngsll::config::ImageConfig;
/// use ngsll::dataset::{ImageSize, Images};
/// let mut images = Images::empty(ImageSize { width: 28, height: 28, channels: 1 })?;
/// let config = ImageConfig::default();
/// let message = ngsll_readers::decode_into(&mut images, b"GIF89a", &config, 1 << 20).unwrap_err();
/// assert!(message.starts_with("not a readable PNG, JPEG or WebP image"));
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn decode_into(
    images: &mut Images,
    bytes: &[u8],
    config: &ImageConfig,
    most_pixels: u64,
) -> Result<(usize, usize), String> {
    let size = images.size();
    if ![1, 3].contains(&size.channels) {
        return Err(format!(
            "image files have 1 or 3 channels, but the model reads {}",
            size.channels
        ));
    }
    let most_pixels = most_pixels.max((size.width * size.height) as u64);
    // Four channels of two bytes are the most that a pixel has; a colour profile, which is compressed, must fit into
    // the rest.
    let image = Undecoded::new(bytes, config, 8 * most_pixels + DECODER_SLACK)?;
    let ImageSize { width, height, .. } = image.size();
    if (width * height) as u64 > most_pixels {
        return Err(format!(
            "the image is {width}×{height}, expected {}×{}, or another size of at most {most_pixels} pixels",
            size.width, size.height
        ));
    }
    images.push(&image.pixels(size, config)?).map_err(|error| error.to_string())?;
    Ok((width, height))
}

/// The message when a decoder panics, as some do for invalid files.
fn no_decoder_error() -> String {
    damaged("the file is not valid in its format")
}

/// Fails if no model could read images of this size.
pub(super) fn check_side(path: &Path, size: ImageSize) -> Result<()> {
    let ImageSize { width, height, .. } = size;
    if width.max(height) <= LONGEST_SIDE as usize {
        return Ok(());
    }
    let message =
        format!("the images are {width}×{height}, expected sides of at most {LONGEST_SIDE}");
    Err(Error::Unset { location: Location::file(path), name: "data.image.size", message })
}

fn damaged(reason: &str) -> String {
    format!("not a readable PNG, JPEG or WebP image ({reason})")
}

/// Whether the end marker follows the start of the image data. Before that start, an embedded preview may have one.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    const START_OF_DATA: u8 = 0xda;
    const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, marker, tail @ ..] = rest {
        match (*marker, tail) {
            (START_OF_DATA, data) => return data.windows(2).any(|pair| pair == END_OF_IMAGE),
            // Any number of 0xff may come before a marker.
            (0xff, _) => rest = &rest[1..],
            (_, [high, low, ..]) => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                rest = tail.get(length..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder};

    /// A colour profile can be a few kilobytes in the file and gigabytes in memory.
    #[test]
    fn a_colour_profile_larger_than_the_memory_is_not_unpacked() {
        let mut bytes = Vec::new();
        let mut encoder = PngEncoder::new(&mut bytes);
        encoder.set_icc_profile(vec![0; 4 << 20]).unwrap();
        encoder.write_image(&[0; 64], 8, 8, ExtendedColorType::L8).unwrap();
        assert!(bytes.len() < 1 << 16);
        let profile = |memory: u64| {
            let mut image = Undecoded::new(&bytes, &ImageConfig::default(), memory).unwrap();
            image.decoder.icc_profile().unwrap().map(|profile| profile.len())
        };
        assert_eq!(profile(DECODER_BYTES), Some(4 << 20));
        assert_eq!(profile(1 << 20), None);
    }
}
