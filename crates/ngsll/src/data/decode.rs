//! Decoding one PNG or JPEG file.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use crate::error::{Error, Place, Result};

/// The longest side of an image.
const LONGEST_SIDE: u32 = 4096;
/// The most memory that decoding may take.
const DECODER_BYTES: u64 = 512 << 20;
/// The largest file; no image within the limit on its sides needs more.
const LARGEST_FILE: u64 = 256 << 20;

/// Decodes a PNG or JPEG file, told apart by its content.
pub(super) fn decode(file: &Path) -> Result<DynamicImage> {
    let damaged = |reason: &str| {
        Place::file(file).error(format!("not a readable PNG or JPEG image ({reason})"))
    };
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| Error::io(file, "read", error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(damaged("the file is larger than 256 MiB"));
    }
    let mut reader = ImageReader::new(Cursor::new(&bytes))
        .with_guessed_format()
        .map_err(|error| Error::io(file, "read", error))?;
    // The JPEG decoder fills what is missing with grey.
    if reader.format() == Some(ImageFormat::Jpeg) && !is_whole_jpeg(&bytes) {
        return Err(damaged("the file is cut off"));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(DECODER_BYTES);
    reader.limits(limits);
    reader.decode().map_err(|error| damaged(&error.to_string()))
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
