//! Drawing: SVG by hand, PNG from it.

mod chart;
pub(crate) mod colour;
mod digits;
mod image;
#[cfg(feature = "png")]
mod raster;
mod sentences;
mod svg;

pub use chart::{Panel, Point, Series, chart};
pub use digits::{Digit, Drawn, digits};
pub use image::data_uri;
#[cfg(feature = "png")]
pub use raster::{Fonts, png};
pub use sentences::{Marked, Sentence, Word, sentences};
pub use svg::escape;
