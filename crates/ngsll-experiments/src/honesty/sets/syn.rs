//! The six synthetic tables of L2X (Chen et al. 2018) and INVASE (Yoon et al. 2019): which columns decide
//! the label of a row is known.

use super::Planted;
use super::planted::{Reason, rng};
use ngsll::Dataset;
use ngsll::dataset::{Column, Table};
use ngsll::error::Result;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// The number of columns: the last three tables have a switch in the eleventh.
fn columns(table: u8) -> usize {
    if table <= 3 { 10 } else { 11 }
}

/// Columns of one rule, counted from 1.
fn rule_columns(rule: u8) -> &'static [usize] {
    match rule {
        1 => &[1, 2],
        2 => &[3, 4, 5, 6],
        _ => &[7, 8, 9, 10],
    }
}

/// The rule that decides a row: with a switch, one below 0 and one from 0 on.
fn rule(table: u8, x: &[f64]) -> u8 {
    let by_switch = |below, above| if x[10] < 0.0 { below } else { above };
    match table {
        4 => by_switch(1, 2),
        5 => by_switch(1, 3),
        6 => by_switch(2, 3),
        table => table,
    }
}

/// The columns that decide a row, counted from 1; a switch is one of them.
pub(super) fn relevant(table: u8, x: &[f64]) -> Vec<usize> {
    let mut columns = rule_columns(rule(table, x)).to_vec();
    if table > 3 {
        columns.push(11);
    }
    columns
}

/// The distinct numbers of columns that decide a row.
pub(super) fn ks(table: u8) -> Vec<usize> {
    match table {
        1 => vec![2],
        2 | 3 => vec![4],
        4 | 5 => vec![3, 5],
        _ => vec![5],
    }
}

/// P(y = 1) of a row.
pub(super) fn probability(table: u8, x: &[f64]) -> f64 {
    let x = |i: usize| x[i - 1];
    let row: Vec<f64> = (1..=columns(table)).map(x).collect();
    let logit = match rule(table, &row) {
        1 => (x(1) * x(2)).exp(),
        2 => ((3..=6).map(|i| x(i).powi(2)).sum::<f64>() - 4.0).exp(),
        _ => {
            let sum = -10.0 * (2.0 * x(7)).sin() + 2.0 * x(8).abs() + x(9) + (-x(10)).exp();
            (sum - 2.4).exp()
        }
    };
    1.0 / (1.0 + logit)
}

/// Draws a table: X ~ N(0, I), y by its probability.
pub(super) fn draw(table: u8, rows: usize, seed: u64, part: u64) -> Result<Planted> {
    let mut rng = rng(seed, part);
    let d = columns(table);
    let mut values = vec![Vec::with_capacity(rows); d];
    let (mut labels, mut reasons) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let x: Vec<f64> = (0..d).map(|_| StandardNormal.sample(&mut rng)).collect();
        labels.push(if rng.random::<f64>() < probability(table, &x) { "yes" } else { "no" });
        let names = relevant(table, &x).into_iter().map(name).collect();
        reasons.push(Reason::Features(names));
        x.into_iter().zip(&mut values).for_each(|(x, column)| column.push(x));
    }
    let columns =
        values.into_iter().enumerate().map(|(i, values)| Column::numeric(name(i + 1), values));
    let table = Table::new(columns.collect::<Result<Vec<_>>>()?)?;
    Ok(Planted { data: Dataset::table(table, labels)?, reasons })
}

fn name(column: usize) -> String {
    format!("x{column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of zeros except for the given columns, counted from 1.
    fn row(set: &[(usize, f64)]) -> Vec<f64> {
        let mut x = vec![0.0; 11];
        set.iter().for_each(|&(i, value)| x[i - 1] = value);
        x
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn probabilities_are_those_of_the_papers() {
        near(probability(1, &row(&[])[..10]), 0.5);
        near(probability(1, &row(&[(1, 2.0), (2, -1.0)])[..10]), 1.0 / (1.0 + (-2.0_f64).exp()));
        near(probability(2, &row(&[])[..10]), 1.0 / (1.0 + (-4.0_f64).exp()));
        near(probability(2, &row(&[(3, 1.0), (4, 1.0), (5, -1.0), (6, 1.0)])[..10]), 0.5);
        // −10 sin 0 + 0 + 0 + exp(0) − 2.4 = −1.4
        near(probability(3, &row(&[])[..10]), 1.0 / (1.0 + (-1.4_f64).exp()));
        // −10 sin(2 · 0.5) + 2 · 1 + 0.3 + 1 − 2.4
        let sum: f64 = -10.0 * 1.0_f64.sin() + 2.0 + 0.3 + 1.0 - 2.4;
        let x = row(&[(7, 0.5), (8, -1.0), (9, 0.3)]);
        near(probability(3, &x[..10]), 1.0 / (1.0 + sum.exp()));
    }

    #[test]
    fn the_eleventh_column_switches_between_two_rules() {
        let (below, above) = (row(&[(11, -0.1), (3, 2.0)]), row(&[(11, 0.0), (3, 2.0)]));
        near(probability(4, &below), 0.5);
        near(probability(4, &above), 0.5);
        let above = row(&[(11, 0.1)]);
        near(probability(4, &above), 1.0 / (1.0 + (-4.0_f64).exp()));
        near(probability(5, &above), 1.0 / (1.0 + (-1.4_f64).exp()));
        near(probability(6, &below), 0.5);
        assert_eq!(relevant(4, &below), [1, 2, 11]);
        assert_eq!(relevant(4, &above), [3, 4, 5, 6, 11]);
        assert_eq!(relevant(5, &above), [7, 8, 9, 10, 11]);
        assert_eq!(relevant(6, &below), [3, 4, 5, 6, 11]);
        assert_eq!(relevant(2, &below[..10]), [3, 4, 5, 6]);
    }

    #[test]
    fn a_table_is_drawn_from_its_seed_and_part() {
        let draw = |seed, part| draw(5, 400, seed, part).unwrap();
        assert_eq!(draw(1, 0).data, draw(1, 0).data);
        assert_ne!(draw(1, 0).data, draw(1, 1).data);
        assert_ne!(draw(1, 0).data, draw(2, 0).data);
        let Planted { data, reasons } = draw(1, 0);
        let yes = (0..400).filter(|&row| data.label(row) == Some("yes")).count();
        assert!((100..300).contains(&yes), "{yes}");
        let sizes: Vec<usize> = reasons
            .iter()
            .map(|reason| match reason {
                Reason::Features(names) => names.len(),
                Reason::Pixels(_) => 0,
            })
            .collect();
        assert!(sizes.iter().all(|n| ks(5).contains(n)));
        assert!(ks(5).iter().all(|k| sizes.contains(k)));
    }
}
