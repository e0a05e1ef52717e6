//! The row of a table that is nearest to all others.

use crate::dataset::{Column, Table, Values};

/// The medoid of the given rows: the one with the smallest sum of distances to all of them, the first of several. The
/// distance of two rows is summed over the columns: that of two numbers is their difference in units of the mean
/// difference of the column, that of two levels is 1, and so is that of a missing value from any other.
///
/// As it is a sum over columns, each is added by itself, in the time that sorting takes.
///
/// ```
/// use ngsll::dataset::{Column, Table};
/// use ngsll::examples::medoid;
/// let age = Column::numeric("age", [20.0, 41.0, 40.0, 90.0])?;
/// let work = Column::categorical("work", [Some("state"), Some("private"), Some("private"), None]);
/// assert_eq!(medoid(&Table::new([age, work])?, &[0, 1, 2, 3]), Some(1));
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn medoid(table: &Table, rows: &[usize]) -> Option<usize> {
    let mut sums = vec![0.0; rows.len()];
    for column in table.columns() {
        add_distances(column, rows, &mut sums);
    }
    let nearest = (0..rows.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b]))?;
    Some(rows[nearest])
}

/// Adds the distances of each row to all others in one column.
fn add_distances(column: &Column, rows: &[usize], sums: &mut [f64]) {
    match column.values() {
        Values::Numeric(values) => {
            let values: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
            add_differences(&values, sums);
        }
        Values::Categorical(categories) => {
            let levels = categories.levels().len();
            let level = |row: usize| categories.id(row).unwrap_or(levels);
            let mut counts = vec![0_usize; levels + 1];
            rows.iter().for_each(|&row| counts[level(row)] += 1);
            for (sum, &row) in sums.iter_mut().zip(rows) {
                *sum += (rows.len() - counts[level(row)]) as f64;
            }
        }
    }
}

fn add_differences(values: &[f64], sums: &mut [f64]) {
    let mut order: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (present, missing) = (order.len() as f64, (values.len() - order.len()) as f64);
    // Σ |v − u| over all u: the excess of v over the values below it, plus that of the values above over v.
    let total: f64 = order.iter().map(|&at| values[at]).sum();
    let mut below = 0.0;
    let mut differences = vec![0.0; values.len()];
    for (rank, &at) in order.iter().enumerate() {
        let (v, rank) = (values[at], rank as f64);
        differences[at] = v * rank - below + (total - below) - v * (present - rank);
        below += v;
    }
    let mean = differences.iter().sum::<f64>() / (present * present);
    for ((sum, difference), value) in sums.iter_mut().zip(differences).zip(values) {
        *sum += match value.is_nan() {
            true => present,
            false if mean > 0.0 && mean.is_finite() => difference / mean + missing,
            false => missing,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By the definition, pair by pair.
    fn slow(numbers: &[Option<i8>], levels: &[Option<u8>]) -> Vec<f64> {
        let n = numbers.len();
        let pairs = |at: usize| numbers.iter().map(move |other| numbers[at].zip(*other));
        let difference = |(a, b): (i8, i8)| f64::from((i32::from(a) - i32::from(b)).abs());
        let all = (0..n).flat_map(pairs).flatten().map(difference);
        let present = numbers.iter().flatten().count() as f64;
        let mean = all.sum::<f64>() / (present * present);
        let number = |a: Option<i8>, b: Option<i8>| match (a, b) {
            (Some(a), Some(b)) if mean > 0.0 => difference((a, b)) / mean,
            (a, b) => f64::from(u8::from(a.is_none() != b.is_none())),
        };
        (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| {
                        let level = f64::from(u8::from(levels[i] != levels[j]));
                        number(numbers[i], numbers[j]) + level
                    })
                    .sum()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_medoid_is_the_one_of_the_definition(
            cells in prop::collection::vec((prop::option::of(-9_i8..9), prop::option::of(0_u8..3)), 1..30),
        ) {
            let (numbers, levels): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
            let values = numbers.iter().map(|v| v.map_or(f64::NAN, f64::from));
            let names: Vec<Option<String>> = levels.iter().map(|l| l.map(|l| l.to_string())).collect();
            let table = Table::new([
                Column::numeric("number", values).unwrap(),
                Column::categorical("level", names),
            ]).unwrap();
            let rows: Vec<usize> = (0..numbers.len()).collect();
            let found = medoid(&table, &rows).unwrap();
            let sums = slow(&numbers, &levels);
            let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!(sums[found] - least < 1e-6 * (1.0 + least), "{sums:?} {found}");
        }
    }

    #[test]
    fn only_the_given_rows_count_and_none_have_none() {
        let table = Table::new([Column::numeric("v", [0.0, 1.0, 2.0, 100.0]).unwrap()]).unwrap();
        assert_eq!(medoid(&table, &[0, 1, 2]), Some(1));
        assert_eq!(medoid(&table, &[3]), Some(3));
        assert_eq!(medoid(&table, &[]), None);
    }
}
