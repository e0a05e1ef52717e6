//! One image of each digit, and the weights of several models for it.

use crate::colour::{hex, hue};
use crate::svg::{Anchor, Svg, data_uri};
use ngsll::dataset::ImageSize;
use ngsll::representation::Grid;

/// A column of the figure.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Digit {
    /// Its name.
    pub name: String,
    /// Grey pixels; 255 is ink.
    pub pixels: Vec<u8>,
    /// Each model's weights and prediction, in the order of the rows.
    pub drawn: Vec<Drawn>,
}

/// A model's weights and prediction for an image.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Drawn {
    /// The kept weights: cell and weight.
    pub weights: Vec<(usize, f64)>,
    /// The predicted class.
    pub predicted: String,
    /// Whether it is right.
    pub right: bool,
}

impl Digit {
    /// An image that no model has read yet.
    pub fn new(name: impl Into<String>, pixels: Vec<u8>) -> Self {
        Self { name: name.into(), pixels, drawn: Vec::new() }
    }
}

impl Drawn {
    /// A predicted class, whether it is right, and the weights of the kept cells.
    pub fn new(predicted: impl Into<String>, right: bool, weights: Vec<(usize, f64)>) -> Self {
        Self { weights, predicted: predicted.into(), right }
    }
}

/// Units of the drawing per pixel of an image.
const ZOOM: f64 = 3.0;
const GAP: f64 = 10.0;
const LEFT: f64 = 118.0;
const TOP: f64 = 34.0;
/// Height for the prediction under a picture.
const UNDER: f64 = 18.0;

/// Digits from left to right; the image itself on top, then a row for each model.
pub fn digits(grid: &Grid, rows: &[String], columns: &[Digit]) -> String {
    let ImageSize { width, height, .. } = grid.size();
    let (width, height) = (width as f64 * ZOOM, height as f64 * ZOOM);
    let (step, line) = (width + GAP, height + UNDER + GAP);
    let mut svg =
        Svg::new(LEFT + step * columns.len() as f64, TOP + line * (rows.len() + 1) as f64);
    for (at, row) in ["image".to_string()].iter().chain(rows).enumerate() {
        let y = TOP + line * at as f64 + height / 2.0;
        // "NGSLL without K-HGM" on two lines.
        let (first, second) = row.split_once('\n').unwrap_or((row.as_str(), ""));
        svg.text((LEFT - 12.0, y), 13.0, Anchor::End, first);
        svg.text((LEFT - 12.0, y + 16.0), 13.0, Anchor::End, second);
    }
    for (at, digit) in columns.iter().enumerate() {
        let x = LEFT + step * at as f64;
        svg.text((x + width / 2.0, TOP - 12.0), 14.0, Anchor::Middle, &digit.name);
        picture(&mut svg, grid, digit, (x, TOP), None);
        for (row, drawn) in digit.drawn.iter().enumerate() {
            let y = TOP + line * (row + 1) as f64;
            picture(&mut svg, grid, digit, (x, y), Some(drawn));
            let mark = if drawn.right { "" } else { " (wrong)" };
            let label = format!("{}{mark}", drawn.predicted);
            svg.text((x + width / 2.0, y + height + 14.0), 11.0, Anchor::Middle, &label);
        }
    }
    svg.finish("Weights for one image of each digit")
}

/// The image in grey on white, under its weights.
fn picture(svg: &mut Svg, grid: &Grid, digit: &Digit, (x, y): (f64, f64), drawn: Option<&Drawn>) {
    let size = grid.size();
    let (width, height) = (size.width as f64 * ZOOM, size.height as f64 * ZOOM);
    // Under weights the ink is paler, so that their colours can be distinguished.
    let ink = if drawn.is_some() { 0.55 } else { 1.0 };
    let pixels = digit.pixels.iter().take(size.width * size.height);
    let rgb: Vec<u8> =
        pixels.flat_map(|&p| [(255.0 - ink * f64::from(p)).round() as u8; 3]).collect();
    if let Some(uri) = data_uri(size.width, size.height, &rgb) {
        svg.add(format_args!(
            "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height}\" \
             image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" href=\"{uri}\"/>"
        ));
    }
    let weights = drawn.map_or(&[][..], |drawn| &drawn.weights);
    let largest = weights.iter().map(|(_, w)| w.abs()).fold(f64::MIN_POSITIVE, f64::max);
    for &(cell, weight) in weights {
        let (xs, ys) = grid.cell(cell);
        svg.add(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" fill-opacity=\"{:.2}\"/>",
            x + xs.start as f64 * ZOOM,
            y + ys.start as f64 * ZOOM,
            xs.len() as f64 * ZOOM,
            ys.len() as f64 * ZOOM,
            hex(hue(weight < 0.0).on_light),
            0.1 + 0.75 * weight.abs() / largest,
        ));
    }
    svg.add(format_args!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999\"/>"
    ));
}
