//! Numbers as a person reads them.

use super::super::sum::{Number, decimals_of};

/// A count with its thousands parted: `53,940`.
pub(super) fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// Digits with their thousands parted.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent: `87.4 %`, never parted.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

/// A value with as many decimals as its size asks for.
pub(super) fn value(value: f64) -> String {
    Number::new(value, decimals_of([value].into_iter())).to_string()
}

/// A number with `decimals` decimals, thousands parted and a real minus.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
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
pub(super) fn signed(values: &[f64]) -> Vec<String> {
    let decimals = decimals_of(values.iter().copied());
    values.iter().map(|&v| Number::new(v, decimals).signed()).collect()
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
    }
}
