//! Numbers as written by people and spreadsheets: `1,234.5`, `1.234,5`, `1 234,5`, `12 %`, `$1,200`.

use serde::{Deserialize, Serialize};

/// The character before a number's fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecimalMark {
    /// `1,234.5`
    #[default]
    Point,
    /// `1.234,5`
    Comma,
}

impl DecimalMark {
    /// Whether it is the point, which is the default.
    pub(crate) fn is_point(&self) -> bool {
        *self == Self::Point
    }
}

/// A number as a text represents it.
///
/// ```
/// use ngsll::dataset::{DecimalMark, WrittenNumber};
/// let price = WrittenNumber::read("1.200,50 €").unwrap();
/// assert_eq!((price.value(DecimalMark::Point), price.unit), (1200.5, Some('€')));
/// assert_eq!(price.mark, Some(DecimalMark::Comma));
/// // Nothing in it says what this is.
/// let either = WrittenNumber::read("1.234").unwrap();
/// assert_eq!((either.mark, either.is_ambiguous()), (None, true));
/// assert_eq!([DecimalMark::Point, DecimalMark::Comma].map(|mark| either.value(mark)), [1.234, 1234.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WrittenNumber {
    by_point: f64,
    by_comma: f64,
    /// The decimal mark of the text; `None` where it could be either, or has none.
    pub mark: Option<DecimalMark>,
    /// A percent or currency sign beside the number, which is not part of its value.
    pub unit: Option<char>,
    /// Whether it is the end of a range, as in `<0.5`.
    pub is_limit: bool,
}

/// Signs that may stand before or after a number.
const UNITS: [char; 9] = ['%', '$', '€', '£', '¥', '₹', '₩', '₽', '₺'];

/// Separators between groups of three digits besides a comma or a point.
const GAPS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '’'];

impl WrittenNumber {
    /// Reads a trimmed text; `None` if it is not a number.
    pub fn read(text: &str) -> Option<Self> {
        if let Ok(value) = text.parse() {
            return Some(Self::plain(text, value));
        }
        let (negative, unit, body) = without_signs(text)?;
        let (digits, exponent) = match body.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (body, 0),
        };
        let (by_point, by_comma, mark) = readings(digits)?;
        let number = |digits: String| -> Option<f64> {
            let value: f64 = format!("{digits}e{exponent}").parse().ok()?;
            Some(if negative { -value } else { value })
        };
        let by_point = number(by_point)?;
        let by_comma = by_comma.map_or(Some(by_point), number)?;
        Some(Self { by_point, by_comma, mark, unit, is_limit: false })
    }

    /// A number as programs write it; only `1.234` is ambiguous.
    fn plain(text: &str, value: f64) -> Self {
        let digits = text.trim_start_matches(['+', '-']);
        let comma = match digits.split_once('.') {
            Some((whole, group)) if is_first_group(whole) && is_group(group) => {
                format!("{whole}{group}").parse().ok()
            }
            _ => None,
        };
        let comma = comma.map(|number: f64| number.copysign(value));
        let mark = (comma.is_none() && digits.contains('.')).then_some(DecimalMark::Point);
        let by_comma = comma.unwrap_or(value);
        Self { by_point: value, by_comma, mark, unit: None, is_limit: false }
    }

    /// A number without an ambiguous mark.
    pub(super) fn exact(value: f64) -> Self {
        Self { by_point: value, by_comma: value, mark: None, unit: None, is_limit: false }
    }

    /// Its value, with this mark where the text itself is ambiguous.
    pub fn value(&self, mark: DecimalMark) -> f64 {
        match mark {
            DecimalMark::Point => self.by_point,
            DecimalMark::Comma => self.by_comma,
        }
    }

    /// Whether its value depends on the decimal mark.
    pub fn is_ambiguous(&self) -> bool {
        self.by_point.to_bits() != self.by_comma.to_bits()
    }
}

/// Whether a trimmed text is a whole number that would lose digits as a quantity: an identifier beyond 2⁵³, a
/// telephone number or a post code with leading zeros.
pub fn loses_digits(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let significant = digits.trim_start_matches('0');
    let has_zeros = significant.len() < digits.len() && !significant.is_empty();
    is_whole && (has_zeros || digits.parse::<u64>().map_or(true, |number| number > LARGEST_EXACT))
}

/// Whole numbers beyond this are not exact as `f64`; files hold them as identifiers, whose digits are kept.
pub const LARGEST_EXACT: u64 = 1 << 53;

/// Whether the number is negative, its unit, and the rest.
fn without_signs(text: &str) -> Option<(bool, Option<char>, &str)> {
    let (mut rest, mut negative, mut unit) = (text, None, None);
    loop {
        let mut chars = rest.chars();
        match chars.next()? {
            sign @ ('-' | '−' | '+') if negative.is_none() => negative = Some(sign != '+'),
            sign if UNITS.contains(&sign) && unit.is_none() => unit = Some(sign),
            gap if gap.is_whitespace() => {}
            _ => break,
        }
        rest = chars.as_str();
    }
    if let Some(before) = rest.strip_suffix(UNITS) {
        let sign = rest[before.len()..].chars().next();
        if unit.is_some() {
            return None;
        }
        (unit, rest) = (sign, before.trim_end());
    }
    Some((negative.unwrap_or(false), unit, rest))
}

/// The digits with a decimal point, those with a decimal comma if that gives another number, and the mark if
/// it is certain.
fn readings(text: &str) -> Option<(String, Option<String>, Option<DecimalMark>)> {
    use DecimalMark::{Comma, Point};
    let (commas, points) = (text.matches(',').count(), text.matches('.').count());
    let has_gap = text.contains(GAPS);
    let split = |mark: char| text.rsplit_once(mark);
    match (commas, points) {
        (0, 0) => Some((grouped(text, &GAPS)?, None, None)),
        (1, 0) | (0, 1) => {
            let (mark, of) = if commas == 1 { (Comma, ',') } else { (Point, '.') };
            let (whole, fraction) = split(of)?;
            let decimal = with_fraction(whole, fraction, &GAPS)?;
            if has_gap || !(is_first_group(whole) && is_group(fraction)) {
                return Some((decimal, None, Some(mark)));
            }
            let thousands = format!("{whole}{fraction}");
            Some(match mark {
                Comma => (thousands, Some(decimal), None),
                Point => (decimal, Some(thousands), None),
            })
        }
        // Several of one kind separate groups.
        (_, 0) => Some((grouped(text, &[','])?, None, Some(Point))),
        (0, _) => Some((grouped(text, &['.'])?, None, Some(Comma))),
        // Of two kinds the last is the decimal mark.
        _ => {
            let (mark, of, group) = match (text.rfind(','), text.rfind('.')) {
                (Some(comma), Some(point)) if comma > point => (Comma, ',', '.'),
                _ => (Point, '.', ','),
            };
            let (whole, fraction) = split(of)?;
            Some((with_fraction(whole, fraction, &[group])?, None, Some(mark)))
        }
    }
}

fn with_fraction(whole: &str, fraction: &str, separators: &[char]) -> Option<String> {
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let whole = if whole.is_empty() { "0".to_string() } else { grouped(whole, separators)? };
    digits.then(|| format!("{whole}.{fraction}"))
}

/// The digits without the separators of groups of three; one separator throughout.
fn grouped(text: &str, separators: &[char]) -> Option<String> {
    let Some(separator) = text.chars().find(|c| separators.contains(c)) else {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        return digits.then(|| text.to_string());
    };
    let mut groups = text.split(separator);
    let first = groups.next().filter(|first| is_first_group(first))?;
    let mut digits = first.to_string();
    for group in groups {
        digits += Some(group).filter(|group| is_group(group))?;
    }
    Some(digits)
}

/// Whether a text can precede a group of three digits: one to three, the first not 0.
fn is_first_group(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && (1..=3).contains(&text.len()) && !text.starts_with('0')
}

fn is_group(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::NumberCells;
    use crate::dataset::number_cells::by_comma;
    use DecimalMark::{Comma, Point};
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (text, value, mark, unit) in [
            ("12.5", 12.5, Some(Point), None),
            ("12,5", 12.5, Some(Comma), None),
            ("0,125", 0.125, Some(Comma), None),
            ("1234,567", 1234.567, Some(Comma), None),
            (",5", 0.5, Some(Comma), None),
            ("1,234.5", 1234.5, Some(Point), None),
            ("1.234,5", 1234.5, Some(Comma), None),
            ("1,234,567", 1_234_567.0, Some(Point), None),
            ("1.234.567", 1_234_567.0, Some(Comma), None),
            ("1 234,5", 1234.5, Some(Comma), None),
            ("1\u{a0}234", 1234.0, None, None),
            ("1'234.50", 1234.5, Some(Point), None),
            ("-1\u{202f}234,5", -1234.5, Some(Comma), None),
            ("−3", -3.0, None, None),
            ("12 %", 12.0, None, Some('%')),
            ("12,5%", 12.5, Some(Comma), Some('%')),
            ("$1,200.00", 1200.0, Some(Point), Some('$')),
            ("-$5", -5.0, None, Some('$')),
            ("$-5", -5.0, None, Some('$')),
            ("1.200,50 €", 1200.5, Some(Comma), Some('€')),
            ("1,23E+05", 123_000.0, Some(Comma), None),
            ("1e3", 1000.0, None, None),
            ("007", 7.0, None, None),
        ] {
            let found = WrittenNumber::read(text).unwrap_or_else(|| panic!("{text:?} is none"));
            assert_eq!((found.value(Point), found.mark, found.unit), (value, mark, unit), "{text}");
            assert!(!found.is_ambiguous(), "{text}");
        }
    }

    #[test]
    fn a_group_of_three_could_be_a_fraction() {
        for (text, by_point, by_comma) in [
            ("1.234", 1.234, 1234.0),
            ("-12.500", -12.5, -12500.0),
            ("1,234", 1234.0, 1.234),
            ("€ 999,000", 999_000.0, 999.0),
        ] {
            let found = WrittenNumber::read(text).unwrap();
            assert!(found.is_ambiguous() && found.mark.is_none(), "{text}");
            assert_eq!((found.value(Point), found.value(Comma)), (by_point, by_comma), "{text}");
            let mut cells = NumberCells::default();
            cells.push_missing();
            assert!(cells.push(&found));
            assert_eq!(cells.finish(Comma)[1], by_comma, "{text}");
        }
    }

    #[test]
    fn identifiers_lose_digits_as_numbers() {
        for text in ["01067", "-007", "9007199254740993", "1234567890123456789012345"] {
            assert!(loses_digits(text), "{text}");
        }
        for text in ["0", "000", "-0", "0.5", "00.5", "9007199254740992", "1e300", "12", "", "x"] {
            assert!(!loses_digits(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            "-",
            "%",
            "$",
            "1,2,3",
            "1.2.3",
            "12,34,567",
            "030 123 456",
            "1 23",
            "12 3456",
            "1,234,56",
            "$5 €",
            "5%%",
            "2024-01-31",
            "31.01.2024",
            "1,",
            "1.234,",
            "a1",
            "1a",
            "1 234 567'890",
            "12:30",
            "1,e5",
            "--5",
            "0 123",
        ] {
            assert_eq!(WrittenNumber::read(text), None, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Numbers as programs write them are read as Rust reads them, to the last bit.
        #[test]
        fn plain_numbers_keep_their_value(number: f64) {
            let text = number.to_string();
            let read = WrittenNumber::read(&text).unwrap().value(Point);
            prop_assert_eq!(read.to_bits(), text.parse::<f64>().unwrap().to_bits());
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC*") {
            WrittenNumber::read(&text);
        }

        #[test]
        fn groups_and_marks_do_not_change_the_number(whole in 0_u32..2_000_000_000, cents in 0_u32..100) {
            let digits = whole.to_string();
            let group = |separator: &str| {
                let mut text = String::new();
                for (i, digit) in digits.chars().enumerate() {
                    if i > 0 && (digits.len() - i).is_multiple_of(3) {
                        text += separator;
                    }
                    text.push(digit);
                }
                text
            };
            let expected: f64 = format!("{whole}.{cents:02}").parse().unwrap();
            let (whole, fraction) = (1 + whole % 999, whole % 1000);
            let either = WrittenNumber::read(&format!("{whole}.{fraction:03}")).unwrap();
            prop_assert_eq!(by_comma(either.value(Point)), either.value(Comma));
            let either = WrittenNumber::read(&format!("{whole},{fraction:03}")).unwrap();
            prop_assert_eq!(by_comma(either.value(Point)), either.value(Comma));
            for (separator, mark) in [(",", "."), (".", ","), (" ", ","), ("'", ".")] {
                let text = format!("{}{mark}{cents:02}", group(separator));
                prop_assert_eq!(WrittenNumber::read(&text).unwrap().value(Point), expected, "{}", text);
            }
        }
    }
}
