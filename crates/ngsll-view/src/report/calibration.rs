//! Calibration: predicted probabilities against observed frequencies.

use super::panel::{Numbers, ReportPanel};
use super::plot::{self, Names};
use crate::number_format::{count, percent};
use crate::svg::Axis;
use ngsll::metrics::{Bin, Calibration};

/// Height of the band with the counts.
const BAND: f64 = 40.0;

/// The reliability diagram with the counts of its bins under it.
pub(super) fn panel(calibration: &Calibration, classes: usize) -> ReportPanel {
    let bins = calibration.bins();
    let width = 1.0 / bins.len() as f64;
    // The predicted class never has less than its share of all classes.
    let least = (bins.len() / classes.max(1)) as f64 * width;
    let step = if least < 0.3 { 0.2 } else { 0.1 };
    let low = (least / step).floor() * step;
    let worst = bins.iter().filter_map(Bin::accuracy).fold(low, f64::min);
    let floor = (worst / 0.2).floor() * 0.2;
    let frame = plot::frame(Axis::fixed(low, 1.0, step), Axis::fixed(floor, 1.0, 0.2));
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1) as f64;
    let mut marks = format!(
        "<path class=\"ideal\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
        frame.px(low),
        frame.py(low),
        frame.px(1.0),
        frame.py(1.0)
    );
    let filled = || bins.iter().enumerate().filter(|(_, bin)| bin.count > 0);
    for (i, bin) in filled() {
        let (left, right) = (frame.px(i as f64 * width), frame.px((i + 1) as f64 * width));
        let height = (BAND * bin.count as f64 / most).max(1.0);
        marks += &format!(
            "<rect class=\"count\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            left + 1.0,
            frame.base() + 8.0 + BAND - height,
            right - left - 2.0,
        );
    }
    for (_, bin) in filled() {
        let (Some(confidence), Some(accuracy)) = (bin.confidence(), bin.accuracy()) else {
            continue;
        };
        let (x, y) = (frame.px(confidence), frame.py(accuracy));
        let radius = 3.0 + 5.0 * (bin.count as f64 / most).sqrt();
        marks += &format!(
            "<g><title>{}</title><path class=\"gap\" d=\"M{x:.1} {:.1}V{y:.1}\"/>\
             <circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/></g>",
            sentence(bin, confidence, accuracy),
            frame.py(confidence),
        );
    }
    let row = |(i, bin): (usize, &Bin)| {
        let share = |v: Option<f64>| v.map_or(String::new(), percent);
        let span =
            format!("{:.0}–{:.0} %", i as f64 * width * 100.0, (i + 1) as f64 * width * 100.0);
        vec![span, count(bin.count), share(bin.confidence()), share(bin.accuracy())]
    };
    let header = ["probability", "predictions", "claimed on average", "found right"];
    let numbers =
        Numbers { header: header.map(String::from).to_vec(), rows: filled().map(row).collect() };
    let error = calibration.expected_error().map_or(String::new(), |error| {
        format!(" On average the two are {} apart (expected calibration error).", percent(error))
    });
    let names = Names {
        label: "Share of correct predictions against the claimed probability; the numbers are below",
        x: "claimed probability",
        y: "found right",
    };
    ReportPanel {
        title: "Can its probabilities be trusted?",
        note: format!(
            "The probability that the model claims (across) against how often it is right (up). On the line the probabilities are right; below it they are too high. The columns below count \
             the predictions in {} bins of equal width.{error}",
            bins.len()
        ),
        body: plot::svg(&frame, BAND + 8.0, &names, &marks),
        numbers: Some(numbers),
        wide: false,
    }
}

fn sentence(bin: &Bin, confidence: f64, accuracy: f64) -> String {
    format!(
        "{} predictions claim {} on average, {} are right",
        count(bin.count),
        percent(confidence),
        percent(accuracy)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filled_bin_has_its_dot_column_and_line() {
        let mut calibration = Calibration::default();
        for confidence in [0.51, 0.52, 0.77, 1.0] {
            calibration.add(confidence, confidence > 0.6);
        }
        let panel = panel(&calibration, 2);
        assert_eq!(panel.body.matches("<circle").count(), 3);
        assert_eq!(panel.body.matches("class=\"count\"").count(), 3);
        let rows = panel.numbers.map(|numbers| numbers.rows).unwrap_or_default();
        assert_eq!(rows[0], ["50–55 %", "2", "51.5\u{a0}%", "0.0\u{a0}%"]);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn nothing_and_one_class_do_not_panic() {
        for classes in [0, 1, 2, 300] {
            assert!(panel(&Calibration::default(), classes).body.contains("</svg>"));
        }
    }
}
