//! Numbers as a person reads them.

/// The most significant digits of a number.
const DIGITS: i32 = 6;

/// The most decimals of a number of at least 1.
const DECIMALS: i32 = 3;

/// From here on numbers have thousands separators: years have none.
const GROUPED: f64 = 10_000.0;

/// A count with thousands separators.
///
/// ```
/// assert_eq!(ngsll::readable::count(53_940), "53,940");
/// ```
pub fn count(n: usize) -> String {
    grouped(&n.to_string())
}

/// A number of things whose name has a regular plural.
///
/// ```
/// use ngsll::readable::count_of;
/// assert_eq!((count_of(1, "row"), count_of(2000, "row")), ("1 row".into(), "2,000 rows".into()));
/// ```
pub fn count_of(n: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// The name of a class beside figures: in quotation marks if it is a number itself.
///
/// ```
/// use ngsll::readable::class_name;
/// assert_eq!((class_name("1"), class_name("big")), ("“1”".into(), "big".into()));
/// ```
pub fn class_name(name: &str) -> String {
    if name.parse::<f64>().is_ok() { format!("“{name}”") } else { name.to_string() }
}

/// Digits with thousands separators.
pub fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with at most three decimals (below 1 with three significant ones), and with thousands separators from
/// 10,000 on.
///
/// ```
/// use ngsll::readable::number;
/// let numbers = [67536.958598, 101.8708, 2021.0, 0.00012345, -0.5, 1234567.8];
/// assert_eq!(numbers.map(number), ["67,537", "101.871", "2021", "0.000123", "−0.5", "1,234,568"]);
/// ```
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return value.abs().to_string();
    }
    if !(1e-9..1e15).contains(&size) {
        return format!("{value:.2e}").replace('-', "−");
    }
    let magnitude = size.log10().floor() as i32;
    let decimals = match magnitude {
        0.. => (DIGITS - 1 - magnitude).clamp(0, DECIMALS),
        _ => DECIMALS - 1 - magnitude,
    };
    let text = format!("{size:.*}", decimals as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = if size >= GROUPED { grouped(whole) } else { whole.to_string() };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{whole}{point}{fraction}", if value < 0.0 { "−" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_tell_their_size() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (7.0, "7"),
            (9999.5, "9999.5"),
            (10_000.0, "10,000"),
            (99_999.96, "100,000"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333"),
            (12.0 / 7.0, "1.714"),
            (1e18, "1.00e18"),
            (-1e-12, "−1.00e−12"),
        ] {
            assert_eq!(number(value), expected);
        }
        assert_eq!(
            (count(7), count(999), count(1_000_000)),
            ("7".into(), "999".into(), "1,000,000".into())
        );
    }
}
