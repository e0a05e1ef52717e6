//! Images as the experts read them: one disjoint 4×4 patch each.
//!
//! A 2×2 convolution with stride 2 reads disjoint windows, so with the pixels in the right order it is
//! a matrix product: the four windows of a patch are four rows for the first convolution, and their
//! outputs one row for the second.

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::dataset::{ImageSize, Images};
use ngsll::error::{Error, Result};

/// Side of a patch, which two convolutions halve.
const SIDE: usize = 4;

/// Side of a convolution's window.
const WINDOW: usize = 2;

/// Windows in a patch, and pixels in a window.
pub(super) const FOUR: usize = WINDOW * WINDOW;

/// The division of images of one size into patches.
#[derive(Debug, Clone)]
pub(super) struct Patches {
    size: ImageSize,
    /// The index in an image of each patch value: `[expert, window, pixel, channel]`.
    order: Vec<usize>,
    /// The standardised value of each byte.
    values: Vec<f32>,
}

impl Patches {
    /// For images of this size, standardised by the mean and standard deviation of all pixels.
    pub fn of(images: &Images) -> Result<Self> {
        let size @ ImageSize { width, height, channels } = images.size();
        if !height.is_multiple_of(SIDE) || !width.is_multiple_of(SIDE) {
            let expected = "sides that are multiples of 4, so that experts share out every pixel";
            return Err(Error::setting("image size", size, expected));
        }
        if images.is_empty() {
            return Err(Error::setting("training images", 0, "at least one"));
        }
        let mut order = Vec::with_capacity(size.bytes());
        for (top, left) in corners(0, 0, height, width, SIDE) {
            for (top, left) in corners(top, left, SIDE, SIDE, WINDOW) {
                for (y, x) in corners(top, left, WINDOW, WINDOW, 1) {
                    order.extend((0..channels).map(|c| (y * width + x) * channels + c));
                }
            }
        }
        Ok(Self { size, order, values: standardized(images.pixels())? })
    }

    /// The number of patches.
    pub fn experts(&self) -> usize {
        self.size.width * self.size.height / (SIDE * SIDE)
    }

    /// Values per pixel.
    pub fn channels(&self) -> usize {
        self.size.channels
    }

    /// Fails for images of another size.
    pub fn check(&self, images: &Images) -> Result<()> {
        if images.size() != self.size {
            let expected = format!("{}, as in training", self.size);
            return Err(Error::setting("image size", images.size(), expected));
        }
        Ok(())
    }

    /// The patches of some images: `[rows · experts · 4, 4 · channels]`.
    pub fn batch(&self, images: &Images, rows: &[usize], device: &Device) -> Tensor<2> {
        let image = |&row: &usize| {
            let pixels = images.get(row);
            self.order.iter().map(|&at| self.values[usize::from(pixels[at])])
        };
        let values: Vec<f32> = rows.iter().flat_map(image).collect();
        let width = FOUR * self.channels();
        let height = values.len() / width;
        Tensor::from_data(TensorData::new(values, [height, width]), device)
    }
}

/// The upper left corners of the squares of a rectangle, row by row.
fn corners(
    top: usize,
    left: usize,
    height: usize,
    width: usize,
    side: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let rows = (top..top + height).step_by(side);
    rows.flat_map(move |y| (left..left + width).step_by(side).map(move |x| (y, x)))
}

/// The standardised value of each byte / 255, by the mean and standard deviation of these pixels.
fn standardized(pixels: &[u8]) -> Result<Vec<f32>> {
    let mut counts = [0_u64; 256];
    pixels.iter().for_each(|&pixel| counts[usize::from(pixel)] += 1);
    let unit = |byte: usize| byte as f64 / 255.0;
    let mean_of = |value: &dyn Fn(usize) -> f64| {
        let sum: f64 = counts.iter().enumerate().map(|(b, &n)| n as f64 * value(b)).sum();
        sum / pixels.len() as f64
    };
    let mean = mean_of(&unit);
    let deviation = mean_of(&|byte| (unit(byte) - mean).powi(2)).sqrt();
    if deviation == 0.0 {
        let expected = "pixels that differ: nothing can be learned from one shade";
        return Err(Error::setting("training images", "all pixels are equal", expected));
    }
    Ok((0..256).map(|byte| ((unit(byte) - mean) / deviation) as f32).collect())
}
