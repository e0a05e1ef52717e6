//! Axes with round ticks, and the rectangle between two of them.

use crate::number_format::fixed;

/// The most ticks of an axis.
const TICKS: f64 = 6.0;

/// An axis of accuracies spans at least this much: differences below a percentage point are not exaggerated.
const LEAST_ACCURACY_SPAN: f64 = 0.05;

/// A straight axis with ticks at multiples of a round step.
pub(crate) struct Axis {
    low: f64,
    high: f64,
    /// Distance of the ticks; 0 for none.
    step: f64,
    /// Decimals of the ticks' names; `None` for as many as the step needs.
    decimals: Option<usize>,
}

impl Axis {
    /// Spans all (finite) values between round ends; a single one has a margin on both sides.
    pub(crate) fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high, step) = reach(values);
        let (mut first, mut last) = ((low / step).floor(), (high / step).ceil());
        if first == last {
            (first, last) = (first - 1.0, last + 1.0);
        }
        Self { low: first * step, high: last * step, step, decimals: None }
    }

    /// Spans all (finite) values with a small margin at the ends, which need not be round.
    pub(crate) fn close(values: impl Iterator<Item = f64>) -> Self {
        let (low, high, step) = reach(values);
        let margin = if high > low { 0.04 * (high - low) } else { step };
        Self { low: low - margin, high: high + margin, step, decimals: None }
    }

    /// Spans accuracies, which lie between 0 and 1, with a margin between round ends.
    pub(crate) fn of_accuracies(values: impl Iterator<Item = f64>) -> Self {
        let Some((low, high)) = ends(values) else { return Self::fixed(0.0, 1.0, 0.2) };
        let span = (high - low).max(LEAST_ACCURACY_SPAN);
        let high = ((low + high) / 2.0 + 0.54 * span).min(1.0);
        let low = (high - 1.08 * span).max(0.0);
        let steps = [0.01, 0.02, 0.05, 0.1, 0.2];
        let step = steps.into_iter().find(|step| span / step <= 7.0).unwrap_or(0.5);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, step, decimals: Some(2) }
    }

    /// From `low` to `high` with a tick every `step`.
    pub(crate) fn fixed(low: f64, high: f64, step: f64) -> Self {
        Self { low, high, step, decimals: None }
    }

    /// From `low` to `high` without ticks.
    pub(crate) fn bare(low: f64, high: f64) -> Self {
        Self { low, high, step: 0.0, decimals: None }
    }

    /// The position of a value between the ends, 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        self.position(value).clamp(0.0, 1.0)
    }

    /// The same without bounds: values beyond an end are drawn beyond it.
    fn position(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Values and their labels.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        if self.step == 0.0 {
            return Vec::new();
        }
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let decimals = self.decimals.unwrap_or(decimals);
        let largest = self.low.abs().max(self.high.abs());
        // Numbers that would be rows of zeros have an exponent.
        let written = |v: f64| match decimals > 6 || largest >= 1e12 {
            true => format!("{v:.3e}").replace('-', "−"),
            false => fixed(v, decimals),
        };
        // Rounding must not lose a tick at an end.
        let first = (self.low / self.step - 1e-6).ceil() as i64;
        let last = (self.high / self.step + 1e-6).floor() as i64;
        let tick = |i: i64| i as f64 * self.step;
        (first..=last).map(tick).map(|v| (v, written(v))).collect()
    }

    /// Both ends.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }
}

/// The smallest and the largest finite value; `None` if there is none.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|v| v.is_finite());
    finite.fold(None, |ends: Option<(f64, f64)>, v| match ends {
        Some((low, high)) => Some((low.min(v), high.max(v))),
        None => Some((v, v)),
    })
}

/// The smallest and the largest finite value, and a step for a handful of ticks.
fn reach(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let (low, high) = ends(values).unwrap_or((0.0, 1.0));
    let span = match high - low {
        0.0 if low == 0.0 => 1.0,
        0.0 => low.abs() / 10.0,
        span => span,
    };
    (low, high, round(span / (TICKS - 1.0)))
}

/// The next of 1, 2, 5, 10, … times a power of ten.
fn round(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= step * 0.999);
    times.unwrap_or(10.0) * power
}

/// A rectangle of a drawing between two axes.
pub(crate) struct Frame {
    /// From left to right.
    pub(crate) x: Axis,
    /// From bottom to top.
    pub(crate) y: Axis,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Frame {
    /// The horizontal coordinate of a value.
    pub(crate) fn px(&self, x: f64) -> f64 {
        self.left + self.x.position(x) * self.width
    }

    /// The vertical coordinate of a value.
    pub(crate) fn py(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.position(y)) * self.height
    }

    /// The right end.
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The lower end.
    pub(crate) fn base(&self) -> f64 {
        self.top + self.height
    }

    /// Position and name of every tick of the horizontal axis.
    pub(crate) fn x_ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.x.ticks().into_iter().map(|(value, name)| (self.px(value), name))
    }

    /// Position and name of every tick of the vertical axis.
    pub(crate) fn y_ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.y.ticks().into_iter().map(|(value, name)| (self.py(value), name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_between_round_ends() {
        for (low, high) in [(0.52, 0.994), (-3.0, 1200.0), (7.0, 7.0), (0.0, 0.0), (1e-9, 2e-9)] {
            for axis in
                [Axis::around([low, high].into_iter()), Axis::close([low, high].into_iter())]
            {
                assert!(axis.low <= low && axis.high >= high && axis.low < axis.high);
                let ticks = axis.ticks();
                assert!((2..=8).contains(&ticks.len()), "{low} {high} {ticks:?}");
                let names: std::collections::BTreeSet<_> = ticks.iter().map(|t| &t.1).collect();
                assert!(names.len() == ticks.len(), "{ticks:?}");
            }
        }
        let written: Vec<String> =
            Axis::around([0.0, 0.9].into_iter()).ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(written, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn numbers_that_are_none_do_not_panic() {
        for odd in [f64::NAN, f64::INFINITY] {
            let axis = Axis::around([odd].into_iter());
            assert!(!axis.ticks().is_empty() && axis.share(0.5) == 0.5);
        }
        assert_eq!(Axis::around(std::iter::empty()).share(2.0), 1.0);
    }

    #[test]
    fn accuracies_lie_between_round_ends_and_small_differences_stay_small() {
        for (low, high) in [(0.52, 0.994), (0.9931, 0.9942), (0.9, 0.9), (0.0, 1.0), (0.85, 0.9)] {
            let axis = Axis::of_accuracies([low, high].into_iter());
            let [from, to] = axis.ends();
            let inside = (from < low || low == 0.0) && (high < to || high == 1.0);
            assert!(inside && from >= 0.0 && to < 1.0 + 1e-9, "{low} {high}: {from} {to}");
            assert!(to - from >= LEAST_ACCURACY_SPAN, "{low} {high}: {from} {to}");
            let ticks = (to - from) / axis.step;
            assert!((ticks - ticks.round()).abs() < 1e-6 && ticks < 10.5, "{low} {high}: {ticks}");
            assert_eq!(axis.ticks().len(), ticks.round() as usize + 1);
        }
        let none = Axis::of_accuracies(std::iter::empty());
        assert_eq!((none.ends(), none.step), ([0.0, 1.0], 0.2));
    }
}
