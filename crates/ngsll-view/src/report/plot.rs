//! A chart of a panel: two axes in the page's style.

use crate::escape;
use crate::svg::{Axis, Frame};

/// Units are pixels of a figure on a wide screen.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 30.0;
const BELOW: f64 = 44.0;

/// The frame of a panel's chart.
pub(super) fn frame(x: Axis, y: Axis) -> Frame {
    Frame { x, y, left: LEFT, top: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT }
}

/// The names of a chart.
pub(super) struct Names<'a> {
    /// The text for screen readers.
    pub(super) label: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

/// The axes under `marks`; `below` is the height of the space under the horizontal axis, for more than its
/// ticks and name.
pub(super) fn svg(frame: &Frame, below: f64, names: &Names, marks: &str) -> String {
    let (right, base) = (frame.right(), frame.base());
    let mut axes = String::new();
    for (y, name) in frame.y_ticks() {
        axes += &format!(
            "<path class=\"rule\" d=\"M{LEFT} {y:.1}H{right}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    let under = base + below;
    for (x, name) in frame.x_ticks() {
        axes += &format!(
            "<path class=\"rule\" d=\"M{x:.1} {base}v4\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            under + 18.0
        );
    }
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">{axes}\
         <text class=\"name\" x=\"{right}\" y=\"{xy:.1}\" text-anchor=\"end\">{x_name}</text>\
         <text class=\"name\" x=\"0\" y=\"14\">{y_name}</text>{marks}</svg>",
        height = under + BELOW,
        label = escape(names.label),
        xy = under + 38.0,
        x_name = escape(names.x),
        y_name = escape(names.y),
    )
}
