//! The paper's figures: SVG files, and PNG files from them.

mod chart;
mod digits;
#[cfg(feature = "png")]
mod raster;
mod sentences;

pub use chart::{Panel, Point, Series, chart};
pub use digits::{Digit, Drawn, digits};
#[cfg(feature = "png")]
pub use raster::{Fonts, png};
pub use sentences::{LabelledSentence, Marked, Word, sentences};
