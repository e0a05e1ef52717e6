//! PNG copies of the figures: only in a build with the feature `png`, because the rasteriser makes the
//! build a good deal longer.

use ngsll::error::Result;
use std::path::Path;

#[cfg(feature = "png")]
use ngsll_jobs::write_atomic;
#[cfg(feature = "png")]
use ngsll_view::figure::{Fonts, png};

/// Writes PNG copies, or none.
pub(crate) struct PngCopies {
    #[cfg(feature = "png")]
    fonts: Fonts,
}

#[cfg(feature = "png")]
impl PngCopies {
    /// In the system's fonts.
    pub fn new() -> Self {
        Self { fonts: Fonts::of_system() }
    }

    /// Writes the figure to `file`.
    pub fn write(&self, file: &Path, svg: &str) -> Result<()> {
        write_atomic(file, &png(svg, &self.fonts)?)
    }

    /// A note for the page about them.
    pub fn note(&self) -> Option<&'static str> {
        let note =
            "No font was found on this system: the PNG figures have no text, the SVG figures do.";
        self.fonts.is_empty().then_some(note)
    }
}

#[cfg(not(feature = "png"))]
impl PngCopies {
    /// None are written.
    pub fn new() -> Self {
        Self {}
    }

    /// Writes nothing.
    pub fn write(&self, _file: &Path, _svg: &str) -> Result<()> {
        Ok(())
    }

    /// No note is needed.
    pub fn note(&self) -> Option<&'static str> {
        None
    }
}
