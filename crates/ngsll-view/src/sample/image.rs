//! A picture with its chosen cells marked.

use super::picture::Picture;
use super::regions;
use crate::colour::{self, Rgb};
use crate::escape;
use crate::interpretation::{Interpretation, Score, product};
use crate::number_format::Number;
use crate::terminal::lines::Style;
use ngsll::dataset::ImageSize;
use ngsll::explanation::Term;

/// With more columns a cell is too narrow for its number; only the sign is shown.
const MOST_COLUMNS_WITH_NUMBERS: usize = 5;

/// The picture `id` with its grid and its chosen cells.
pub(super) fn html(
    interpretation: &Interpretation,
    score: &Score,
    picture: &Picture,
    id: &str,
) -> String {
    let ground = format!("<use href=\"#{id}\"/>");
    svg(interpretation, score, picture, "picture", &ground)
}

/// Grid and chosen cells alone, as an overlay of a picture.
pub(super) fn overlay(interpretation: &Interpretation, score: &Score, picture: &Picture) -> String {
    svg(interpretation, score, picture, "overlay", "")
}

fn svg(
    interpretation: &Interpretation,
    score: &Score,
    picture: &Picture,
    class: &str,
    ground: &str,
) -> String {
    let ImageSize { width, height, .. } = picture.size;
    if width == 0 || height == 0 {
        return "<p class=\"none\">The picture is empty.</p>".to_string();
    }
    let rules =
        (1..picture.columns).map(|c| format!("M{} 0v{height}", c * width / picture.columns));
    let grid: String = match picture.regions {
        Some(regions) => regions::borders(regions, width),
        None => rules
            .chain((1..picture.rows).map(|r| format!("M0 {}h{width}", r * height / picture.rows)))
            .collect(),
    };
    let drawn = |(term, number): (&Term, Number)| match picture.regions {
        Some(regions) => regions::chosen(interpretation, (regions, width), term, number),
        None => cell(interpretation, picture, term, number),
    };
    let cells: String = score.terms().filter_map(drawn).collect();
    let parts = if picture.regions.is_some() { "regions" } else { "cells" };
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"the picture with its chosen {parts}\">{ground}\
         <path class=\"grid\" d=\"{grid}\"/>{cells}</svg>",
    )
}

/// One chosen cell: outlined, tinted, with its number.
fn cell(
    interpretation: &Interpretation,
    picture: &Picture,
    term: &Term,
    number: Number,
) -> Option<String> {
    let (xs, ys) = picture.cell(term.feature)?;
    let (wide, high) = (xs.len() as f64, ys.len() as f64);
    let mut shown = number.signed();
    if picture.columns > MOST_COLUMNS_WITH_NUMBERS {
        shown.truncate(shown.chars().next().map_or(0, char::len_utf8));
    }
    let size = (0.62 * high).min(wide / (0.8 * shown.chars().count() as f64));
    Some(format!(
        "<g class=\"cell {class}\" style=\"--s:{strength:.2}\"><title>{title}</title>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\"/>\
         <text x=\"{tx}\" y=\"{ty:.2}\" font-size=\"{size:.2}\">{shown}</text></g>",
        class = colour::class(number.is_negative()),
        strength = interpretation.strength(number),
        title = escape(&product(term, number)),
        x = xs.start,
        y = ys.start,
        tx = xs.start as f64 + wide / 2.0,
        ty = ys.start as f64 + high / 2.0 + 0.35 * size,
    ))
}

/// The picture as lines of the terminal, two pixels to a character, and its width in columns.
pub(super) fn lines(
    interpretation: &Interpretation,
    score: &Score,
    picture: &Picture,
    style: Style,
    width: usize,
) -> (Vec<String>, usize) {
    let size = picture.size;
    if size.width == 0 || size.height == 0 {
        return (vec!["(empty)".to_string()], 7);
    }
    // Small pictures are enlarged so that a cell has space for its sign; large ones are reduced.
    let across = (size.width * (24 / size.width).clamp(1, 4)).min(width.clamp(1, 56));
    let down = (size.height * across).div_ceil(size.width).clamp(1, 2 * across.max(28));
    let source = |x: usize, y: usize| (x * size.width / across, y * size.height / down);
    let chosen = |x: usize, y: usize| {
        let (x, y) = source(x, y);
        score.term(picture.feature(x, y)?).map(|(term, number)| (term.feature, number))
    };
    let tinted = |x: usize, y: usize| {
        let pixel = picture.sample((x, y), (across, down));
        match chosen(x, y) {
            Some((_, n)) if style.colour => {
                colour::tint(pixel, n.is_negative(), interpretation.strength(n))
            }
            _ => pixel,
        }
    };
    let mut lines = Vec::new();
    // The first character of each chosen cell, from which its marks are counted.
    let mut corners: Vec<(usize, (usize, usize))> = Vec::new();
    for y in (0..down).step_by(2) {
        let mut line = String::new();
        for x in 0..across {
            let below = Some(y + 1).filter(|&b| b < down);
            let mark = chosen(x, y).or_else(|| chosen(x, below?)).and_then(|(feature, number)| {
                let found = corners.iter().find(|(f, _)| *f == feature).map(|(_, c)| *c);
                let corner = found.unwrap_or((x, y / 2));
                if found.is_none() {
                    corners.push((feature, corner));
                }
                let (dx, dy) = (x.abs_diff(corner.0), (y / 2).abs_diff(corner.1));
                // In colour one sign for the cell; without, every other character carries it.
                let here = if style.colour { (dx, dy) == (0, 0) } else { (dx + dy) % 2 == 0 };
                here.then_some(if number.is_negative() { '−' } else { '+' })
            });
            let (top, bottom) = (tinted(x, y), below.map(|b| tinted(x, b)));
            line += &character(top, bottom, mark, style);
        }
        lines.push(line + if style.colour { colour::RESET } else { "" });
    }
    (lines, across)
}

/// One character: two pixels in colour, or their brightness as a shade.
fn character(top: Rgb, bottom: Option<Rgb>, mark: Option<char>, style: Style) -> String {
    if !style.colour {
        const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
        let pixels = [Some(top), bottom].into_iter().flatten().flatten();
        let values: Vec<usize> = pixels.map(usize::from).collect();
        let level = values.iter().sum::<usize>() * SHADES.len() / (256 * values.len());
        return mark.unwrap_or(SHADES[level]).to_string();
    }
    match (mark, bottom) {
        (Some(mark), _) => format!("{}\x1b[1;97m{mark}\x1b[22m", colour::background(top)),
        (None, Some(bottom)) => {
            format!("{}{}▀", colour::foreground(top), colour::background(bottom))
        }
        (None, None) => format!("{}{}▀", colour::RESET, colour::foreground(top)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExplainedSample;
    use crate::test_samples::{classes, explained, output, picture};
    use ngsll::SampleView;

    /// Features 0 (for) and 1 (against) chosen.
    fn sample(view: &SampleView) -> ExplainedSample {
        let output = output("high", 0.0, &[("row 1, column 1", 2.0), ("row 1, column 2", -1.0)]);
        explained(view.clone(), "high", &[0.3, 0.7], vec![output])
    }

    fn image(view: &SampleView) -> Picture<'_> {
        Picture::of(view).expect("an image")
    }

    fn drawn(view: &SampleView, colour: bool) -> Vec<String> {
        let (sample, picture) = (sample(view), image(view));
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        lines(&interpretation, &interpretation.scores[0], &picture, Style { colour }, 80).0
    }

    #[test]
    fn exactly_the_chosen_cells_are_outlined() {
        let view = picture(28, 28, 7, 7);
        let sample = sample(&view);
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = html(&interpretation, &interpretation.scores[0], &image(&view), "p0");
        assert_eq!(html.matches("<rect").count(), 2);
        assert!(html.contains("<rect x=\"0\" y=\"0\" width=\"4\" height=\"4\"/>"), "{html}");
        assert!(html.contains(">+</text>") && html.contains(">−</text>"), "{html}");
    }

    #[test]
    fn cells_with_room_carry_their_numbers() {
        let view = picture(4, 4, 2, 2);
        let sample = sample(&view);
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = html(&interpretation, &interpretation.scores[0], &image(&view), "p0");
        assert!(html.contains(">+2.00</text>") && html.contains(">−1.00</text>"), "{html}");
    }

    #[test]
    fn without_colour_signs_fill_the_chosen_cells_only() {
        let lines = drawn(&picture(28, 28, 7, 7), false);
        assert_eq!(lines.len(), 14);
        let marks = |line: &String| {
            line.chars().map(|c| if "+−".contains(c) { c } else { '.' }).collect::<String>()
        };
        assert_eq!(marks(&lines[0]), format!("+.+.−.−.{}", ".".repeat(20)));
        assert_eq!(marks(&lines[1]), format!(".+.+.−.−{}", ".".repeat(20)));
        assert!(lines[2..].iter().all(|l| !marks(l).contains(['+', '−'])));
    }

    #[test]
    fn odd_sizes_and_broken_grids_are_drawn_without_panic() {
        let mut cut = picture(5, 3, 1, 2);
        let SampleView::Image { pixels, .. } = &mut cut else { panic!("an image") };
        pixels.truncate(4);
        for view in [
            cut,
            picture(1, 1, 1, 1),
            picture(3, 5, 0, 0),
            picture(300, 7, 2, 2),
            picture(1, 900, 3, 1),
        ] {
            for colour in [false, true] {
                assert!(!drawn(&view, colour).is_empty());
            }
            assert!(image(&view).definition("p0").contains("data:image/png;base64,iVBOR"));
        }
        let none = picture(0, 1, 1, 1);
        assert_eq!(drawn(&none, true), ["(empty)"]);
        assert_eq!(image(&none).definition("p0"), "");
    }
}
