//! A sample as a person sees it, as plain data: the input of pages and terminals.

use super::Regions;
use crate::dataset::ImageSize;

/// A sample as a person sees it, with the positions of its features.
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
        /// Whether these are of this image alone.
        own_regions: bool,
    },
    /// A row of a table.
    Row {
        /// Name and value of each column; the value is empty if missing.
        cells: Vec<(String, String)>,
    },
}

/// What a network can still see of a sample if only some of its features are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StillVisible {
    /// Nothing that differs between samples.
    Nothing,
    /// The length of a text and the positions of its words.
    Positions,
    /// The outlines of the regions that an image was cut into.
    Outlines,
}

impl SampleView {
    /// What is visible of this sample beside the features that are shown.
    pub fn still_visible(&self) -> StillVisible {
        match self {
            Self::Text { .. } => StillVisible::Positions,
            Self::Image { own_regions: true, .. } => StillVisible::Outlines,
            _ => StillVisible::Nothing,
        }
    }
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenView {
    /// Its spelling in the text.
    pub text: String,
    /// Its feature; `None` if the model does not know the word.
    pub feature: Option<usize>,
    /// Whether white space comes before it.
    pub space_before: bool,
    /// Whether it continues the segment of the token before it, if segments are the features.
    pub continues: bool,
}

impl TokenView {
    /// A token that follows the one before it without white space, and is a feature by itself where it is one.
    pub fn new(text: impl Into<String>, feature: Option<usize>) -> Self {
        Self { text: text.into(), feature, space_before: false, continues: false }
    }
}
