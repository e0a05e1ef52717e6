//! Regions of a picture: their borders, and the chosen ones filled.

use crate::colour;
use crate::escape;
use crate::interpretation::{Interpretation, product};
use crate::number_format::Number;
use ngsll::explanation::Term;
use ngsll::representation::Regions;
use std::fmt::Write;

/// A number that is wider than its region by more than this factor would hide others; only the sign is shown.
const OVERHANG: f64 = 1.5;

/// The lines between the regions of a picture of this width.
pub(super) fn borders(regions: &Regions, width: usize) -> String {
    let (owners, mut path) = (regions.owners(), String::new());
    for (at, owner) in owners.iter().enumerate() {
        let (x, y) = (at % width, at / width);
        if x > 0 && owners[at - 1] != *owner {
            let _ = write!(path, "M{x} {y}v1");
        }
        if y > 0 && owners[at - width] != *owner {
            let _ = write!(path, "M{x} {y}h1");
        }
    }
    path
}

/// A chosen region: tinted, with its number; `None` for a feature that is not a region.
pub(super) fn chosen(
    interpretation: &Interpretation,
    (regions, width): (&Regions, usize),
    term: &Term,
    number: Number,
) -> Option<String> {
    let (tx, ty) = middle(regions, width, term.feature)?;
    let size = (width as f64 / 12.0).max(1.0);
    let mut shown = number.signed();
    if 0.55 * size * shown.chars().count() as f64 > OVERHANG * run_at(regions, width, (tx, ty)) {
        shown.truncate(shown.chars().next().map_or(0, char::len_utf8));
    }
    Some(format!(
        "<g class=\"cell region {class}\" style=\"--s:{strength:.2}\"><title>{title}</title>\
         <path d=\"{path}\"/><text x=\"{tx:.2}\" y=\"{ty:.2}\" font-size=\"{size:.2}\">{shown}</text></g>",
        class = colour::class(number.is_negative()),
        strength = interpretation.strength(number),
        title = escape(&product(term, number)),
        path = runs(regions, width, term.feature),
        ty = ty + 0.35 * size,
    ))
}

/// The pixels of a region, as a box for each run of them.
fn runs(regions: &Regions, width: usize, region: usize) -> String {
    let mut path = String::new();
    for (y, line) in regions.owners().chunks(width).enumerate() {
        let mut x = 0;
        for run in line.chunk_by(|a, b| a == b) {
            if run[0] as usize == region {
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z", length = run.len());
            }
            x += run.len();
        }
    }
    path
}

/// The pixels from left to right of the region at a point, on its line.
fn run_at(regions: &Regions, width: usize, (x, y): (f64, f64)) -> f64 {
    let at = y as usize * width + x as usize;
    let (line, own) = (y as usize * width, regions.owners()[at]);
    let left = regions.owners()[line..at].iter().rev().take_while(|&&owner| owner == own).count();
    let right =
        regions.owners()[at..line + width].iter().take_while(|&&owner| owner == own).count();
    (left + right) as f64
}

/// The point of a region nearest to its centre, where its number is drawn.
fn middle(regions: &Regions, width: usize, region: usize) -> Option<(f64, f64)> {
    let pixels = regions.owners().iter().enumerate();
    let own: Vec<(f64, f64)> = pixels
        .filter(|(_, owner)| **owner as usize == region)
        .map(|(at, _)| ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5))
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| own.iter().map(of).sum::<f64>() / own.len() as f64;
    let centre = (mean(|p| p.0), mean(|p| p.1));
    let distance = |p: &(f64, f64)| (p.0 - centre.0).hypot(p.1 - centre.1);
    own.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{classes, explained, output, picture};
    use ngsll::SampleView;

    #[test]
    fn the_chosen_regions_are_filled_and_the_others_outlined() {
        let mut view = picture(4, 2, 1, 1);
        let SampleView::Image { regions, .. } = &mut view else { panic!("an image") };
        *regions = Some(Regions::new((4, 2), &[0, 0, 1, 1, 0, 2, 2, 2], &[]).unwrap());
        let output = output("high", 0.0, &[("region 1", 2.0), ("region 2", -1.0)]);
        let sample = explained(view, "high", &[0.3, 0.7], vec![output]);
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = crate::sample::marked(&interpretation, &interpretation.scores[0], "p0");
        assert_eq!(html.matches("class=\"cell region").count(), 2, "{html}");
        assert!(html.contains("<path d=\"M0 0h2v1h-2zM0 1h1v1h-1z\"/>"), "{html}");
        assert!(html.contains("d=\"M2 0v1M1 1v1M1 1h1M2 1h1M3 1h1\""), "{html}");
        assert!(html.contains(">+2.00</text>") && html.contains("chosen regions"), "{html}");
    }

    /// Of a region too narrow for its number the sign is shown, and a region without pixels is not drawn.
    #[test]
    fn a_number_stays_within_its_region() {
        let mut view = picture(96, 2, 1, 1);
        let SampleView::Image { regions, .. } = &mut view else { panic!("an image") };
        let owners: Vec<u32> = (0..192).map(|at| u32::from(at % 96 >= 9)).collect();
        *regions = Some(Regions::new((96, 2), &owners, &[]).unwrap());
        let terms = [("region 1", 2.0), ("region 2", -1.0), ("region 3", 0.5)];
        let sample = explained(view, "high", &[0.3, 0.7], vec![output("high", 0.0, &terms)]);
        let interpretation = Interpretation::new(&sample, &classes(&["low", "high"]));
        let html = crate::sample::marked(&interpretation, &interpretation.scores[0], "p0");
        assert!(html.contains(">+</text>") && html.contains(">−1.00</text>"), "{html}");
        assert_eq!(html.matches("class=\"cell region").count(), 2, "{html}");
    }
}
