//! Columns with another value in nearly every row.

use super::column_words::{names_a_quantity, names_an_id};
use crate::dataset::{Column, LARGEST_EXACT, Table, Values};
use rayon::prelude::*;
use std::collections::HashSet;

/// In fewer rows even a quantity often has every value once.
const ENOUGH_ROWS: usize = 20;

/// The share of distinct values in a column of ids; a few may occur twice.
const DISTINCT: f64 = 0.95;

/// The fewest equal pairs expected among whole numbers drawn at random for the lack of any to show that they were
/// assigned one by one: by chance that would happen once in a thousand tables.
const EXPECTED_PAIRS: f64 = 7.0;

/// The most equal values, as a share of those expected by chance.
const TOLERATED: f64 = 0.05;

/// A column that looks like ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdColumn {
    pub name: String,
    /// Its different values.
    pub distinct: usize,
    /// Its rows that hold a value.
    pub values: usize,
}

/// The columns of a table that look like ids, except those in `known`, about which the options decide.
pub(crate) fn id_columns(table: &Table, known: impl Fn(&str) -> bool + Sync) -> Vec<IdColumn> {
    let columns = table.columns().par_iter().filter(|column| !known(column.name()));
    columns.filter_map(id_column).collect()
}

fn id_column(column: &Column) -> Option<IdColumn> {
    let (distinct, values) = match column.values() {
        Values::Numeric(numbers) => numbered(column.name(), numbers)?,
        Values::Categorical(categories) => {
            let rows = (0..categories.len()).filter_map(|row| categories.id(row));
            let values = rows.clone().count();
            let distinct = rows.collect::<HashSet<_>>().len();
            (is_distinct(distinct, values)).then_some((distinct, values))?
        }
    };
    Some(IdColumn { name: column.name().to_string(), distinct, values })
}

fn is_distinct(distinct: usize, values: usize) -> bool {
    values >= ENOUGH_ROWS && distinct as f64 >= DISTINCT * values as f64
}

/// The numbers of distinct and of all values of whole numbers that look like ids.
fn numbered(name: &str, numbers: &[f64]) -> Option<(usize, usize)> {
    let mut sorted: Vec<f64> = numbers.iter().copied().filter(|v| !v.is_nan()).collect();
    if sorted.len() < ENOUGH_ROWS
        || sorted.iter().any(|v| v.fract() != 0.0 || v.abs() > LARGEST_EXACT as f64)
    {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let (values, smallest, largest) = (sorted.len(), sorted[0], sorted[sorted.len() - 1]);
    sorted.dedup();
    let distinct = sorted.len();
    let named = names_an_id(name) && is_distinct(distinct, values);
    // A quantity with as many values in so narrow a range would have some of them twice.
    let n = values as f64;
    let expected = n * (n - 1.0) / 2.0 / (largest - smallest + 1.0);
    let given_out = expected >= EXPECTED_PAIRS
        && ((values - distinct) as f64) < TOLERATED * expected
        && is_distinct(distinct, values)
        && !names_a_quantity(name)
        && !are_years(smallest, largest);
    (named || given_out).then_some((distinct, values))
}

/// Whether whole numbers from `smallest` to `largest` look like years.
pub(super) fn are_years(smallest: f64, largest: f64) -> bool {
    smallest >= 1500.0 && largest <= 2200.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, values: impl IntoIterator<Item = f64>) -> bool {
        id_column(&Column::numeric(name, values).unwrap()).is_some()
    }

    #[test]
    fn numbers_that_were_given_out_are_ids() {
        assert!(found("passenger", (1..=891).map(f64::from)));
        assert!(found("nr", (0..40).map(|i| f64::from(i * 7919 % 100_000))), "by its name");
        // In another order, with gaps, and one of them twice.
        let shuffled = (0..300).map(|i| f64::from(i * 7 % 300 * 3 + 5000));
        assert!(found("a", shuffled.clone().chain([5000.0])));
        assert!(found("a", shuffled.chain([f64::NAN; 50])));
    }

    #[test]
    fn quantities_are_no_ids() {
        assert!(!found("year", (1960..2020).map(f64::from)));
        assert!(!found("jahr", (1960..2020).map(f64::from)), "they look like years");
        assert!(!found("time", (0..500).map(f64::from)));
        assert!(!found("age", (0..500).map(|i| f64::from(i % 90))));
        assert!(!found("carat", (0..500).map(|i| 0.2 + f64::from(i) / 100.0)));
        assert!(!found("price", (0..500).map(|i| f64::from(326 + i * i % 18_000))));
        // So few in so wide a range would hardly coincide by chance.
        assert!(!found("inhabitants", (0..200).map(|i| f64::from(i * i * 37 + 1000))));
        assert!(!found("zip code", (0..500).map(|i| f64::from(8000 + i % 70))));
        assert!(!found("id", (0..500).map(|i| f64::from(i % 20))), "of 20 groups");
        assert!(!found("id", (0..10).map(f64::from)), "too few rows");
    }

    #[test]
    fn texts_are_ids_where_hardly_one_is_there_twice() {
        let column = |distinct: usize| {
            let levels = (0..100).map(|i| Some(format!("name {}", i % distinct)));
            id_column(&Column::categorical("name", levels))
        };
        assert_eq!(column(97).map(|id| (id.distinct, id.values)), Some((97, 100)));
        assert_eq!(column(60), None);
        let user_said = id_columns(
            &Table::new([Column::numeric("id", (0..50).map(f64::from)).unwrap()]).unwrap(),
            |name| name == "id",
        );
        assert_eq!(user_said, []);
    }
}
