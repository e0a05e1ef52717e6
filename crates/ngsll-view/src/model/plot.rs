//! Axes with round ticks, and the frame of a drawing.

use super::number_format::fixed;
use crate::escape;

/// Ticks of an axis, at most.
const TICKS: f64 = 6.0;

/// A straight axis with ticks at multiples of a round step.
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// Holds all (finite) values between round ends; a single one has room on both sides.
    pub(super) fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high, step) = reach(values);
        let (mut first, mut last) = ((low / step).floor(), (high / step).ceil());
        if first == last {
            (first, last) = (first - 1.0, last + 1.0);
        }
        Self { low: first * step, high: last * step, step }
    }

    /// Holds all (finite) values with a little room at the ends, which need not be round.
    pub(super) fn close(values: impl Iterator<Item = f64>) -> Self {
        let (low, high, step) = reach(values);
        let room = if high > low { 0.04 * (high - low) } else { step };
        Self { low: low - room, high: high + room, step }
    }

    /// From `low` to `high` with a tick every `step`.
    pub(super) fn fixed(low: f64, high: f64, step: f64) -> Self {
        Self { low, high, step }
    }

    /// From `low` to `high` without ticks.
    pub(super) fn bare(low: f64, high: f64) -> Self {
        Self { low, high, step: 0.0 }
    }

    /// Where a value lies between the ends, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Values and how they are written.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.step == 0.0 {
            return Vec::new();
        }
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
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
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }
}

/// The least and the largest finite value, and a step for a handful of ticks.
fn reach(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let ends = finite.fold(None, |ends: Option<(f64, f64)>, v| match ends {
        Some((low, high)) => Some((low.min(v), high.max(v))),
        None => Some((v, v)),
    });
    let (low, high) = ends.unwrap_or((0.0, 1.0));
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

/// A drawing with two axes. Units are pixels of a figure on a wide screen.
pub(super) struct Frame {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Height of the space under the horizontal axis, for more than its ticks and name.
    pub(super) below: f64,
}

pub(super) const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 30.0;
const BELOW: f64 = 44.0;

impl Frame {
    pub(super) fn px(&self, x: f64) -> f64 {
        LEFT + self.x.share(x) * (WIDTH - LEFT - RIGHT)
    }

    pub(super) fn py(&self, y: f64) -> f64 {
        TOP + (1.0 - self.y.share(y)) * HEIGHT
    }

    /// The lowest line of the drawing proper.
    pub(super) fn base(&self) -> f64 {
        TOP + HEIGHT
    }

    /// The axes under `marks`; `label` is what a screen reader says.
    pub(super) fn svg(&self, label: &str, x_name: &str, y_name: &str, marks: &str) -> String {
        let right = WIDTH - RIGHT;
        let base = self.base();
        let mut axes = String::new();
        for (value, name) in self.y.ticks() {
            let y = self.py(value);
            axes += &format!(
                "<path class=\"rule\" d=\"M{LEFT} {y:.1}H{right}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        let under = base + self.below;
        for (value, name) in self.x.ticks() {
            let x = self.px(value);
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
            label = escape(label),
            xy = under + 38.0,
            x_name = escape(x_name),
            y_name = escape(y_name),
        )
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
}
