//! Images as a grid of cells: z_j is the mean ink of cell j.

use super::{Encoded, EncodedX, SparseRow};
use crate::data::Images;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `cells` | 7, 7 | rows and columns of the grid | 1 to the image's height and width |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GridConfig {
    /// Rows and columns of the grid.
    pub cells: [usize; 2],
}

impl Default for GridConfig {
    fn default() -> Self {
        Self { cells: [7, 7] }
    }
}

/// A grid over images of one size. Cell borders fall on whole pixels, as evenly as they can.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// 1 for grey, 3 for colour.
    pub channels: usize,
    /// The images' height in pixels.
    pub height: usize,
    /// The images' width in pixels.
    pub width: usize,
    /// Cells from top to bottom.
    pub rows: usize,
    /// Cells from left to right.
    pub columns: usize,
}

impl Grid {
    /// Takes the image size from the data.
    pub fn fit(config: &GridConfig, images: &Images) -> Result<Self> {
        let [rows, columns] = config.cells;
        let Images { width, height, channels, .. } = *images;
        if rows == 0 || columns == 0 || rows > height || columns > width {
            let value = format!("[{rows}, {columns}]");
            let expected =
                format!("rows from 1 to {height} and columns from 1 to {width}, the image's size");
            return Err(Error::setting("representation.cells", value, expected));
        }
        Ok(Self { channels, height, width, rows, columns })
    }

    /// Bytes per image.
    pub(super) fn size(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// "row 2, column 5", counted from 1 at the top left.
    pub fn name(&self, j: usize) -> String {
        format!("row {}, column {}", j / self.columns + 1, j % self.columns + 1)
    }

    pub(super) fn encode(&self, images: &Images) -> Result<Encoded> {
        let found = (images.width, images.height, images.channels);
        if found != (self.width, self.height, self.channels) {
            let (w, h, c) = found;
            let expected = format!(
                "this model reads {}×{} pixels in {} channel(s)",
                self.width, self.height, self.channels
            );
            return Err(Error::setting("image size", format!("{w}×{h}, {c} channel(s)"), expected));
        }
        Ok(Encoded { len: images.len(), x: EncodedX::Images(images.pixels.clone()) })
    }

    /// Mean ink per cell in [0, 1], all cells listed in order.
    pub(super) fn z(&self, pixels: &[u8]) -> SparseRow {
        let mut ink = vec![0_u64; self.rows * self.columns];
        let mut count = vec![0_u64; ink.len()];
        for (i, &pixel) in pixels.iter().enumerate() {
            let (y, x) = (i / self.width % self.height, i % self.width);
            let cell =
                part(y, self.rows, self.height) * self.columns + part(x, self.columns, self.width);
            ink[cell] += u64::from(pixel);
            count[cell] += 1;
        }
        let mut row = SparseRow::default();
        for (j, (ink, count)) in ink.iter().zip(count).enumerate() {
            row.push(j, *ink as f32 / (255 * count) as f32);
        }
        row
    }
}

/// Which of `parts` parts of `length` pixels holds pixel `at`: part r is r·length/parts up to
/// (r + 1)·length/parts, rounded down.
fn part(at: usize, parts: usize, length: usize) -> usize {
    ((at + 1) * parts - 1) / length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_their_mean_ink_even_when_the_size_does_not_divide() {
        let grid = Grid { channels: 1, height: 3, width: 3, rows: 2, columns: 2 };
        let z = grid.z(&[51, 0, 0, 0, 255, 255, 0, 255, 255]);
        // Borders fall after pixel 1 of 3: the first cell has one pixel, the last four.
        assert_eq!(z.values, [0.2, 0.0, 0.0, 1.0]);
        assert_eq!(grid.name(1), "row 1, column 2");
    }
}
