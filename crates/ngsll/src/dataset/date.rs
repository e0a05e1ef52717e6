//! Dates and times: how they are written, and the columns that a column of them becomes.
//!
//! A timestamp is the number of seconds since 1970-01-01 00:00, without a time zone: 12:00 is noon wherever it was
//! written. Years are those of the Gregorian calendar.
//!
//! Hand-written because jiff and chrono read a date by a given format, while files may use any of a dozen, with the
//! day or the month first. Only the two functions from a day's number to its date and back would be left for a
//! library.

use super::{CellForm, Column, month_name};
use crate::error::Result;
use serde::{Deserialize, Serialize};

const DAY: f64 = 86_400.0;

/// 2020-01-01, from which days are counted, in days since 1970-01-01.
const REFERENCE: i64 = 18_262;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The first is the weekday of 1970-01-01.
const WEEKDAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// A part of a date that becomes a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DatePart {
    /// A number.
    Year,
    /// Its name.
    Month,
    /// Its name.
    Weekday,
    /// From 0 to 23.
    Hour,
    /// Days since 2020-01-01, with the time as a fraction: determines the date completely.
    #[default]
    Days,
}

impl DatePart {
    /// Every part.
    pub const ALL: [Self; 5] = [Self::Year, Self::Month, Self::Weekday, Self::Hour, Self::Days];

    /// Its name in the name of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Days => "days since 2020-01-01",
        }
    }
}

/// The origin of a column derived from a column of dates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DateForm {
    /// The column of dates.
    pub column: String,
    /// The part of the date that this column holds.
    pub part: DatePart,
    /// Whether 01/02/2024 is 2 January.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub month_first: bool,
    /// Whether the dates have a time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hours: bool,
}

impl DateForm {
    /// The written form of dates, for [`date_columns`].
    pub fn new(month_first: bool, hours: bool) -> Self {
        Self { month_first, hours, ..Self::default() }
    }
}

/// A date as it is written.
///
/// ```
/// use ngsll::dataset::{WrittenDate, timestamp_text};
/// let iso = WrittenDate::read("2024-01-31T12:30").unwrap();
/// assert_eq!(iso.day_first.map(timestamp_text).as_deref(), Some("2024-01-31T12:30"));
/// let either = WrittenDate::read("01/02/2024").unwrap();
/// assert_eq!(either.day_first.map(timestamp_text).as_deref(), Some("2024-02-01"));
/// assert_eq!(either.month_first.map(timestamp_text).as_deref(), Some("2024-01-02"));
/// assert_eq!(WrittenDate::read("31/01/2024").unwrap().month_first, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WrittenDate {
    /// The timestamp, with the day before the month where the order is ambiguous; `None` if it cannot be.
    pub day_first: Option<f64>,
    /// The timestamp, with the month before the day where the order is ambiguous; `None` if it cannot be.
    pub month_first: Option<f64>,
}

impl WrittenDate {
    /// Reads a trimmed text: `2024-01-31`, `2024/01/31`, `31.01.2024`, `31/01/2024`, `01/31/2024`, `31 Jan 2024`,
    /// `January 31, 2024`, each also with a time after a space or a T. `None` if it is not a date.
    pub fn read(text: &str) -> Option<Self> {
        if let Some(([year, day], month, time)) = month_name::read(text) {
            let days = days_since_1970(number(year, 4..=4)?, month, number(day, 1..=2)?)?;
            let time = if time.is_empty() { 0.0 } else { seconds(time)? };
            let timestamp = Some(days as f64 * DAY + time);
            return Some(Self { day_first: timestamp, month_first: timestamp });
        }
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, seconds(time.trim_start())?),
            None => (text, 0.0),
        };
        let separator = date.chars().find(|c| matches!(c, '-' | '.' | '/'))?;
        let mut parts = date.split(separator);
        let (Some(a), Some(b), Some(c), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let timestamp = |year: &str, month: &str, day: &str| {
            let days =
                days_since_1970(number(year, 4..=4)?, number(month, 1..=2)?, number(day, 1..=2)?)?;
            Some(days as f64 * DAY + time)
        };
        let (day_first, month_first) = match (a.len(), separator) {
            (4, '-' | '/') => (timestamp(a, b, c), timestamp(a, b, c)),
            (4, _) => return None,
            (_, '.') => (timestamp(c, b, a), timestamp(c, b, a)),
            _ => (timestamp(c, b, a), timestamp(c, a, b)),
        };
        (day_first.is_some() || month_first.is_some()).then_some(Self { day_first, month_first })
    }

    /// The timestamp, with the month before the day where the order is ambiguous and `month_first` is set.
    pub fn timestamp(&self, month_first: bool) -> Option<f64> {
        if month_first { self.month_first } else { self.day_first }
    }
}

/// A number with that many digits.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let plain = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Seconds since midnight of `12:30`, `12:30:15.5` or `1:30 PM`; a time zone after it is ignored.
fn seconds(text: &str) -> Option<f64> {
    let upper = text.to_ascii_uppercase();
    let (time, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(time), _) => (time.trim_end(), Some(0)),
        (_, Some(time)) => (time.trim_end(), Some(12)),
        _ => (without_zone(&upper)?, None),
    };
    let mut parts = time.split(':');
    let (hour, minute) = (number(parts.next()?, 1..=2)?, number(parts.next()?, 2..=2)?);
    let second = parts.next().map_or(Some(0.0), |second| {
        let (whole, fraction) = second.split_once(['.', ',']).unwrap_or((second, "0"));
        let whole = number(whole, 2..=2)?;
        format!("{whole}.{}", number(fraction, 1..=9).map(|_| fraction)?).parse::<f64>().ok()
    })?;
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60.0;
    valid.then_some((hour * 3600 + minute * 60) as f64 + second)
}

/// Seconds of a time of the day, or of a duration of any number of hours: `4:28`, `27:15:00`.
pub(super) fn clock_seconds(text: &str) -> Option<f64> {
    let (hours, rest) = text.split_once(':')?;
    // Minutes and seconds are those of the first hour of a day.
    let longer = || Some(number(hours, 2..=5)? as f64 * 3600.0 + seconds(&format!("0:{rest}"))?);
    seconds(text).or_else(longer)
}

/// A time without `Z`, `+02:00` or `-0530`.
fn without_zone(time: &str) -> Option<&str> {
    if let Some(time) = time.strip_suffix('Z') {
        return Some(time);
    }
    let Some((time, zone)) = time.split_once(['+', '-']) else { return Some(time) };
    let digits = zone.replacen(':', "", 1);
    number(&digits, 2..=4).map(|_| time)
}

/// The number of a day; `None` if there is no such day.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1000 || !(1..=longest).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the leap day is the last; days by H. Hinnant's "chrono-compatible low-level
    // date algorithms".
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468,
    )
}

/// Year, month and day by the number of a day.
fn civil(days: i64) -> [i64; 3] {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let (day, month, late) = (day_of_year - (153 * month + 2) / 5 + 1, month + 3, month > 9);
    let year = year_of_era + 400 * era + i64::from(late);
    [year, if late { month - 12 } else { month }, day]
}

/// A timestamp in ISO 8601: the date, and the time unless it is midnight.
pub fn timestamp_text(timestamp: f64) -> String {
    let seconds = timestamp.round() as i64;
    let [year, month, day] = civil(seconds.div_euclid(86_400));
    let time = seconds.rem_euclid(86_400);
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (time / 3600, time / 60 % 60, time % 60) {
        (0, 0, 0) => date,
        (hour, minute, 0) => format!("{date}T{hour:02}:{minute:02}"),
        (hour, minute, second) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
    }
}

/// The timestamp of the given number of days since 2020-01-01.
pub fn timestamp_of_days(days: f64) -> f64 {
    ((days + REFERENCE as f64) * DAY).round()
}

/// The columns that a column of timestamps (NaN where missing) becomes: year, month, weekday and days since 2020-01-01
/// and, where the dates have a time, the hour.
pub fn date_columns(name: &str, timestamps: &[f64], form: &DateForm) -> Result<Vec<Column>> {
    let numeric = |part: DatePart, value: &dyn Fn(f64) -> f64| {
        let values = timestamps.iter().map(|&m| if m.is_nan() { m } else { value(m) });
        Column::numeric(part_name(name, part), values)
    };
    let named = |part: DatePart, value: &dyn Fn(f64) -> &'static str| {
        let values = timestamps.iter().map(|&m| (!m.is_nan()).then(|| value(m)));
        Column::categorical(part_name(name, part), values)
    };
    let day = |timestamp: f64| (timestamp / DAY).floor() as i64;
    let parts = DatePart::ALL.into_iter().filter(|part| form.hours || *part != DatePart::Hour);
    parts
        .map(|part| {
            let column = match part {
                DatePart::Year => numeric(part, &|m| civil(day(m))[0] as f64)?,
                DatePart::Month => named(part, &|m| MONTHS[(civil(day(m))[1] - 1) as usize]),
                DatePart::Weekday => named(part, &|m| WEEKDAYS[day(m).rem_euclid(7) as usize]),
                DatePart::Hour => numeric(part, &|m| (m.rem_euclid(DAY) / 3600.0).floor())?,
                DatePart::Days => numeric(part, &|m| m / DAY - REFERENCE as f64)?,
            };
            let date = Some(DateForm { column: name.to_string(), part, ..form.clone() });
            Ok(column.with_form(CellForm { date, ..CellForm::default() }))
        })
        .collect()
}

/// The name of a part of a column of dates.
fn part_name(column: &str, part: DatePart) -> String {
    format!("{column}: {}", part.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn timestamp(text: &str) -> f64 {
        WrittenDate::read(text).unwrap_or_else(|| panic!("{text}")).day_first.unwrap()
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        // date -u -d '2024-02-29 12:30:15' +%s
        let noon = 1_709_209_815.0;
        for text in [
            "2024-02-29T12:30:15",
            "2024-02-29 12:30:15",
            "2024-02-29T12:30:15Z",
            "2024-02-29T12:30:15.000+01:00",
            "29.02.2024 12:30:15",
            "29.2.2024 12:30:15",
            "29/02/2024 12:30:15 PM",
            "2024/02/29 12:30:15",
            "29-02-2024 12:30:15",
            "29 Feb 2024 12:30:15",
            "29-feb-2024 12:30:15 PM",
            "Feb 29 2024 12:30:15",
            "February 29th, 2024, 12:30:15",
            "2024-Feb-29 12:30:15",
        ] {
            assert_eq!(timestamp(text), noon, "{text}");
        }
        assert_eq!(timestamp("1970-01-01"), 0.0);
        assert_eq!(timestamp("1969-12-31 1:00 PM"), -11.0 * 3600.0);
        assert_eq!(timestamp("2020-01-01"), REFERENCE as f64 * DAY);
        for text in [
            "",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "31.04.2024",
            "1.2.3",
            "2024-1-1-1",
            "192.168.1.1",
            "12:30",
            "2024-01-01 25:00",
            "2024-01-01 12",
            "2024.01.01",
            "99/99/2024",
            "0000-00-00",
            "1/2/24",
            "2024-01-01x",
            "2024-01-01 13:00 PM",
            "a/b/2024",
            "-1/2/2024",
            "May",
            "May 2024",
            "May 32 2024",
            "May 12 24",
            "Mayo 12 2024",
            "12 Ju 2024",
            "12 June 2024 noon",
            "June 12 2024 July",
        ] {
            assert_eq!(WrittenDate::read(text), None, "{text}");
        }
    }

    #[test]
    fn times_and_durations_are_seconds() {
        for (text, expected) in [
            ("04:28:48", Some(16_128.0)),
            ("0:30", Some(1_800.0)),
            ("1:30 PM", Some(48_600.0)),
            ("27:15:00.5", Some(98_100.5)),
            ("120:00", Some(432_000.0)),
            ("4:75", None),
            ("12", None),
            ("1:2:3", None),
            ("30:15 PM", None),
            ("2024-01-01 12:00", None),
        ] {
            assert_eq!(clock_seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_column_of_dates_becomes_its_parts() {
        let timestamps = [timestamp("2024-03-05 14:30"), f64::NAN, timestamp("2019-12-31")];
        let columns = date_columns("sold", &timestamps, &DateForm::new(false, true)).unwrap();
        let found: Vec<String> = columns
            .iter()
            .map(|c| format!("{} = {}, {}", c.name(), c.text(0).unwrap(), c.text(2).unwrap()))
            .collect();
        let expected = [
            "sold: year = 2024, 2019",
            "sold: month = March, December",
            "sold: weekday = Tuesday, Tuesday",
            "sold: hour = 14, 0",
            "sold: days since 2020-01-01 = 1525.6041666666679, -1",
        ];
        assert_eq!(found, expected);
        assert!(columns.iter().all(|column| column.text(1).is_none()));
        assert_eq!(timestamp_text(timestamp_of_days(1_525.604_166_666_667_9)), "2024-03-05T14:30");
        assert_eq!(date_columns("sold", &timestamps, &DateForm::default()).unwrap().len(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_timestamp_comes_back_from_its_text(seconds in -30_000_000_000_i64..250_000_000_000) {
            prop_assert_eq!(timestamp(&timestamp_text(seconds as f64)), seconds as f64);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC*") {
            WrittenDate::read(&text);
        }
    }
}
