//! Dates that name their month: `12 June 1998`, `Jun 12, 1998`, `12-Jun-1998`.

use super::date::MONTHS;

/// Separators between the parts of such a date.
const BETWEEN: [char; 5] = [' ', ',', '-', '.', '/'];

/// Year, month and day as they are written, the month as its number, and the text after them; `None` where no month is
/// named.
pub(super) fn read(text: &str) -> Option<([&str; 2], i64, &str)> {
    if !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (mut parts, mut rest) = ([""; 3], text);
    for part in &mut parts {
        rest = rest.trim_start_matches(BETWEEN);
        (*part, rest) = rest.split_at(rest.find(BETWEEN).unwrap_or(rest.len()));
    }
    let (year, month, day) = match parts {
        [year, name, day] if year.len() == 4 && month(name).is_some() => (year, month(name)?, day),
        [day, name, year] if month(name).is_some() => (year, month(name)?, day),
        [name, day, year] => (year, month(name)?, day),
    };
    let ordinals = ["st", "nd", "rd", "th"].iter();
    let day = ordinals.filter_map(|end| day.strip_suffix(end)).next().unwrap_or(day);
    Some(([year, day], month, rest.trim_start_matches([' ', ','])))
}

/// The number of a month by its English name or an abbreviation of at least three letters.
fn month(name: &str) -> Option<i64> {
    let is_meant = |month: &&str| {
        name.len() >= 3 && month.get(..name.len()).is_some_and(|m| m.eq_ignore_ascii_case(name))
    };
    let at = MONTHS.iter().position(is_meant)?;
    Some(at as i64 + 1)
}
