//! The 1,797 handwritten digits of 8×8 pixels embedded in the program (`README.md` beside
//! this file gives their source).

use ngsll::dataset::{Dataset, ImageSize, Images};
use ngsll::error::Result;

const SIZE: ImageSize = ImageSize { width: 8, height: 8, channels: 1 };
const PIXELS: usize = SIZE.width * SIZE.height;
/// For each image its pixels row by row, 0 (paper) to 16 (full ink), and then its digit.
static RECORDS: &[u8] = include_bytes!("digits.bin");

/// The digits with their labels 0 to 9; ink is scaled to 0–255.
pub fn digits() -> Result<Dataset> {
    let records = || RECORDS.chunks_exact(PIXELS + 1).map(|record| record.split_at(PIXELS));
    let scale = |ink: &u8| (f32::from(*ink) * 255.0 / 16.0).round() as u8;
    let pixels = records().flat_map(|(pixels, _)| pixels.iter().map(scale)).collect();
    Dataset::images(Images::new(SIZE, pixels)?, records().map(|(_, digit)| digit[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::Samples;

    fn images(digits: &Dataset) -> &Images {
        let Samples::Images(images) = digits.samples() else { panic!("digits are images") };
        images
    }

    #[test]
    fn every_image_has_its_pixels_and_its_label() {
        assert_eq!(RECORDS.len(), 1797 * (PIXELS + 1));
        let digits = digits().unwrap();
        assert_eq!(digits.len(), 1797);
        assert_eq!(images(&digits).pixels().len(), 1797 * PIXELS);
    }

    #[test]
    fn the_ten_digits_are_about_equally_frequent() {
        let mut counts = [0; 10];
        for label in digits().unwrap().labels().unwrap().iter() {
            counts[label.parse::<usize>().unwrap()] += 1;
        }
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }

    #[test]
    fn ink_uses_the_whole_range_in_seventeen_steps() {
        let mut values = images(&digits().unwrap()).pixels().to_vec();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 17);
        assert_eq!((values[0], values[1], values[16]), (0, 16, 255));
    }

    #[test]
    fn the_first_image_is_a_zero_with_a_hole() {
        let digits = digits().unwrap();
        assert_eq!(digits.label(0), Some("0"));
        let first = images(&digits).get(0);
        let ink = |x: usize, y: usize| first[y * SIZE.width + x];
        assert!(ink(3, 4) < 32 && ink(4, 4) < 32, "the middle is empty");
        assert!(ink(2, 4) > 32 && ink(5, 4) > 96, "the ring is not");
    }
}
