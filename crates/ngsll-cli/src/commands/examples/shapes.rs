//! Small grey pictures of a circle, a cross or a square, about in the middle.

use super::Rng;
use anyhow::Result;
use rand::RngExt;

/// Pixels of a side.
const SIDE: u32 = 28;
/// Pictures of each shape.
const EACH: usize = 80;

/// The distance of a pixel from the line of a shape with half width `r`, given its position relative to the centre.
type Shape = fn(x: f64, y: f64, r: f64) -> f64;

const SHAPES: [(&str, Shape); 3] = [
    ("circle", |x, y, r| (x.hypot(y) - r).abs()),
    (
        "cross",
        |x, y, r| if x.abs().max(y.abs()) > r { f64::INFINITY } else { x.abs().min(y.abs()) },
    ),
    ("square", |x, y, r| (x.abs().max(y.abs()) - r).abs()),
];

/// All pictures.
pub const IMAGES: usize = SHAPES.len() * EACH;

/// The pictures as PNG files, in a folder for each shape.
pub fn files(rng: &mut Rng) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::with_capacity(IMAGES);
    for (name, shape) in SHAPES {
        for i in 0..EACH {
            files.push((format!("{name}/{i:02}.png"), png(&draw(shape, rng))?));
        }
    }
    Ok(files)
}

/// A shape in white on black, with a little noise.
fn draw(shape: Shape, rng: &mut Rng) -> Vec<u8> {
    let middle = f64::from(SIDE) / 2.0;
    let (x, y) = (middle + rng.random_range(-2.0..2.0), middle + rng.random_range(-2.0..2.0));
    let (r, width) = (rng.random_range(6.5..9.5), rng.random_range(1.2..2.0));
    let positions = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row)));
    positions
        .map(|(column, row)| {
            let distance = shape(f64::from(column) - x, f64::from(row) - y, r);
            let ink = 230.0 * (1.0 + width - distance).clamp(0.0, 1.0);
            (ink + rng.random_range(0.0..25.0)) as u8
        })
        .collect()
}

fn png(pixels: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIDE, SIDE);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
