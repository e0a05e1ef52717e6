//! Numbers as a person reads them.

use ngsll::dataset::Labels;
use ngsll::readable::{self, grouped};
use std::fmt;

/// A number rounded to a fixed count of decimals, compared as an integer so that sums of it are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// The number as given; its sign survives rounding to zero.
    exact: f64,
    decimals: usize,
}

impl Number {
    /// `exact`, to be shown with `decimals` decimals.
    pub(crate) fn new(exact: f64, decimals: usize) -> Self {
        Self { exact, decimals }
    }

    /// The rounded number in units of its last decimal, if that is a whole number within the precision of f64.
    pub(crate) fn units(self) -> Option<i64> {
        let units = (self.exact * 10f64.powi(self.decimals as i32)).round();
        (units.abs() < 9e15).then_some(units as i64)
    }

    /// Whether it lowers the score.
    pub(crate) fn is_negative(self) -> bool {
        self.exact.is_sign_negative() && !self.exact.is_nan()
    }

    /// Whether it rounds to zero.
    pub(crate) fn is_zero(self) -> bool {
        self.units() == Some(0)
    }

    /// The value as shown with `decimals` decimals, keeping only a sign of the rest.
    pub(crate) fn rounded(self, decimals: usize) -> Self {
        let one = 10f64.powi(decimals as i32);
        let exact = ((self.exact * one).round() / one).copysign(self.exact);
        Self { exact, decimals }
    }

    /// The unrounded number.
    pub(crate) fn exact(self) -> f64 {
        self.exact
    }

    /// The number of decimals shown.
    pub(crate) fn decimals(self) -> usize {
        self.decimals
    }

    /// Always with a sign: `+2.31`, `−0.40`.
    pub(crate) fn signed(self) -> String {
        format!("{}{}", if self.is_negative() { "−" } else { "+" }, self.magnitude())
    }

    /// Without a sign.
    pub(crate) fn magnitude(self) -> String {
        let Some(units) = self.units() else { return format!("{:.3e}", self.exact.abs()) };
        let (units, one) = (units.unsigned_abs(), 10u64.pow(self.decimals as u32));
        let whole = grouped(&(units / one).to_string());
        match self.decimals {
            0 => whole,
            width => format!("{whole}.{:0width$}", units % one),
        }
    }
}

impl fmt::Display for Number {
    /// With a minus if negative: `2.31`, `−0.40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minus = if self.is_negative() && self.units() != Some(0) { "−" } else { "" };
        write!(f, "{minus}{}", self.magnitude())
    }
}

/// A count with thousands separators: `53,940`.
pub(crate) fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// The value of a row as the data have it: numbers are formatted readably, classes are unchanged.
pub(crate) fn truth(written: &str, is_number: bool) -> String {
    match Labels::number(written) {
        Some(number) if is_number => readable::number(number),
        _ => written.to_string(),
    }
}

/// A share in percent, with a no-break space: `87.4 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

/// A threshold with at most four decimals: 0.2, 0.1667.
pub(crate) fn threshold(probability: f64) -> String {
    match (probability * 1e4).round() / 1e4 {
        // Neither always nor never, however near.
        0.0 | 1.0 => probability.to_string(),
        rounded => rounded.to_string(),
    }
}

/// A probability in percent, never rounded to certainty.
pub(crate) fn probability_percent(probability: f64) -> String {
    match probability * 100.0 {
        p if p > 99.9 => "> 99.9 %".to_string(),
        p if p < 0.1 => "< 0.1 %".to_string(),
        p => format!("{p:.1} %"),
    }
}

/// A value with as many decimals as its size requires.
pub(crate) fn value(value: f64) -> String {
    Number::new(value, decimals_of([value].into_iter())).to_string()
}

/// A number with `decimals` decimals, thousands separators and a real minus.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (text.as_str(), String::new()),
    };
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    let minus = if value < 0.0 && !zero { "−" } else { "" };
    format!("{minus}{}{fraction}", grouped(whole))
}

/// Contributions, all with the same decimals and always with a sign.
pub(crate) fn signed(values: &[f64]) -> Vec<String> {
    let decimals = decimals_of(values.iter().copied());
    values.iter().map(|&v| Number::new(v, decimals).signed()).collect()
}

/// Two decimals for numbers of ordinary size, fewer for thousands, more for thousandths.
pub(crate) fn decimals_of(numbers: impl Iterator<Item = f64>) -> usize {
    let largest = numbers.map(f64::abs).filter(|v| v.is_finite()).fold(0.0, f64::max);
    match largest {
        0.0 => 2,
        0.1.. => (3.0 - largest.log10().floor()).clamp(0.0, 2.0) as usize,
        _ => (2.0 - largest.log10().floor()).min(9.0) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            (count(7), count(53_940), count(1_000_000)),
            ("7".into(), "53,940".into(), "1,000,000".into())
        );
        assert_eq!((fixed(-12_345.678, 1), fixed(-0.01, 1)), ("−12,345.7".into(), "0.0".into()));
        assert_eq!(signed(&[1.234, -0.5]), ["+1.23", "−0.50"]);
        assert_eq!(signed(&[-283_280.4, 16_835.0]), ["−283,280", "+16,835"]);
        assert_eq!(
            [("826026.68", true), ("826026.68", false), ("yes", true)].map(|(t, n)| truth(t, n)),
            ["826,027", "826026.68", "yes"]
        );
        let german = ["34.953,08", "1.250,50 EUR"].map(|written| truth(written, true));
        assert_eq!(german, ["34,953.1", "1250.5"]);
    }

    #[test]
    fn probabilities_are_never_rounded_to_certainty() {
        assert_eq!(
            [0.2, 1.0 / 6.0, 0.00001, 1.0].map(threshold),
            ["0.2", "0.1667", "0.00001", "1"]
        );
        assert_eq!(probability_percent(0.9996), "> 99.9 %");
        assert_eq!(probability_percent(0.0004), "< 0.1 %");
        assert_eq!(probability_percent(0.5), "50.0 %");
        // A computed probability of 1 was rounded, too.
        assert_eq!(probability_percent(1.0), "> 99.9 %");
    }
}
