//! Bringing decoded images to the size and the background that a model reads.

use image::imageops::{self, FilterType};
use image::{DynamicImage, Rgb, RgbImage};
use ngsll::config::{Background, Fit};

/// A transparent image on its background; others unchanged.
pub(super) fn flattened(image: DynamicImage, background: Background) -> DynamicImage {
    let ground = match background {
        Background::Colour(ground) if image.color().has_alpha() => ground,
        _ => return image,
    };
    let image = image.into_rgba8();
    let mut flat = RgbImage::new(image.width(), image.height());
    for (to, from) in flat.pixels_mut().zip(image.pixels()) {
        let [colour @ .., alpha] = from.0;
        let blend = |c: usize| {
            let (own, ground) = (u32::from(colour[c]), u32::from(ground[c]));
            let alpha = u32::from(alpha);
            ((own * alpha + ground * (255 - alpha) + 127) / 255) as u8
        };
        *to = Rgb(std::array::from_fn(blend));
    }
    DynamicImage::ImageRgb8(flat)
}

/// An image of one byte per channel at `size`, its width and height; one of that size is unchanged.
pub(super) fn fitted(image: DynamicImage, size: (u32, u32), fit: Fit) -> DynamicImage {
    let own = (image.width(), image.height());
    if own == size {
        return image;
    }
    match fit {
        Fit::Crop => {
            let (width, height) = inscribed(size, own);
            let [left, top] = [own.0 - width, own.1 - height].map(|rest| rest / 2);
            scaled(&image.crop_imm(left, top, width, height), size)
        }
        Fit::Stretch => scaled(&image, size),
        _ => {
            let inner = inscribed(own, size);
            let [left, top] = [size.0 - inner.0, size.1 - inner.1].map(|rest| i64::from(rest / 2));
            let mut ground = margin(&image, size);
            imageops::replace(&mut ground, &scaled(&image, inner), left, top);
            ground
        }
    }
}

/// The largest size of the shape `of` that fits into `available`, at least a pixel.
fn inscribed(of: (u32, u32), available: (u32, u32)) -> (u32, u32) {
    let [width, height, across, down] = [of.0, of.1, available.0, available.1].map(u64::from);
    let share =
        |part: u64, of: u64, by: u64, most: u64| ((part * by + of / 2) / of).clamp(1, most) as u32;
    if width * down >= height * across {
        (available.0, share(height, width, across, down))
    } else {
        (share(width, height, down, across), available.1)
    }
}

/// Scaled with every pixel counted; a small part of a large image is averaged over whole pixels, which is faster.
fn scaled(image: &DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    if image.width() >= 2 * width && image.height() >= 2 * height {
        image.thumbnail_exact(width, height)
    } else {
        image.resize_exact(width, height, FilterType::Triangle)
    }
}

/// A uniform background in the mean colour of the image's edge.
fn margin(image: &DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    let channels = usize::from(image.color().channel_count());
    let (across, down) = (image.width() as usize, image.height() as usize);
    let on_edge = |at: usize| {
        let (x, y) = (at % across, at / across);
        x == 0 || y == 0 || x + 1 == across || y + 1 == down
    };
    let (mut sums, mut count) = (vec![0_u64; channels], 0);
    for (_, pixel) in
        image.as_bytes().chunks_exact(channels).enumerate().filter(|(at, _)| on_edge(*at))
    {
        sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
        count += 1;
    }
    let mean = |c: usize| ((sums[c] + count / 2) / count) as u8;
    match channels {
        1 => {
            DynamicImage::ImageLuma8(image::GrayImage::from_pixel(width, height, [mean(0)].into()))
        }
        _ => {
            let colour = Rgb(std::array::from_fn(mean));
            DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, colour))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Rgba, RgbaImage};

    #[test]
    fn transparency_shows_the_background() {
        let mut image = RgbaImage::from_pixel(3, 1, Rgba([10, 20, 30, 255]));
        image.put_pixel(1, 0, Rgba([0, 0, 0, 0]));
        image.put_pixel(2, 0, Rgba([0, 100, 200, 51]));
        let on = |background| flattened(image.clone().into(), background).into_rgb8().into_raw();
        assert_eq!(on(Background::Colour([255; 3])), [10, 20, 30, 255, 255, 255, 204, 224, 244]);
        assert_eq!(on(Background::Colour([0, 0, 50])), [10, 20, 30, 0, 0, 50, 0, 20, 80]);
        assert_eq!(on(Background::Dropped), [10, 20, 30, 0, 0, 0, 0, 100, 200]);
    }

    #[test]
    fn an_image_of_another_shape_is_shown_whole_or_in_its_middle() {
        // A grey background with a white column in the middle, twice as wide as high.
        let wide =
            GrayImage::from_fn(8, 4, |x, _| [if (3..5).contains(&x) { 255 } else { 40 }].into());
        let to = |width, height, fit| {
            let image = fitted(DynamicImage::ImageLuma8(wide.clone()), (width, height), fit);
            assert_eq!((image.width(), image.height()), (width, height));
            image.into_bytes()
        };
        assert_eq!(to(8, 4, Fit::Crop), wide.as_raw()[..]);
        let padded = to(4, 4, Fit::Pad);
        // The edge has 20 pixels, four of them white.
        assert_eq!((padded[0], padded[15]), (83, 83));
        assert_eq!(padded[4..8], padded[8..12]);
        assert_eq!(padded[4], 40);
        let cut = to(4, 4, Fit::Crop);
        assert_eq!(cut[..4], [40, 255, 255, 40]);
        let stretched = to(4, 8, Fit::Stretch);
        assert_eq!((stretched[0], stretched[28]), (40, 40));
        for (width, height) in [(1, 9), (9, 1), (1, 1), (100, 3)] {
            for fit in [Fit::Pad, Fit::Crop, Fit::Stretch] {
                to(width, height, fit);
            }
        }
    }
}
