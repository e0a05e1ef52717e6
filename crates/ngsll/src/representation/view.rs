//! A sample as a person sees it, as plain data: what pages and terminals draw.

use super::Regions;
use crate::dataset::ImageSize;

/// A sample as a person sees it, with the features where they are in it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SampleView {
    /// A text.
    Text {
        /// Its tokens in order.
        tokens: Vec<TokenView>,
    },
    /// An image with its grid, or its regions.
    Image {
        /// The image's size.
        size: ImageSize,
        /// Its bytes, height × width × channels.
        pixels: Vec<u8>,
        /// Cells from top to bottom.
        rows: usize,
        /// Cells from left to right.
        columns: usize,
        /// The regions that are the features instead of cells.
        regions: Option<Regions>,
    },
    /// A row of a table.
    Row {
        /// Name and value of each column; the value is empty where it is missing.
        cells: Vec<(String, String)>,
    },
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenView {
    /// As it stands in the text.
    pub text: String,
    /// Its feature; `None` where the model does not know the word.
    pub feature: Option<usize>,
    /// Whether white space comes before it.
    pub space_before: bool,
    /// Whether it goes on with the segment of the token before it, where segments are the features.
    pub continues: bool,
}
