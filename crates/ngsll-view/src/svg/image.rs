//! A small image inside an SVG or HTML file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// An image of red, green and blue bytes, row by row, as a `data:` address; `None` for one without pixels.
pub fn data_uri(width: usize, height: usize, rgb: &[u8]) -> Option<String> {
    let size = |v: usize| u32::try_from(v).ok().filter(|&v| v > 0);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size(width)?, size(height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().ok()?.write_image_data(rgb).ok()?;
    Some(format!("data:image/png;base64,{}", STANDARD.encode(file)))
}
