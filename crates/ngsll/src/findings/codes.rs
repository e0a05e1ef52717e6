//! Whole numbers that look like codes of categories.

use super::column_words::{names_a_code, names_a_quantity};
use super::ids::are_years;
use crate::dataset::{Column, Values};
use crate::objective::Targets;
use std::collections::BTreeMap;

/// The fewest different values of a column judged by their relation to the target.
const FEWEST: usize = 3;
const MOST: usize = 30;

/// The most different values of a column judged by its name.
const MOST_CODES: usize = 10_000;

/// The fewest rows that show the effect of each value.
const ENOUGH_ROWS: usize = 100;

/// The share of the target's variance that the single values must explain to matter at all.
const WORTHWHILE: f64 = 0.02;

/// The share of the variance explained by single values above which a straight line explains enough.
const STRAIGHT: f64 = 0.5;

/// Whether a column of whole numbers looks like codes, by its name, or because in these rows its single values
/// say much about the target and their order says little.
pub(crate) fn is_code(column: &Column, targets: &Targets, rows: &[usize]) -> bool {
    let Values::Numeric(numbers) = column.values() else { return false };
    let mut groups: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for &row in rows.iter().filter(|&&row| !numbers[row].is_nan()) {
        if numbers[row].fract() != 0.0 || numbers[row].abs() > 1e12 {
            return false;
        }
        groups.entry(numbers[row] as i64).or_default().push(row);
        if groups.len() > MOST_CODES {
            return false;
        }
    }
    let present: usize = groups.values().map(Vec::len).sum();
    let ends = groups.keys().next().zip(groups.keys().next_back());
    let Some((&smallest, &largest)) = ends else { return false };
    let years = are_years(smallest as f64, largest as f64);
    if groups.len() < FEWEST || years || names_a_quantity(column.name()) {
        return false;
    }
    if names_a_code(column.name()) {
        return true;
    }
    if groups.len() > MOST || present < ENOUGH_ROWS {
        return false;
    }
    let (by_value, by_line) = shares(&groups, present, targets);
    by_value >= WORTHWHILE && by_line < STRAIGHT * by_value
}

/// The shares of the target's variance that the groups and a straight line explain, each adjusted for what chance
/// would explain.
fn shares(groups: &BTreeMap<i64, Vec<usize>>, n: usize, targets: &Targets) -> (f64, f64) {
    let (count, n) = (groups.len() as f64, n as f64);
    let mean_x = groups.iter().map(|(x, rows)| *x as f64 * rows.len() as f64).sum::<f64>() / n;
    let (mut total, mut within, mut explained) = (0.0, 0.0, 0.0);
    // The number, or the indicator of each class.
    let mut add = |answer: &dyn Fn(usize) -> f64| {
        let all = || groups.values().flatten().map(|&row| answer(row));
        let mean = all().sum::<f64>() / n;
        total += all().map(|y| (y - mean).powi(2)).sum::<f64>();
        let (mut products, mut squares) = (0.0, 0.0);
        for (x, rows) in groups {
            let own = rows.iter().map(|&row| answer(row));
            let (k, x) = (rows.len() as f64, *x as f64 - mean_x);
            let group_mean = own.clone().sum::<f64>() / k;
            within += own.map(|y| (y - group_mean).powi(2)).sum::<f64>();
            products += k * x * (group_mean - mean);
            squares += k * x * x;
        }
        explained += products * products / squares;
    };
    match targets {
        Targets::Values(values) => add(&|row| f64::from(values[row])),
        Targets::Classes(classes) => {
            let last = groups.values().flatten().map(|&row| classes[row]).max().unwrap_or(0);
            (0..=last).for_each(|class| add(&|row| f64::from(u8::from(classes[row] == class))));
        }
    }
    if total == 0.0 {
        return (0.0, 0.0);
    }
    let adjusted = |left: f64, used: f64| 1.0 - left / total * (n - 1.0) / (n - used).max(1.0);
    (adjusted(within, count), adjusted(total - explained, 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 rows of a column, and a target that is made from it.
    fn code(name: &str, value: impl Fn(usize) -> f64, target: impl Fn(f64) -> f32) -> bool {
        let rows: Vec<usize> = (0..300).collect();
        let values: Vec<f64> = rows.iter().map(|&row| value(row)).collect();
        // The part that the column does not explain.
        let noise = |row: usize| (row * 7919 % 101) as f32 / 101.0 - 0.5;
        let targets = rows.iter().map(|&row| target(values[row]) + noise(row)).collect();
        let column = Column::numeric(name, values).unwrap();
        is_code(&column, &Targets::Values(targets), &rows)
    }

    #[test]
    fn single_values_that_say_more_than_their_order_are_codes() {
        let effect = |v: f64| [0.3, -0.6, 0.5, -0.4, 0.6][v as usize % 5];
        assert!(code("area7", |row| (row * 13 % 5) as f64, effect));
        assert!(!code("rooms", |row| (row * 13 % 5) as f64, |v| v as f32 / 3.0), "the more");
        assert!(!code("noise", |row| (row * 13 % 5) as f64, |_| 0.0), "nothing to say");
        assert!(!code("flag", |row| (row % 2) as f64, effect), "two values have one order");
        assert!(!code("half", |row| (row * 13 % 5) as f64 / 2.0, effect), "no whole numbers");
        let classes: Vec<usize> = (0..300).map(|row| usize::from(row * 13 % 5 % 2 == 0)).collect();
        let column = Column::numeric("a", (0..300).map(|row| (row * 13 % 5) as f64)).unwrap();
        let rows: Vec<usize> = (0..300).collect();
        assert!(is_code(&column, &Targets::Classes(classes), &rows));
    }

    #[test]
    fn names_speak_for_codes_and_for_quantities() {
        assert!(code("zip code", |row| (8000 + row % 70) as f64, |_| 0.0));
        assert!(code("zip", |row| (8000 + row * 37) as f64, |_| 0.0), "each once");
        assert!(code("store_id", |row| (row % 45) as f64, |_| 0.0));
        let effect = |v: f64| [0.3, -0.6, 0.5][v as usize % 3];
        assert!(!code("year", |row| (2007 + row % 3) as f64, effect));
        assert!(!code("season", |row| (2007 + row % 3) as f64, effect), "they look like years");
        assert!(!code("age", |row| (20 + row % 25) as f64, effect));
    }
}
