//! What holds for the regions of any image, and examples.

use super::*;
use crate::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

/// Boxes of random colours on a random ground, with noise of up to `noise` on every number.
fn picture(size: ImageSize, noise: u8, seed: u64) -> Vec<u8> {
    let ImageSize { width, height, channels } = size;
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let mut pixels = vec![0_u8; size.bytes()];
    for shape in 0..4 {
        let colour: Vec<u8> = (0..channels).map(|_| rng.random()).collect();
        let [mut xs, mut ys] = [0..width, 0..height];
        if shape > 0 {
            xs = rng.random_range(0..width)..width.min(rng.random_range(1..=width));
            ys = rng.random_range(0..height)..height.min(rng.random_range(1..=height));
        }
        for at in ys.flat_map(|y| xs.clone().map(move |x| y * width + x)) {
            pixels[at * channels..][..channels].copy_from_slice(&colour);
        }
    }
    pixels.iter().map(|&p| p.saturating_add(rng.random_range(0..=noise))).collect()
}

fn size(width: usize, height: usize, channels: usize) -> ImageSize {
    ImageSize { width, height, channels }
}

/// Regions that have pixels.
fn occurring(regions: &[u16]) -> Vec<u16> {
    let mut regions = regions.to_vec();
    regions.sort_unstable();
    regions.dedup();
    regions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every pixel has one region of the grid, each region is connected, and the same image has the same ones.
    #[test]
    fn regions_are_connected_and_cover_the_image(
        width in 1_usize..40, height in 1_usize..40, channels in 1_usize..5,
        rows in 1_usize..9, columns in 1_usize..9, noise in any::<u8>(), seed in any::<u64>()
    ) {
        let (size, grid) = (size(width, height, channels), (rows.min(height), columns.min(width)));
        let pixels = picture(size, noise, seed);
        let regions = superpixels(&pixels, size, grid);
        prop_assert_eq!(regions.len(), width * height);
        prop_assert!(regions.iter().all(|&region| usize::from(region) < grid.0 * grid.1));
        let (_, parts) = parts(&regions, width);
        prop_assert_eq!(parts.len(), occurring(&regions).len());
        prop_assert_eq!(regions, superpixels(&pixels, size, grid));
    }

    /// Where an image is not all noise, nearly every cell has a region, and none is a speck.
    #[test]
    fn there_are_about_as_many_regions_as_cells(channels in 1_usize..4, seed in any::<u64>()) {
        let size = size(56, 42, channels);
        let regions = superpixels(&picture(size, 10, seed), size, (6, 7));
        prop_assert!((34..=42).contains(&occurring(&regions).len()));
        let smallest = occurring(&regions).into_iter().map(|r| regions.iter().filter(|&&o| o == r).count());
        prop_assert!(smallest.min() >= Some(14), "a quarter of a cell of 8 × 7 pixels");
    }

    /// An image of one colour has nothing to follow but the grid.
    #[test]
    fn a_plain_image_is_cut_into_the_cells_of_the_grid(
        rows in 1_usize..7, columns in 1_usize..7, high in 1_usize..9, wide in 1_usize..9, grey in any::<u8>()
    ) {
        let size = size(columns * wide, rows * high, 3);
        let regions = superpixels(&vec![grey; size.bytes()], size, (rows, columns));
        for (at, region) in regions.into_iter().enumerate() {
            let (x, y) = (at % size.width, at / size.width);
            prop_assert_eq!(usize::from(region), y / high * columns + x / wide);
        }
    }

    /// No region has pixels on both sides of a strong edge, wherever it is and whatever noise there is beside it.
    #[test]
    fn borders_follow_a_strong_edge(edge in 5_usize..36, noise in 0_u8..12, upright in any::<bool>(), seed in any::<u64>()) {
        let (size, mut rng) = (size(40, 40, 1), stream(seed, Purpose::Sample, 0, 0));
        let side = |at: usize| usize::from(if upright { at % 40 } else { at / 40 } >= edge);
        let pixels: Vec<u8> = (0..1600).map(|at| [30, 200][side(at)] + rng.random_range(0..=noise)).collect();
        let regions = superpixels(&pixels, size, (5, 5));
        let mut sides = vec![[0; 2]; 25];
        regions.iter().enumerate().for_each(|(at, &region)| sides[usize::from(region)][side(at)] += 1);
        prop_assert!(sides.iter().all(|sides| sides.contains(&0)), "{:?}", sides);
    }
}

#[test]
fn colours_are_those_of_cielab() {
    // White, red and a mid grey, from the definition of sRGB and CIELAB under D65.
    let found = colours(&[255, 255, 255, 255, 0, 0, 119, 119, 119], 3);
    let expected = [100.0, 0.0, 0.0, 53.24, 80.09, 67.20, 50.03, 0.0, 0.0];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 0.05, "{found} is not {expected}");
    }
    // A grey image is as light as the same in three channels.
    assert!((colours(&[119], 1)[0] - found[6]).abs() < 0.001);
}

#[test]
fn parts_that_are_cut_off_go_to_the_regions_around_them() {
    // Region 0 has a speck inside region 1; region 2 is a speck as a whole.
    let regions = [
        0, 0, 1, 1, 1, //
        0, 0, 1, 0, 1, //
        0, 0, 1, 1, 2,
    ];
    let expected = [
        0, 0, 1, 1, 1, //
        0, 0, 1, 1, 1, //
        0, 0, 1, 1, 1,
    ];
    let alike = |_, _| 0.0;
    assert_eq!(connected(&regions, 5, 2.0, alike), expected);
    // If all are specks, the largest stays.
    assert_eq!(connected(&[3, 3, 1, 2], 4, 9.0, alike), [3; 4]);
    // A speck between two regions goes to the one that is more like it, pixel by pixel.
    let like = |at: usize, region: u16| if (at < 3) == (region == 0) { 0.0 } else { 9.0 };
    assert_eq!(connected(&[0, 0, 2, 2, 1, 1, 1], 7, 2.5, like), [1; 7]);
    assert_eq!(connected(&[0, 0, 2, 1, 1], 5, 2.0, like), [0, 0, 0, 1, 1]);
}
