//! Decoding one PNG or JPEG image.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::chunk::push_channel_major;
use crate::error::{Error, Place, Result};

/// The longest side of an image.
const LONGEST_SIDE: u32 = 4096;
/// The most memory that decoding a file may take.
pub(super) const DECODER_BYTES: u64 = 512 << 20;
/// The largest file; no image within the limit on its sides needs more.
const LARGEST_FILE: u64 = 256 << 20;

/// The bytes of an image file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::io(file, "read", error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Place::file(file).error(damaged("the file is larger than 256 MiB")));
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
    pub fn size(&self) -> (usize, usize, usize) {
        let (width, height) = self.decoder.dimensions();
        let grey = matches!(
            self.decoder.color_type(),
            ColorType::L8 | ColorType::La8 | ColorType::L16 | ColorType::La16
        );
        (width as usize, height as usize, if grey { 1 } else { 3 })
    }

    /// Decodes the pixels and appends them channel-major in 1 or 3 channels.
    pub fn push(self, channels: usize, pixels: &mut Vec<u8>) -> Result<(), String> {
        let image = DynamicImage::from_decoder(self.decoder);
        let image = image.map_err(|error| damaged(&error.to_string()))?;
        if channels == 1 {
            pixels.extend(image.to_luma8().as_raw());
        } else {
            push_channel_major(image.to_rgb8().as_raw(), 3, pixels);
        }
        Ok(())
    }
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
