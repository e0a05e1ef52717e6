//! The scale of pixel values for networks that see parts of an image.

use crate::dataset::Images;
use serde::{Deserialize, Serialize};

/// The mean and the standard deviation of the pixels of each channel, by which they are standardised.
///
/// An erased pixel is 0, so it looks like an average one. On a scale of shares of white, an erased cell of a grey
/// picture would be a black square, with its border the strongest feature: shapes on a grey ground were
/// not learned at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PixelScale {
    mean: Vec<f32>,
    deviation: Vec<f32>,
}

impl PixelScale {
    /// The scale of the given images.
    pub(super) fn fit(images: &Images, rows: &[usize]) -> Self {
        let channels = images.size().channels;
        // Whole numbers: the sums are exact.
        let mut sums = vec![(0_u64, 0_u64); channels];
        for &row in rows {
            for pixel in images.get(row).chunks_exact(channels) {
                for ((sum, squares), &value) in sums.iter_mut().zip(pixel) {
                    *sum += u64::from(value);
                    *squares += u64::from(value) * u64::from(value);
                }
            }
        }
        let count = (rows.len() * images.size().bytes() / channels).max(1) as f64;
        let channel = |(sum, squares): (u64, u64)| {
            let mean = sum as f64 / count;
            let variance = (squares as f64 / count - mean * mean).max(0.0);
            // A channel that never varies carries no information.
            let deviation = if variance > 0.0 { variance.sqrt() } else { 255.0 };
            (mean as f32, deviation as f32)
        };
        let (mean, deviation) = sums.into_iter().map(channel).unzip();
        Self { mean, deviation }
    }

    /// Whether it has a scale for each of the given number of channels.
    pub(super) fn fits(&self, channels: usize) -> bool {
        let lengths = [self.mean.len(), self.deviation.len()];
        lengths == [channels; 2]
            && self.channels().all(|(mean, d)| mean.is_finite() && d.is_finite() && d > 0.0)
    }

    /// Appends the standardised pixels of an image.
    pub(super) fn extend(&self, pixels: &mut Vec<f32>, image: &[u8]) {
        let scales = self.mean.iter().zip(&self.deviation).cycle();
        pixels.extend(image.iter().zip(scales).map(|(&p, (mean, d))| (f32::from(p) - mean) / d));
    }

    /// The mean and the standard deviation of each channel, from 0 to 255.
    pub fn channels(&self) -> impl Iterator<Item = (f32, f32)> + '_ {
        self.mean.iter().copied().zip(self.deviation.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ImageSize;

    #[test]
    fn pixels_are_standardised_by_the_training_images_channel_by_channel() {
        let size = ImageSize { width: 2, height: 1, channels: 2 };
        // The last image is not for training; the second channel never varies.
        let images = Images::new(size, vec![10, 7, 20, 7, 30, 7, 40, 7, 255, 255, 255, 255]);
        let scale = PixelScale::fit(&images.unwrap(), &[0, 1]);
        let deviation = 125_f32.sqrt();
        assert_eq!(scale.channels().collect::<Vec<_>>(), [(25.0, deviation), (7.0, 255.0)]);
        let mut pixels = Vec::new();
        scale.extend(&mut pixels, &[25, 7, 40, 7]);
        assert_eq!(pixels, [0.0, 0.0, 15.0 / deviation, 0.0]);
        assert!(scale.fits(2) && !scale.fits(1) && !scale.fits(3));
        let zero = PixelScale { mean: vec![1.0], deviation: vec![0.0] };
        assert!(!zero.fits(1));
    }
}
