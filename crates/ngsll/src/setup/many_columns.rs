//! The choice of a table's columns to read, if there are too many for its rows.
//!
//! The cost of training grows with the columns, and of a thousand of them a few would seem to help by
//! chance. So only those are read that explain the target best by themselves, by the share of
//! its variance between groups of rows with about the same value, beyond that of as many random
//! groups.

use crate::dataset::{Column, Samples, Table, Values};
use crate::error::Result;
use crate::objective::Answers;
use rayon::prelude::*;

/// Bounds on the number of columns that are read; in between a tenth of the rows.
const COLUMNS: [usize; 2] = [100, 500];

/// The number of groups of rows for a numeric column.
const GROUPS: usize = 8;

/// The table with the columns that are read; `None` if all are.
pub(super) fn narrowed(
    samples: &Samples,
    answers: &Answers,
    rows: &[usize],
) -> Result<Option<Samples>> {
    let Some(table) = samples.as_table() else { return Ok(None) };
    let most = (rows.len() / 10).clamp(COLUMNS[0], COLUMNS[1]);
    if table.columns().len() <= most {
        return Ok(None);
    }
    let shares: Vec<f64> =
        table.columns().par_iter().map(|column| share(column, answers, rows)).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order.truncate(most);
    order.sort_unstable();
    let table = Table::new(order.into_iter().map(|c| table.columns()[c].clone()))?;
    Ok(Some(table.into()))
}

/// The share of the target's variance that a column's groups of rows explain, adjusted for their number.
fn share(column: &Column, answers: &Answers, rows: &[usize]) -> f64 {
    let groups = groups(column, rows);
    let count = groups.iter().copied().max().map_or(1, |last| last + 1);
    // The indicator of each class, or the number.
    let (mut within, mut total) = (0.0, 0.0);
    let mut add = |value: &dyn Fn(usize) -> f64| {
        let mut sums = vec![(0.0, 0.0); count];
        let (mut sum, mut squares) = (0.0, 0.0);
        for (&group, &row) in groups.iter().zip(rows) {
            let value = value(row);
            sums[group].0 += value;
            sums[group].1 += 1.0;
            sum += value;
            squares += value * value;
        }
        let between = sums.iter().filter(|(_, n)| *n > 0.0).map(|(sum, n)| sum * sum / n);
        within += squares - between.sum::<f64>();
        total += squares - sum * sum / rows.len() as f64;
    };
    match answers {
        Answers::Numbers(values) => {
            // Around one of the values, so that large numbers do not cancel.
            let first = values[rows[0]];
            add(&|row| values[row] - first);
        }
        Answers::Classes(names, classes) => {
            (0..names.len()).for_each(|c| add(&|row| f64::from(u8::from(classes[row] == c))));
        }
    }
    let free = (rows.len() as f64 - count as f64).max(1.0);
    let share = 1.0 - within / total * (rows.len() as f64 - 1.0) / free;
    if share.is_finite() { share } else { f64::NEG_INFINITY }
}

/// The group of each row: numbers by rank, levels by themselves, gaps apart.
fn groups(column: &Column, rows: &[usize]) -> Vec<usize> {
    match column.values() {
        Values::Categorical(categories) => {
            let gap = categories.levels().len();
            rows.iter().map(|&row| categories.id(row).unwrap_or(gap)).collect()
        }
        Values::Numeric(values) => {
            let mut order: Vec<usize> =
                (0..rows.len()).filter(|&i| !values[rows[i]].is_nan()).collect();
            order.sort_by(|&a, &b| values[rows[a]].total_cmp(&values[rows[b]]));
            let mut groups = vec![GROUPS; rows.len()];
            for (rank, &i) in order.iter().enumerate() {
                groups[i] = rank * GROUPS / order.len();
            }
            groups
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, normal, stream};

    #[test]
    fn columns_that_say_something_are_kept() {
        let n = 300;
        let mut rng = stream(1, Purpose::Sample, 0, 0);
        let numbers: Vec<Vec<f32>> = (0..150).map(|_| normal(&mut rng, n)).collect();
        // A bend, which no straight line fits, and a level.
        let target: Vec<f64> = (0..n)
            .map(|i| f64::from(numbers[70][i].powi(2)) + if i % 3 == 0 { 2.0 } else { 0.0 })
            .collect();
        let level = Column::categorical("level", (0..n).map(|i| Some(["a", "b", "b"][i % 3])));
        let mut columns: Vec<Column> = numbers
            .iter()
            .enumerate()
            .map(|(c, v)| {
                Column::numeric(format!("n{c}"), v.iter().map(|&v| f64::from(v))).unwrap()
            })
            .collect();
        columns.push(level);
        let samples: Samples = Table::new(columns).unwrap().into();
        let rows: Vec<usize> = (0..n).collect();
        let classes: Vec<usize> = target.iter().map(|t| usize::from(*t > 1.5)).collect();
        let names = ["low", "high"].map(String::from);
        for answers in [Answers::Numbers(target), Answers::Classes(names.into(), classes)] {
            let kept = narrowed(&samples, &answers, &rows).unwrap().expect("too many columns");
            let kept = kept.as_table().expect("it is a table");
            assert_eq!(kept.columns().len(), COLUMNS[0]);
            assert!(kept.column("n70").is_some() && kept.column("level").is_some());
        }
    }

    #[test]
    fn a_usual_table_stays_as_it_is() {
        let samples: Samples =
            Table::new([Column::numeric("a", [1.0, 2.0]).unwrap()]).unwrap().into();
        let answers = Answers::Numbers(vec![1.0, 2.0]);
        assert!(narrowed(&samples, &answers, &[0, 1]).unwrap().is_none());
    }
}
