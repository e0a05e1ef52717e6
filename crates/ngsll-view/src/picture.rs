//! A picture's pixels and the cells of its grid.

use std::ops::Range;

use super::Picture;
use super::colour::Rgb;
use crate::data_uri;

impl Picture {
    /// The colour at (x, y); black where pixels are missing.
    fn pixel(&self, x: usize, y: usize) -> Rgb {
        let plane = self.width * self.height;
        let at = |c: usize| self.pixels.get(c * plane + y * self.width + x).copied().unwrap_or(0);
        if self.channels < 3 { [at(0); 3] } else { [at(0), at(1), at(2)] }
    }

    /// The feature whose cell holds the pixel (x, y).
    pub(super) fn feature(&self, x: usize, y: usize) -> Option<usize> {
        let cell = |at: usize, cells: usize, size: usize| {
            ((at + 1) * cells).checked_sub(1).map(|v| v / size)
        };
        Some(cell(y, self.rows, self.height)? * self.columns + cell(x, self.columns, self.width)?)
    }

    /// The pixels of a feature's cell; `None` for a feature that is no cell of the grid.
    pub(super) fn cell(&self, feature: usize) -> Option<(Range<usize>, Range<usize>)> {
        let row = feature.checked_div(self.columns).filter(|&r| r < self.rows)?;
        let span = |i: usize, cells: usize, size: usize| i * size / cells..(i + 1) * size / cells;
        let column = feature % self.columns;
        Some((span(column, self.columns, self.width), span(row, self.rows, self.height)))
    }

    /// The picture alone as an SVG element, to be drawn once and used by every score of a case.
    pub(super) fn definition(&self, id: &str) -> String {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let bytes: Vec<u8> = places.flat_map(|(x, y)| self.pixel(x, y)).collect();
        let (width, height) = (self.width, self.height);
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
        let xs = span(x, across, self.width);
        let places = span(y, down, self.height).flat_map(|y| xs.clone().map(move |x| (x, y)));
        let (mut total, mut count) = ([0u32; 3], 0);
        for (x, y) in places {
            let pixel = self.pixel(x, y);
            total = std::array::from_fn(|i| total[i] + u32::from(pixel[i]));
            count += 1;
        }
        total.map(|v| (v / count) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::picture;

    #[test]
    fn cells_cover_every_pixel_once() {
        for (width, height, rows, columns) in [(28, 28, 7, 7), (10, 7, 3, 4), (1, 1, 1, 1)] {
            let picture = picture(width, height, rows, columns);
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
