//! Words beside numbers: `1034.12 EUR`, `CHF 72.10`, `103 kg`.

use super::WrittenNumber;
use std::collections::HashMap;

/// The share of the cells, in percent, that must have the same word beside their number for it to be the unit.
const NEARLY_ALL: usize = 95;

/// The longest unit, in characters.
const LONGEST: usize = 16;

/// Units that stand before a number. Any other word there makes it a name, as in `Store 12`.
const BEFORE: [&str; 40] = [
    "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EUR", "Fr.",
    "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PHP",
    "PLN", "RMB", "RON", "Rs", "Rs.", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "UAH", "USD",
    "ZAR",
];

/// The word beside nearly all numbers of a column, in its most frequent spelling; `cells` are the distinct texts, each
/// with the number of its cells. Texts without a digit do not count.
pub(super) fn common_unit<'a>(cells: impl Iterator<Item = (&'a str, usize)>) -> Option<String> {
    let (mut all, mut with_unit) = (0, HashMap::<&str, usize>::new());
    for (text, count) in cells.filter(|(text, _)| text.bytes().any(|byte| byte.is_ascii_digit())) {
        all += count;
        if let Some(unit) = unit_of(text) {
            *with_unit.entry(unit).or_default() += count;
        }
    }
    let (&unit, _) = with_unit.iter().max_by_key(|(unit, count)| (**count, **unit))?;
    let same = with_unit.iter().filter(|(other, _)| other.eq_ignore_ascii_case(unit));
    let same: usize = same.map(|(_, count)| count).sum();
    (100 * same >= NEARLY_ALL * all).then(|| unit.to_string())
}

/// The text without this unit, before or after it.
pub(super) fn without_unit<'a>(text: &'a str, unit: &str) -> Option<&'a str> {
    let end = text.len().checked_sub(unit.len())?;
    let is_unit = |part: Option<&str>| part.is_some_and(|part| part.eq_ignore_ascii_case(unit));
    if is_unit(text.get(end..)) {
        return text.get(..end).map(str::trim_end);
    }
    is_unit(text.get(..unit.len())).then(|| text[unit.len()..].trim_start())
}

/// The word beside the number in a text.
fn unit_of(text: &str) -> Option<&str> {
    let unit = match text.chars().next()? {
        first if first.is_alphabetic() => {
            let end = text.find(|c: char| c.is_ascii_digit() || c == '-' || c.is_whitespace())?;
            BEFORE
                .iter()
                .any(|word| word.eq_ignore_ascii_case(&text[..end]))
                .then(|| &text[..end])?
        }
        _ => {
            let start = text.find(|c: char| c.is_alphabetic() || c == '°')?;
            Some(&text[start..]).filter(|unit| is_word(unit))?
        }
    };
    without_unit(text, unit).and_then(WrittenNumber::read).map(|_| unit)
}

/// Whether a text can be a unit: `kg`, `m²`, `m2`, `km/h`, `sq ft`.
fn is_word(text: &str) -> bool {
    let power = text.strip_suffix(['2', '3']).filter(|base| base.ends_with(char::is_alphabetic));
    let has_digits = power.unwrap_or(text).bytes().any(|byte| byte.is_ascii_digit());
    !has_digits && text.chars().count() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(cells: &[(&str, usize)]) -> Option<String> {
        common_unit(cells.iter().copied())
    }

    #[test]
    fn a_word_beside_nearly_all_numbers_is_their_unit() {
        for (cells, expected) in [
            (vec![("1034.12 EUR", 1), ("7'177.73 eur", 1), ("1,200 EUR", 3)], "EUR"),
            (vec![("CHF 72.10", 1), ("CHF -5", 1)], "CHF"),
            (vec![("103 kg", 95), ("99", 5), ("unknown", 80)], "kg"),
            (vec![("5 m²", 1), ("12m²", 1)], "m²"),
            (vec![("5 m2", 1), ("12 m2", 1)], "m2"),
            (vec![("-3.5 °C", 1), ("20 °C", 1)], "°C"),
            (vec![("120 sq ft", 1)], "sq ft"),
        ] {
            assert_eq!(unit(&cells).as_deref(), Some(expected), "{cells:?}");
        }
        for cells in [
            vec![("103 kg", 90), ("99", 10)],
            vec![("103 kg", 50), ("99 lb", 50)],
            vec![("Store 12", 1), ("Store 13", 1)],
            vec![("Q1", 1), ("Q2", 1)],
            vec![("2023Q1", 1), ("2023Q2", 1)],
            vec![("25-34", 1)],
            vec![("12", 1), ("€ 5", 1)],
            vec![("1 room", 1), ("2 rooms", 1)],
            vec![("s-01", 1)],
            vec![("1e5", 1)],
            vec![("kg", 1)],
            vec![],
        ] {
            assert_eq!(unit(&cells), None, "{cells:?}");
        }
    }

    #[test]
    fn the_unit_is_taken_away_on_either_side() {
        assert_eq!(without_unit("12 kg", "KG"), Some("12"));
        assert_eq!(without_unit("EUR 12", "EUR"), Some("12"));
        assert_eq!(without_unit("12 lb", "kg"), None);
        assert_eq!(without_unit("é", "m²x"), None);
        assert_eq!(without_unit("ß5", "°"), None);
    }
}
