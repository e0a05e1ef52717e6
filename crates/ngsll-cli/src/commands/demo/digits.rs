//! The 1,797 handwritten digits of 8×8 pixels that come with smartcore.

use smartcore::dataset::digits::load_dataset;

/// Grey images, all of one size, with a label each.
#[derive(Debug, Clone)]
pub struct Digits {
    /// The images one after the other, each row by row; 0 is paper, 255 full ink.
    pub pixels: Vec<u8>,
    /// The width of an image.
    pub width: usize,
    /// The height of an image.
    pub height: usize,
    /// The digit of each image, 0 to 9.
    pub labels: Vec<u8>,
}

/// The digits: part of the "Optical Recognition of Handwritten Digits" of the UCI repository, whose
/// pixels count ink from 0 to 16; here they are scaled to 0–255.
pub fn digits() -> Digits {
    let source = load_dataset();
    // The source holds whole numbers as f32, and a cast from float to u8 saturates.
    let pixels = source.data.iter().map(|ink| (ink * 255.0 / 16.0).round() as u8).collect();
    let labels = source.target.iter().map(|digit| *digit as u8).collect();
    Digits { pixels, width: 8, height: 8, labels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_image_has_its_pixels_and_its_label() {
        let digits = digits();
        assert_eq!(digits.labels.len(), 1797);
        assert_eq!(digits.pixels.len(), 1797 * digits.width * digits.height);
    }

    #[test]
    fn the_ten_digits_are_about_equally_frequent() {
        let mut counts = [0; 10];
        for label in digits().labels {
            counts[usize::from(label)] += 1;
        }
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }

    #[test]
    fn ink_uses_the_whole_range_in_seventeen_steps() {
        let mut values = digits().pixels;
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 17);
        assert_eq!((values[0], values[1], values[16]), (0, 16, 255));
    }

    #[test]
    fn the_first_image_is_a_zero_with_a_hole() {
        let digits = digits();
        assert_eq!(digits.labels[0], 0);
        let ink = |x: usize, y: usize| digits.pixels[y * digits.width + x];
        assert!(ink(3, 4) < 32 && ink(4, 4) < 32, "the middle is empty");
        assert!(ink(2, 4) > 32 && ink(5, 4) > 96, "the ring is not");
    }
}
