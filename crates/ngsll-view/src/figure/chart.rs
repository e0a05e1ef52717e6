//! Lines with error bars, in rows of panels with one legend below.
//!
//! Hand-written: `plotters` draws a legend per panel, not one for all, and could replace only this one of the drawings
//! made with [`crate::svg`].

use crate::colour::LINES;
use crate::svg::{Anchor, Axis, Frame, Svg};

/// A panel: lines over a shared horizontal axis.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// The names of the positions on the horizontal axis, from left to right.
    pub places: Vec<String>,
    /// Whether the points of a series are joined, as they should be if the positions have an order.
    pub joined: bool,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Series {
    /// Its name in the legend; the same in every panel.
    pub name: String,
    /// A constant is drawn dashed, over the whole width and without marks.
    pub constant: bool,
    /// Its points.
    pub points: Vec<Point>,
}

/// A point with its error bar.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Point {
    /// The position on the horizontal axis.
    pub place: usize,
    /// The mean.
    pub mean: f64,
    /// Half the length of the bar; none for a single value.
    pub deviation: Option<f64>,
}

impl Panel {
    /// A panel whose places have an order, so that the points of a series are joined.
    pub fn new(title: impl Into<String>, places: Vec<String>, series: Vec<Series>) -> Self {
        Self { title: title.into(), places, joined: true, series }
    }

    /// Sets whether the points are joined.
    pub fn joined(self, joined: bool) -> Self {
        Self { joined, ..self }
    }
}

impl Series {
    /// A line with marks.
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self { name: name.into(), constant: false, points }
    }

    /// Sets whether it is a constant.
    pub fn constant(self, constant: bool) -> Self {
        Self { constant, ..self }
    }
}

impl Point {
    /// A mean at a place, with a bar where there is a deviation.
    pub fn new(place: usize, mean: f64, deviation: Option<f64>) -> Self {
        Self { place, mean, deviation }
    }
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 36.0;
const BELOW: f64 = 52.0;
const LEGEND_LINE: f64 = 20.0;
const LEGEND_COLUMN: f64 = 260.0;

/// The rows of panels; `x` and `y` name the axes.
pub fn chart(title: &str, x: &str, y: &str, rows: &[Vec<Panel>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    let all = || rows.iter().flatten().flat_map(|panel| &panel.series);
    for series in all() {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let (step, row_step) = (LEFT + WIDTH + 24.0, TOP + HEIGHT + BELOW);
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let width = step * widest as f64;
    let columns = ((width - LEFT) / LEGEND_COLUMN).floor().max(1.0) as usize;
    let legend = LEGEND_LINE * names.len().div_ceil(columns) as f64;
    let top = row_step * rows.len() as f64;
    let mut svg = Svg::new(width, top + legend + 12.0);
    for (row, panels) in rows.iter().enumerate() {
        for (at, panel) in panels.iter().enumerate() {
            let corner = (step * at as f64 + LEFT, row_step * row as f64 + TOP);
            draw(&mut svg, panel, corner, (x, y), &names);
        }
    }
    for (at, name) in names.iter().enumerate() {
        let (column, line) = (at % columns, at / columns);
        let (x, y) = (LEFT + LEGEND_COLUMN * column as f64, top + LEGEND_LINE * line as f64 + 8.0);
        let constant = all().any(|series| series.name == *name && series.constant);
        line_of(&mut svg, &[(x, y - 4.0), (x + 28.0, y - 4.0)], at, constant);
        if !constant {
            mark(&mut svg, (x + 14.0, y - 4.0), at);
        }
        svg.text((x + 36.0, y), 12.0, Anchor::Start, name);
    }
    svg.finish(title)
}

fn draw(
    svg: &mut Svg,
    panel: &Panel,
    (left, top): (f64, f64),
    (x_name, y_name): (&str, &str),
    names: &[&str],
) {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let ends = points.flat_map(|p| {
        let bar = p.deviation.unwrap_or(0.0);
        [p.mean - bar, p.mean + bar]
    });
    // Half a position of margin on both sides.
    let places = panel.places.len().max(1) as f64;
    let x = Axis::bare(-0.5, places - 0.5);
    let y = Axis::of_accuracies(ends);
    let frame = Frame { x, y, left, top, width: WIDTH, height: HEIGHT };
    let spacing = WIDTH / places;
    svg.bold((left + WIDTH / 2.0, top - 14.0), 14.0, Anchor::Middle, &panel.title);
    for (y, name) in frame.y_ticks() {
        svg.add(format_args!(
            "<path d=\"M{left:.1} {y:.1}h{WIDTH}\" stroke=\"#ddd\" fill=\"none\"/>"
        ));
        svg.text((left - 6.0, y + 4.0), 11.0, Anchor::End, &name);
    }
    svg.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#888\"/>"
    ));
    for (place, name) in panel.places.iter().enumerate() {
        svg.text((frame.px(place as f64), frame.base() + 16.0), 11.0, Anchor::Middle, name);
    }
    svg.text((left + WIDTH / 2.0, frame.base() + 34.0), 12.0, Anchor::Middle, x_name);
    let (tx, ty) = (left - 44.0, top + HEIGHT / 2.0);
    let turned = format!("fill=\"#222\" transform=\"rotate(-90 {tx:.1} {ty:.1})\"");
    svg.styled_text((tx, ty), 12.0, Anchor::Middle, &turned, y_name);
    for (nth, series) in panel.series.iter().enumerate() {
        let at = names.iter().position(|name| *name == series.name).unwrap_or(0);
        if series.constant {
            for point in &series.points {
                let y = frame.py(point.mean);
                line_of(svg, &[(left, y), (frame.right(), y)], at, true);
                bar(svg, &frame, frame.right() - 6.0, point, at);
            }
            continue;
        }
        // Side by side, so that bars at one position can be distinguished.
        let aside = (nth as f64 - (panel.series.len() as f64 - 1.0) / 2.0) * (spacing * 0.07);
        let places: Vec<(f64, f64)> = series
            .points
            .iter()
            .map(|p| (frame.px(p.place as f64) + aside, frame.py(p.mean)))
            .collect();
        if panel.joined {
            line_of(svg, &places, at, false);
        }
        for (point, place) in series.points.iter().zip(places) {
            bar(svg, &frame, place.0, point, at);
            mark(svg, place, at);
        }
    }
}

fn colour(at: usize) -> &'static str {
    LINES[at % LINES.len()]
}

fn line_of(svg: &mut Svg, places: &[(f64, f64)], at: usize, dashed: bool) {
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let dash = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
    svg.add(format_args!(
        "<path d=\"M{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{dash}/>",
        path.join("L"),
        colour(at)
    ));
}

fn bar(svg: &mut Svg, frame: &Frame, x: f64, point: &Point, at: usize) {
    if let Some(deviation) = point.deviation {
        let (top, bottom) = (frame.py(point.mean + deviation), frame.py(point.mean - deviation));
        svg.add(format_args!(
            "<path d=\"M{0:.1} {top:.1}h6M{1:.1} {top:.1}V{bottom:.1}M{0:.1} {bottom:.1}h6\" \
             fill=\"none\" stroke=\"{2}\" stroke-width=\"1.2\"/>",
            x - 3.0,
            x,
            colour(at)
        ));
    }
}

/// A mark whose shape distinguishes the lines when colours do not.
fn mark(svg: &mut Svg, (x, y): (f64, f64), at: usize) {
    let fill = colour(at);
    let path = match at % 4 {
        0 => {
            svg.add(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"{fill}\"/>"
            ));
            return;
        }
        1 => format!("M{:.1} {:.1}h6.6v6.6h-6.6z", x - 3.3, y - 3.3),
        2 => format!("M{x:.1} {:.1}l4.4 7.4h-8.8z", y - 4.6),
        _ => format!("M{x:.1} {:.1}l4.6 4.6l-4.6 4.6l-4.6 -4.6z", y - 4.6),
    };
    svg.add(format_args!("<path d=\"{path}\" fill=\"{fill}\"/>"));
}
