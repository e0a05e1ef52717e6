//! Decoding one PNG or JPEG image.

use crate::LONGEST_SIDE;
use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use ngsll::dataset::{ImageSize, Images};
use ngsll::error::{Error, Location, Result};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

/// The most memory that decoding a file may take.
pub(super) const DECODER_BYTES: u64 = 512 << 20;
/// Memory that decoding an image from memory may take besides its pixels.
const DECODER_SLACK: u64 = 1 << 20;
/// The largest file; no image within the limit on its sides needs more.
const LARGEST_FILE: u64 = 256 << 20;

/// The bytes of an image file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::io(file, "read", error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Location::file(file).error(damaged("the file is larger than 256 MiB")));
    }
    Ok(bytes)
}

/// A PNG or JPEG image of which nothing but the header has been read.
pub(super) struct Undecoded<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
}

impl<'a> Undecoded<'a> {
    /// Reads the header; PNG and JPEG are told apart by their content. Decoding takes at most `memory` bytes. The
    /// error is a message.
    pub fn new(bytes: &'a [u8], memory: u64) -> Result<Self, String> {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
        let mut reader = reader.map_err(|error| damaged(&error.to_string()))?;
        // The JPEG decoder fills what is missing with grey.
        if reader.format() == Some(ImageFormat::Jpeg) && !is_whole_jpeg(bytes) {
            return Err(damaged("the file is cut off"));
        }
        let mut limits = Limits::default();
        limits.max_image_width = Some(LONGEST_SIDE);
        limits.max_image_height = Some(LONGEST_SIDE);
        limits.max_alloc = Some(memory);
        reader.limits(limits);
        let decoder = reader.into_decoder().map_err(|error| damaged(&error.to_string()))?;
        Ok(Self { decoder: Box::new(decoder) })
    }

    /// Width, height, and 1 channel for grey or 3 for colour.
    pub fn size(&self) -> ImageSize {
        let (width, height) = self.decoder.dimensions();
        let grey = matches!(
            self.decoder.color_type(),
            ColorType::L8 | ColorType::La8 | ColorType::L16 | ColorType::La16
        );
        let channels = if grey { 1 } else { 3 };
        ImageSize { width: width as usize, height: height as usize, channels }
    }

    /// Decodes the pixels, in grey for 1 channel and in colour for 3: height × width × channels.
    pub fn pixels(self, channels: usize) -> Result<Vec<u8>, String> {
        let image = DynamicImage::from_decoder(self.decoder);
        let image = image.map_err(|error| damaged(&error.to_string()))?;
        Ok(if channels == 1 { image.into_luma8().into_raw() } else { image.into_rgb8().into_raw() })
    }
}

/// Decodes a PNG or JPEG image of the size that `images` has and appends it, in colour or grey as they are. Its size
/// is looked at before any pixel is decoded. The error is a message for the image.
///
/// ```
/// use ngsll::dataset::{ImageSize, Images};
/// let mut images = Images::empty(ImageSize { width: 28, height: 28, channels: 1 })?;
/// let message = ngsll_readers::decode_into(&mut images, b"GIF89a").unwrap_err();
/// assert!(message.starts_with("not a readable PNG or JPEG image"));
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn decode_into(images: &mut Images, bytes: &[u8]) -> Result<(), String> {
    let ImageSize { width, height, channels } = images.size();
    if ![1, 3].contains(&channels) {
        return Err(format!("PNG and JPEG give 1 or 3 channels, the model takes {channels}"));
    }
    // Four channels of two bytes are the most that a pixel has; a colour profile, which is compressed, may not be
    // larger than what is left.
    let memory = 8 * (width * height) as u64 + DECODER_SLACK;
    let image = Undecoded::new(bytes, memory)?;
    let found = image.size();
    if (found.width, found.height) != (width, height) {
        let (w, h) = (found.width, found.height);
        return Err(format!("the image is {w}×{h}, the model takes {width}×{height}"));
    }
    images.push(&image.pixels(channels)?).map_err(|error| error.to_string())
}

fn damaged(reason: &str) -> String {
    format!("not a readable PNG or JPEG image ({reason})")
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
            let mut image = Undecoded::new(&bytes, memory).unwrap();
            image.decoder.icc_profile().unwrap().map(|profile| profile.len())
        };
        assert_eq!(profile(DECODER_BYTES), Some(4 << 20));
        assert_eq!(profile(1 << 20), None);
    }
}
