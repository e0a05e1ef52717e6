//! A picture's pixels and the cells of its grid.

use std::ops::Range;

use crate::colour::Rgb;
use crate::data_uri;
use ngsll::SampleView;
use ngsll::dataset::ImageSize;
use ngsll::representation::Regions;

/// An image and the grid or the regions that are its features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Picture<'a> {
    /// The image's size.
    pub(super) size: ImageSize,
    /// Its bytes, height × width × channels.
    pixels: &'a [u8],
    /// Rows of the grid.
    pub(super) rows: usize,
    /// Columns of the grid; feature j is the cell (j / columns, j % columns).
    pub(super) columns: usize,
    /// The regions that are the features instead.
    pub(super) regions: Option<&'a Regions>,
}

impl<'a> Picture<'a> {
    /// The picture of a sample; `None` unless it is an image.
    pub(super) fn of(view: &'a SampleView) -> Option<Self> {
        match view {
            SampleView::Image { size, pixels, rows, columns, regions, .. } => {
                let (rows, columns, regions) = (*rows, *columns, regions.as_ref());
                Some(Self { size: *size, pixels, rows, columns, regions })
            }
            _ => None,
        }
    }

    /// The colour at (x, y); black if pixels are missing.
    fn pixel(&self, x: usize, y: usize) -> Rgb {
        let first = (y * self.size.width + x) * self.size.channels;
        let at = |c: usize| self.pixels.get(first + c).copied().unwrap_or(0);
        if self.size.channels < 3 { [at(0); 3] } else { [at(0), at(1), at(2)] }
    }

    /// The feature whose cell or region holds the pixel (x, y).
    pub(super) fn feature(&self, x: usize, y: usize) -> Option<usize> {
        if let Some(regions) = self.regions {
            return regions.owners().get(y * self.size.width + x).map(|&region| region as usize);
        }
        let cell = |at: usize, cells: usize, size: usize| {
            ((at + 1) * cells).checked_sub(1).map(|v| v / size)
        };
        Some(
            cell(y, self.rows, self.size.height)? * self.columns
                + cell(x, self.columns, self.size.width)?,
        )
    }

    /// The pixels of a feature's cell; `None` for a feature that is not a cell of the grid.
    pub(super) fn cell(&self, feature: usize) -> Option<(Range<usize>, Range<usize>)> {
        let row = feature.checked_div(self.columns).filter(|&r| r < self.rows)?;
        let span = |i: usize, cells: usize, size: usize| i * size / cells..(i + 1) * size / cells;
        let column = feature % self.columns;
        let ImageSize { width, height, .. } = self.size;
        Some((span(column, self.columns, width), span(row, self.rows, height)))
    }

    /// The picture alone as an SVG element, to be drawn once and used by every score of a sample.
    pub(super) fn definition(&self, id: &str) -> String {
        let ImageSize { width, height, .. } = self.size;
        let positions = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let bytes: Vec<u8> = positions.flat_map(|(x, y)| self.pixel(x, y)).collect();
        let Some(uri) = data_uri(width, height, &bytes) else { return String::new() };
        format!(
            "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
             <image id=\"{id}\" width=\"{width}\" height=\"{height}\" class=\"pixels\" \
             preserveAspectRatio=\"none\" href=\"{uri}\"/></defs></svg>",
        )
    }

    /// The mean colour of the pixels that one of `across` × `down` equal parts covers.
    pub(super) fn sample(&self, (x, y): (usize, usize), (across, down): (usize, usize)) -> Rgb {
        let span = |i: usize, parts: usize, size: usize| {
            let start = i * size / parts;
            start..((i + 1) * size / parts).max(start + 1)
        };
        let xs = span(x, across, self.size.width);
        let positions =
            span(y, down, self.size.height).flat_map(|y| xs.clone().map(move |x| (x, y)));
        let (mut total, mut count) = ([0u32; 3], 0);
        for (x, y) in positions {
            let pixel = self.pixel(x, y);
            total = std::array::from_fn(|i| total[i] + u32::from(pixel[i]));
            count += 1;
        }
        total.map(|v| (v / count) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Picture;
    use crate::test_samples::picture;

    #[test]
    fn cells_cover_every_pixel_once() {
        for (width, height, rows, columns) in [(28, 28, 7, 7), (10, 7, 3, 4), (1, 1, 1, 1)] {
            let view = picture(width, height, rows, columns);
            let picture = Picture::of(&view).expect("an image");
            let mut seen = 0;
            for feature in 0..rows * columns {
                let (xs, ys) = picture.cell(feature).expect("a cell of the grid");
                seen += xs.len() * ys.len();
                for (x, y) in xs.flat_map(|x| ys.clone().map(move |y| (x, y))) {
                    assert_eq!(picture.feature(x, y), Some(feature));
                }
            }
            assert_eq!(seen, width * height);
            assert!(picture.cell(rows * columns).is_none());
        }
    }
}
