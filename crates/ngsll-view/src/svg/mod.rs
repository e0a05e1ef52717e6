//! Shared parts of drawings: the parts of an SVG file, axes and frames, images inside a file.
//!
//! Hand-written because plotters writes colours and fonts into every element, while the plots of a report take theirs,
//! light or dark, from the page's style sheet, with a name for each mark and one for screen readers. Nor has it charts
//! for marked words or digits with their cells. A few elements of SVG, which are text, suffice.

mod axis;
mod image;

pub(crate) use axis::{Axis, Frame};
pub use image::data_uri;

use crate::escape;
use std::fmt::Write;

/// Fonts to try, the last a generic name; every system has one of them.
const SANS: &str = "DejaVu Sans, Liberation Sans, Arial, Helvetica, sans-serif";

/// A drawing in progress.
pub(crate) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// The alignment of a text relative to its point.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Sets the height of the drawing once it is known.
    pub(crate) fn resize(&mut self, height: f64) {
        self.height = height;
    }

    /// Adds an element unchanged.
    pub(crate) fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// A text of `size` pixels on the base line `y`.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), size: f64, anchor: Anchor, text: &str) {
        self.styled_text((x, y), size, anchor, "fill=\"#222\"", text);
    }

    /// Draws text in bold.
    pub(crate) fn bold(&mut self, at: (f64, f64), size: f64, anchor: Anchor, text: &str) {
        self.styled_text(at, size, anchor, "fill=\"#222\" font-weight=\"bold\"", text);
    }

    /// Draws text with other attributes.
    pub(crate) fn styled_text(
        &mut self,
        (x, y): (f64, f64),
        size: f64,
        anchor: Anchor,
        attributes: &str,
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" {attributes}>{text}</text>"
        ));
    }

    /// The whole file, on white.
    pub(crate) fn finish(self, title: &str) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"{SANS}\" role=\"img\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n",
            escape(title)
        )
    }
}
