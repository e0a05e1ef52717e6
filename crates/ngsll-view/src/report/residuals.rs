//! Predicted against true numbers.

use super::ModelOverview;
use super::panel::ReportPanel;
use super::plot::{self, Names};
use crate::escape;
use crate::markup::cut;
use crate::number_format::{count, value};
use crate::svg::{Axis, Frame};
use ngsll::objective::Objective;
use std::fmt::Write;

/// The most dots of one drawing.
const DOTS: usize = 1500;

/// Both drawings.
pub(super) fn panels(overview: &ModelOverview) -> Vec<ReportPanel> {
    let pairs: Vec<(f64, f64)> =
        overview.dots.iter().filter_map(|dot| dot.value).take(DOTS).collect();
    let sampled = overview.sampled(pairs.len());
    let both = || Axis::close(pairs.iter().flat_map(|&(t, p)| [t, p]));
    let frame = plot::frame(both(), both());
    let ends = frame.x.ends();
    let ideal = format!(
        "<path class=\"ideal\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
        frame.px(ends[0]),
        frame.py(ends[0]),
        frame.px(ends[1]),
        frame.py(ends[1])
    );
    let against = ReportPanel {
        title: "Predicted against true",
        note: format!("On the line, a prediction is right; above it, too high.{sampled}"),
        body: plot::svg(
            &frame,
            0.0,
            &Names { label: "Predicted against true values", x: "true", y: "predicted" },
            &(ideal + &dots(&frame, &pairs)),
        ),
        numbers: None,
        wide: false,
    };
    let residuals: Vec<(f64, f64)> = pairs.iter().map(|&(truth, p)| (p, p - truth)).collect();
    let frame = plot::frame(
        Axis::close(residuals.iter().map(|r| r.0)),
        Axis::close(residuals.iter().flat_map(|r| [r.1, -r.1])),
    );
    let zero = frame.py(0.0);
    let [left, right] = frame.x.ends().map(|end| frame.px(end));
    let line = format!("<path class=\"ideal\" d=\"M{left:.1} {zero:.1}H{right:.1}\"/>");
    let off = ReportPanel {
        title: "Errors",
        note: format!(
            "How far each prediction is off. A bend or a funnel shows something that the model has not learned.{sampled}"
        ),
        body: plot::svg(
            &frame,
            0.0,
            &Names {
                label: "Predicted minus true values against the prediction",
                x: "predicted",
                y: "predicted − true",
            },
            &(line + &dots(&frame, &residuals)),
        ),
        numbers: None,
        wide: false,
    };
    vec![against, off]
}

fn dots(frame: &Frame, points: &[(f64, f64)]) -> String {
    let mut marks = String::from("<g class=\"dots\">");
    for &(x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
        // Writing to a string cannot fail.
        let _ = write!(
            marks,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\"/>",
            frame.px(x),
            frame.py(y)
        );
    }
    marks + "</g>"
}

/// Shares of the rows whose largest error is given.
const SHARES: [usize; 7] = [10, 25, 50, 75, 90, 95, 100];

/// The size of most errors.
pub(super) fn sizes(overview: &ModelOverview) -> ReportPanel {
    let pairs = overview.dots.iter().filter_map(|dot| dot.value);
    let mut sizes: Vec<f64> = pairs.map(|(t, p)| (p - t).abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let largest = sizes.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    // Between two rows half-way, so that half of the rows are as far off as the median says.
    let quantile = |percent: usize| {
        let rank = (sizes.len() - 1) * percent;
        let (below, above) = (sizes[rank / 100], sizes[rank.div_ceil(100)]);
        below + (above - below) * (rank % 100) as f64 / 100.0
    };
    let row = |percent: usize| {
        let size = quantile(percent);
        format!(
            "<tr style=\"--s:{:.3}\"><th scope=\"row\">{percent}&nbsp;%</th><td class=\"track\"><i></i></td>\
             <td class=\"number\">{}</td></tr>",
            size / largest,
            value(size)
        )
    };
    let rows: String = match sizes.is_empty() {
        true => String::new(),
        false => SHARES.map(row).concat(),
    };
    let sampled = match sizes.len() < overview.metrics.n {
        true => format!(" From {} rows drawn at random.", count(sizes.len() as u64)),
        false => String::new(),
    };
    ReportPanel {
        title: "How large its errors are",
        note: format!(
            "The share of rows that are off by at most this much, in the units of {}.{sampled}",
            target(overview)
        ),
        body: format!(
            "<table class=\"lengths\"><thead><tr><th scope=\"col\">of the rows</th><td></td>\
             <th scope=\"col\" class=\"number\">off by at most</th></tr></thead><tbody>{rows}</tbody></table>"
        ),
        numbers: None,
        wide: false,
    }
}

/// The target's name, as markup.
fn target(overview: &ModelOverview) -> String {
    match overview.objective {
        Objective::Regression { target, .. } => escape(&cut(target, 40)),
        _ => String::new(),
    }
}
