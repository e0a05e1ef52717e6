//! Lines with error bars, in rows of panels with one legend below.

use super::colour::LINES;
use super::svg::{Anchor, Svg};

/// A panel: lines over the same places.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// The names of the places on the horizontal axis, from left to right.
    pub places: Vec<String>,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Debug, Clone)]
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
pub struct Point {
    /// The place on the horizontal axis.
    pub place: usize,
    /// The mean.
    pub mean: f64,
    /// Half the length of the bar; none of a single value.
    pub deviation: Option<f64>,
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
    let (low, high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high, tick) = axis(low, high);
    let y_at = |value: f64| top + HEIGHT * (high - value) / (high - low);
    let spacing = WIDTH / panel.places.len().max(1) as f64;
    let x_at = |place: usize| left + spacing * (place as f64 + 0.5);
    svg.bold((left + WIDTH / 2.0, top - 14.0), 14.0, Anchor::Middle, &panel.title);
    for i in 0..=((high - low) / tick).round() as usize {
        let value = low + tick * i as f64;
        let y = y_at(value);
        svg.add(format_args!(
            "<path d=\"M{left:.1} {y:.1}h{WIDTH}\" stroke=\"#ddd\" fill=\"none\"/>"
        ));
        svg.text((left - 6.0, y + 4.0), 11.0, Anchor::End, &format!("{value:.2}"));
    }
    svg.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#888\"/>"
    ));
    for (place, name) in panel.places.iter().enumerate() {
        svg.text((x_at(place), top + HEIGHT + 16.0), 11.0, Anchor::Middle, name);
    }
    svg.text((left + WIDTH / 2.0, top + HEIGHT + 34.0), 12.0, Anchor::Middle, x_name);
    let (tx, ty) = (left - 44.0, top + HEIGHT / 2.0);
    let turned = format!("fill=\"#222\" transform=\"rotate(-90 {tx:.1} {ty:.1})\"");
    svg.styled_text((tx, ty), 12.0, Anchor::Middle, &turned, y_name);
    for (nth, series) in panel.series.iter().enumerate() {
        let at = names.iter().position(|name| *name == series.name).unwrap_or(0);
        if series.constant {
            for point in &series.points {
                let y = y_at(point.mean);
                line_of(svg, &[(left, y), (left + WIDTH, y)], at, true);
                let x = left + WIDTH - 6.0;
                bar(svg, x, point, &y_at, at);
            }
            continue;
        }
        // Side by side, so that bars at one place can be told apart.
        let aside = (nth as f64 - (panel.series.len() as f64 - 1.0) / 2.0) * (spacing * 0.07);
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|p| (x_at(p.place) + aside, y_at(p.mean))).collect();
        line_of(svg, &places, at, false);
        for (point, place) in series.points.iter().zip(places) {
            bar(svg, place.0, point, &y_at, at);
            mark(svg, place, at);
        }
    }
}

/// An axis spans at least this much: differences below a point of accuracy are not blown up.
const LEAST_SPAN: f64 = 0.05;

/// Round ends of an axis that holds both values with some air, and the distance of its ticks.
fn axis(low: f64, high: f64) -> (f64, f64, f64) {
    if !(low.is_finite() && high.is_finite()) {
        return (0.0, 1.0, 0.2);
    }
    let span = (high - low).max(LEAST_SPAN);
    let middle = (low + high) / 2.0;
    // An accuracy lies between 0 and 1, and so does its axis.
    let high = (middle + 0.54 * span).min(1.0);
    let low = (high - 1.08 * span).max(0.0);
    let steps = [0.01, 0.02, 0.05, 0.1, 0.2];
    let tick = steps.into_iter().find(|step| span / step <= 7.0).unwrap_or(0.5);
    ((low / tick).floor() * tick, (high / tick).ceil() * tick, tick)
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

fn bar(svg: &mut Svg, x: f64, point: &Point, y_at: &impl Fn(f64) -> f64, at: usize) {
    if let Some(deviation) = point.deviation {
        let (top, bottom) = (y_at(point.mean + deviation), y_at(point.mean - deviation));
        svg.add(format_args!(
            "<path d=\"M{0:.1} {top:.1}h6M{1:.1} {top:.1}V{bottom:.1}M{0:.1} {bottom:.1}h6\" \
             fill=\"none\" stroke=\"{2}\" stroke-width=\"1.2\"/>",
            x - 3.0,
            x,
            colour(at)
        ));
    }
}

/// A mark whose shape tells the lines apart where colours do not.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_its_values_between_round_ends() {
        for (low, high) in [(0.52, 0.994), (0.9931, 0.9942), (0.9, 0.9), (0.0, 1.0), (0.85, 0.9)] {
            let (from, to, tick) = axis(low, high);
            let inside = (from < low || low == 0.0) && (high < to || high == 1.0);
            assert!(inside && from >= 0.0 && to < 1.0 + 1e-9, "{low} {high}: {from} {to}");
            assert!(to - from >= LEAST_SPAN, "{low} {high}: {from} {to}");
            let ticks = (to - from) / tick;
            assert!((ticks - ticks.round()).abs() < 1e-6 && ticks < 10.5, "{low} {high}: {ticks}");
        }
        assert_eq!(axis(f64::INFINITY, f64::NEG_INFINITY), (0.0, 1.0, 0.2));
    }
}
