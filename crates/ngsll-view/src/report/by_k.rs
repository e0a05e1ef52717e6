//! The chart of the quality of predictions with fewer or more terms.

use super::ModelOverview;
use super::at_each_k::MeasuredAtEachK;
use super::panel::{Numbers, ReportPanel};
use super::plot::{self, Names};
use crate::number_format::{count, percent, value};
use crate::svg::Axis;
use ngsll::Evidence;
use ngsll::metrics::AtK;

/// The most names under the horizontal axis.
const NAMED: usize = 11;

/// The metric against k, each k at the same distance from the next.
pub(super) fn panel(overview: &ModelOverview) -> ReportPanel {
    let MeasuredAtEachK { points, evidence, .. } = &overview.at_each_k;
    let (name, of): (_, fn(&AtK) -> Option<f64>) = match points.first() {
        Some(AtK { accuracy: Some(_), .. }) => ("accuracy", |at| at.accuracy),
        Some(AtK { r2: Some(_), .. }) => ("R²", |at| at.r2),
        _ => ("RMSE", |at| at.rmse),
    };
    let chooses = *evidence == Evidence::Chosen;
    let title = if chooses { "How many features it takes" } else { "Fewer terms" };
    let [_, .., _] = points.as_slice() else {
        let note = match chooses {
            true => "There is one feature to choose from.",
            false => "The model was trained with K = 1: each score has a single term.",
        };
        let (note, body) = (note.to_string(), String::new());
        return ReportPanel { title, note, body, numbers: None, wide: false };
    };
    let written = |at: &AtK| match at.accuracy {
        Some(accuracy) => percent(accuracy),
        None => of(at)
            .map_or(String::new(), |v| if name == "R²" { format!("{v:.3}") } else { value(v) }),
    };
    let note = note(overview);
    let header = ["k", "accuracy", "R²", "RMSE"].map(String::from);
    let row = |at: &AtK| {
        let percents = at.accuracy.map(percent);
        let numbers = [percents, at.r2.map(|v| format!("{v:.4}")), at.rmse.map(value)];
        std::iter::once(Some(at.k.to_string())).chain(numbers).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Option<String>>> = points.iter().map(row).collect();
    let kept: Vec<usize> = (0..4).filter(|&c| rows.iter().any(|row| row[c].is_some())).collect();
    let numbers = Numbers {
        header: kept.iter().map(|&c| header[c].clone()).collect(),
        rows: rows
            .iter()
            .map(|row| kept.iter().map(|&c| row[c].clone().unwrap_or_default()).collect())
            .collect(),
    };
    ReportPanel {
        title,
        note,
        body: draw(points, name, of, written),
        numbers: Some(numbers),
        wide: false,
    }
}

/// A note on how to read it.
fn note(overview: &ModelOverview) -> String {
    let MeasuredAtEachK { points, rows, evidence } = &overview.at_each_k;
    let last = points.last().map_or(0, |at| at.k);
    let ks: Vec<String> = points.iter().map(|at| at.k.to_string()).collect();
    let measured = match last == points.len() {
        true => String::new(),
        false => format!(" Measured for k = {}.", ks.join(", ")),
    };
    let sampled = match *rows < overview.metrics.n {
        true => format!(" On {} rows drawn at random.", count(*rows as u64)),
        false => String::new(),
    };
    match evidence {
        Evidence::Chosen => format!(
            "The same model with k features: it chooses and weighs them anew for each k.{measured}{sampled}"
        ),
        _ => format!(
            "The same model with k terms: of each score the k largest weights are kept. It was trained for \
             K = {last}.{measured}"
        ),
    }
}

/// Values that the vertical axis includes besides the points, so that small differences look small: a margin of a
/// tenth for shares, and zero for errors.
fn axis_margin(points: &[AtK], of: fn(&AtK) -> Option<f64>) -> [f64; 2] {
    let best = points.iter().filter_map(of).fold(f64::NEG_INFINITY, f64::max);
    let low = match points.first() {
        Some(AtK { accuracy: Some(_), .. }) => (best - 0.1).max(0.0),
        Some(AtK { r2: Some(_), .. }) => best - 0.1,
        _ => return [0.0; 2],
    };
    [low, low + 0.1]
}

fn draw(
    points: &[AtK],
    name: &str,
    of: fn(&AtK) -> Option<f64>,
    written: impl Fn(&AtK) -> String,
) -> String {
    let span = (points.len() - 1) as f64;
    let frame = plot::frame(
        // Half a position of margin on both sides; the names of the positions are written here.
        Axis::bare(-0.4, span + 0.4),
        Axis::around(points.iter().filter_map(of).chain(axis_margin(points, of))),
    );
    let at: Vec<(f64, f64)> = points
        .iter()
        .enumerate()
        .map(|(i, at)| (frame.px(i as f64), frame.py(of(at).unwrap_or(f64::NAN))))
        .collect();
    let line: Vec<String> = at.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let mut marks = format!("<path class=\"line\" d=\"M{}\"/>", line.join("L"));
    // Numbers stand over the points, and every k under them, if there is space; counted from the
    // end, so that K itself is always there.
    let crowded = points.len() > 6;
    let every = points.len().div_ceil(NAMED);
    for (i, (point, (x, y))) in points.iter().zip(&at).enumerate() {
        let (k, text) = (point.k, written(point));
        marks += &format!(
            "<g><title>k = {k}: {text}</title><circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/></g>"
        );
        let mut write = |class: &str, y: f64, text: &str| {
            marks += &format!(
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>"
            );
        };
        if (points.len() - 1 - i).is_multiple_of(every) {
            write("k", frame.base() + 18.0, &k.to_string());
        }
        if !crowded || i == 0 || i + 1 == points.len() {
            write("strong", y - 10.0, &text);
        }
    }
    let label = format!("{name} with one to {} terms", points.last().map_or(0, |at| at.k));
    let names = Names { label: &label, x: "terms of each score, k", y: name };
    plot::svg(&frame, 0.0, &names, &marks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngsll::metrics::{Metrics, k_grid};

    fn at(k: usize, accuracy: f64) -> AtK {
        let mut metrics = Metrics::default();
        metrics.accuracy = Some(accuracy);
        AtK::new(k, &metrics)
    }

    #[test]
    fn every_k_has_its_dot_and_names_do_not_crowd() {
        for k in [2, 10, 64, 5000] {
            let points: Vec<AtK> = k_grid(k).into_iter().map(|k| at(k, 0.5)).collect();
            let drawn = draw(&points, "accuracy", |at| at.accuracy, |_| String::new());
            assert_eq!(drawn.matches("<circle").count(), points.len());
            let names = drawn.matches("class=\"k\"").count();
            assert!((2..=NAMED).contains(&names), "{names} names for K = {k}");
            assert!(drawn.contains(&format!(">{k}</text>")));
        }
    }

    #[test]
    fn small_differences_look_small_at_both_ends_of_the_scale() {
        for accuracy in [0.0, 0.02, 0.5, 0.995, 1.0] {
            let [low, high] = axis_margin(&[at(1, accuracy), at(2, accuracy)], |at| at.accuracy);
            assert!((high - low - 0.1).abs() < 1e-12 && low >= 0.0 && accuracy <= high + 1e-12);
        }
    }
}
