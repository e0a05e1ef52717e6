//! Images of 64×64 pixels with one shape at a random position on a background of grey noise.

use super::planted::{Planted, Reason, rng};
use ngsll::Dataset;
use ngsll::dataset::{ImageSize, Images};
use ngsll::error::Result;
use rand::RngExt;

/// Width and height of an image.
const SIDE: usize = 64;

/// Half the width of a shape.
const REACH: std::ops::RangeInclusive<i32> = 7..=9;

/// The grey of the background and of a shape; both have the same noise.
const GREYS: [i32; 2] = [90, 170];
const NOISE: i32 = 40;

/// The kind of shape.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Square,
    Circle,
    Triangle,
    Cross,
}

impl Shape {
    const ALL: [Self; 4] = [Self::Square, Self::Circle, Self::Triangle, Self::Cross];

    fn label(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Circle => "circle",
            Self::Triangle => "triangle",
            Self::Cross => "cross",
        }
    }

    /// Whether the pixel at (x, y) from the centre of a shape of half width `reach` is in it.
    fn holds(self, x: i32, y: i32, reach: i32) -> bool {
        let inside = x.abs() <= reach && y.abs() <= reach;
        match self {
            Self::Square => inside,
            Self::Circle => x * x + y * y <= reach * reach,
            // The tip is at the top.
            Self::Triangle => inside && 2 * x.abs() <= y + reach,
            Self::Cross => inside && (x.abs() <= 2 || y.abs() <= 2),
        }
    }
}

/// Draws images.
pub(super) fn draw(images: usize, seed: u64, part: u64) -> Result<Planted> {
    let mut rng = rng(seed, part);
    let size = ImageSize { width: SIDE, height: SIDE, channels: 1 };
    let mut all = Images::empty(size)?;
    let (mut labels, mut reasons) = (Vec::new(), Vec::new());
    for _ in 0..images {
        let shape = Shape::ALL[rng.random_range(0..Shape::ALL.len())];
        let reach = rng.random_range(REACH);
        let mut place = || rng.random_range(reach..SIDE as i32 - reach);
        let (left, top) = (place(), place());
        let (mut pixels, mut own) = (Vec::with_capacity(size.bytes()), Vec::new());
        for pixel in 0..SIDE * SIDE {
            let (x, y) = ((pixel % SIDE) as i32 - left, (pixel / SIDE) as i32 - top);
            let on = shape.holds(x, y, reach);
            if on {
                own.push(pixel);
            }
            let grey = GREYS[usize::from(on)] + rng.random_range(-NOISE..=NOISE);
            pixels.push(grey as u8);
        }
        all.push(&pixels)?;
        labels.push(shape.label());
        reasons.push(Reason::Pixels(own));
    }
    Ok(Planted { data: Dataset::images(all, labels)?, reasons })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::Samples;

    #[test]
    fn a_shape_is_brighter_than_its_ground() {
        let Planted { data, reasons } = draw(40, 1, 0).unwrap();
        let Samples::Images(images) = data.samples() else { panic!("they are images") };
        for (row, reason) in reasons.iter().enumerate() {
            let Reason::Pixels(own) = reason else { panic!("a shape has pixels") };
            assert!((40..400).contains(&own.len()), "{}", own.len());
            let mean = |inside: bool| {
                let pixels = (0..SIDE * SIDE).filter(|pixel| own.contains(pixel) == inside);
                let values: Vec<f64> = pixels.map(|p| f64::from(images.get(row)[p])).collect();
                values.iter().sum::<f64>() / values.len() as f64
            };
            assert!((mean(true) - 170.0).abs() < 8.0 && (mean(false) - 90.0).abs() < 3.0);
        }
        for shape in Shape::ALL {
            assert!((0..40).any(|row| data.label(row) == Some(shape.label())));
        }
    }

    #[test]
    fn shapes_by_hand() {
        let drawn = |shape: Shape| -> Vec<usize> {
            let row = |y: i32| (-2..=2).filter(|&x| shape.holds(x, y, 2)).count();
            (-2..=2).map(row).collect()
        };
        assert_eq!(drawn(Shape::Square), [5, 5, 5, 5, 5]);
        assert_eq!(drawn(Shape::Circle), [1, 3, 5, 3, 1]);
        assert_eq!(drawn(Shape::Triangle), [1, 1, 3, 3, 5]);
        assert!(!Shape::Cross.holds(3, 3, 9));
        assert!(Shape::Cross.holds(1, 8, 9));
    }
}
