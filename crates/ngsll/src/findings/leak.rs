//! Columns that determine the target almost alone.
//!
//! Each column by itself predicts held-out rows from the rows with the same value or, among numbers, from those with
//! the nearest ones. That is a poor predictor wherever there is noise, so a nearly perfect figure means that the
//! column is nearly the answer itself.

use crate::dataset::{Column, Values};
use crate::objective::Targets;

/// The number of parts of the rows, each of which is predicted from the others.
const PARTS: usize = 5;

/// The fewest rows for a figure, and the most that are used.
const ENOUGH_ROWS: usize = 50;
const MOST_ROWS: usize = 20_000;

/// The least accuracy or R² of a leak.
const NEARLY_ALL: f64 = 0.99;

/// The largest share of the errors of the most frequent class that remains with a leak.
const ERRORS_LEFT: f64 = 0.1;

/// The predictive power of a single column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Single {
    /// Accuracy or R² on held-out rows.
    pub figure: f64,
    /// The share of the most frequent class; `None` for a number.
    pub base_rate: Option<f64>,
}

impl Single {
    /// Whether the column predicts nearly everything.
    pub fn is_leak(&self) -> bool {
        let errors_left = self.base_rate.map_or(0.0, |base| (1.0 - self.figure) / (1.0 - base));
        self.figure >= NEARLY_ALL && errors_left <= ERRORS_LEFT
    }
}

/// How well a column predicts the answers of the given rows by itself, no two of which should be the same; `None`
/// where there are too few rows.
pub(crate) fn single_column(column: &Column, targets: &Targets, rows: &[usize]) -> Option<Single> {
    if rows.len() < ENOUGH_ROWS {
        return None;
    }
    let step = rows.len().div_ceil(MOST_ROWS);
    let rows: Vec<usize> = rows.iter().copied().step_by(step).collect();
    let groups = ValueGroups::of(column, &rows);
    match targets {
        Targets::Classes(classes) => {
            let answers: Vec<usize> = rows.iter().map(|&row| classes[row]).collect();
            classes_figure(&groups, &answers)
        }
        Targets::Values(values) => {
            let answers: Vec<f64> = rows.iter().map(|&row| f64::from(values[row])).collect();
            numbers_figure(&groups, &answers)
        }
    }
}

/// Positions in the list of rows, with equal values together; numbers in ascending order, then those without one.
struct ValueGroups {
    /// The positions, group by group.
    positions: Vec<Vec<usize>>,
    /// The number of each group; those of levels and of missing values have none, and no neighbours.
    numbers: Vec<Option<f64>>,
}

/// The part in which a row is predicted, by its position.
fn part(position: usize) -> usize {
    position % PARTS
}

impl ValueGroups {
    fn of(column: &Column, rows: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        match column.values() {
            Values::Numeric(values) => {
                // NaN comes last.
                let value = |position: usize| values[rows[position]];
                order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
                let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
                let groups = order.chunk_by(|&a, &b| same(value(a), value(b)));
                let positions: Vec<Vec<usize>> = groups.map(<[usize]>::to_vec).collect();
                let number = |group: &Vec<usize>| Some(value(group[0])).filter(|v| !v.is_nan());
                Self { numbers: positions.iter().map(number).collect(), positions }
            }
            Values::Categorical(categories) => {
                let id = |position: usize| categories.id(rows[position]);
                order.sort_by_key(|&position| id(position));
                let groups = order.chunk_by(|&a, &b| id(a) == id(b));
                let positions: Vec<Vec<usize>> = groups.map(<[usize]>::to_vec).collect();
                Self { numbers: vec![None; positions.len()], positions }
            }
        }
    }

    /// The value of `answer` for each group without the rows of each part; `None` if no row is left.
    fn by_part<T>(&self, answer: impl Fn(&[usize]) -> T) -> Vec<[Option<T>; PARTS]> {
        let without = |group: &Vec<usize>, left_out: usize| {
            let others: Vec<usize> =
                group.iter().copied().filter(|&position| part(position) != left_out).collect();
            (!others.is_empty()).then(|| answer(&others))
        };
        let each = |group| std::array::from_fn(|left_out| without(group, left_out));
        self.positions.iter().map(each).collect()
    }

    /// The nearest groups below and above that have an answer without the part.
    fn neighbours<T>(
        &self,
        group: usize,
        known: impl Fn(usize) -> Option<T>,
    ) -> [Option<(f64, T)>; 2] {
        let with_number = |g: usize| Some((self.numbers[g]?, known(g)?));
        let below = (0..group).rev().find_map(with_number);
        let above = (group + 1..self.positions.len()).find_map(with_number);
        [below, above]
    }
}

fn classes_figure(groups: &ValueGroups, answers: &[usize]) -> Option<Single> {
    let mode = |positions: &[usize]| {
        let mut classes: Vec<usize> = positions.iter().map(|&position| answers[position]).collect();
        classes.sort_unstable();
        let longest = classes.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
        longest.map_or(0, |same| same[0])
    };
    let known = groups.by_part(mode);
    let all: Vec<usize> = (0..answers.len()).collect();
    let most_frequent = mode(&all);
    let base = answers.iter().filter(|&&class| class == most_frequent).count();
    let mut right = 0;
    for (g, positions) in groups.positions.iter().enumerate() {
        for &position in positions {
            let own = known[g][part(position)];
            let predicted = own.or_else(|| {
                let number = groups.numbers[g]?;
                let near = groups.neighbours(g, |other| known[other][part(position)]);
                let near = near.into_iter().flatten();
                let distance = |other: &(f64, usize)| (other.0 - number).abs();
                near.min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|(_, class)| class)
            });
            right += usize::from(predicted.unwrap_or(most_frequent) == answers[position]);
        }
    }
    let n = answers.len() as f64;
    Some(Single { figure: right as f64 / n, base_rate: Some(base as f64 / n) })
}

fn numbers_figure(groups: &ValueGroups, answers: &[f64]) -> Option<Single> {
    let mean = |positions: &[usize]| {
        positions.iter().map(|&position| answers[position]).sum::<f64>() / positions.len() as f64
    };
    let known = groups.by_part(mean);
    let all: Vec<usize> = (0..answers.len()).collect();
    let overall = mean(&all);
    let (mut errors, mut total) = (0.0, 0.0);
    for (g, positions) in groups.positions.iter().enumerate() {
        for &position in positions {
            let predicted = match (known[g][part(position)], groups.numbers[g]) {
                (Some(own), _) => own,
                (None, None) => overall,
                (None, Some(number)) => {
                    match groups.neighbours(g, |other| known[other][part(position)]) {
                        [Some((low, below)), Some((high, above))] => {
                            below + (above - below) * (number - low) / (high - low)
                        }
                        // No neighbours: nothing is known about the answer there.
                        _ => continue,
                    }
                }
            };
            errors += (answers[position] - predicted).powi(2);
            total += (answers[position] - overall).powi(2);
        }
    }
    (total > 0.0).then(|| Single { figure: 1.0 - errors / total, base_rate: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, normal, stream};

    const N: usize = 300;

    fn draws(step: u64) -> Vec<f64> {
        let mut rng = stream(1, Purpose::Sample, 0, step);
        normal(&mut rng, N).into_iter().map(f64::from).collect()
    }

    fn figure(column: &Column, targets: &Targets) -> Single {
        single_column(column, targets, &(0..N).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_answer_in_other_words_is_a_leak() {
        let price = draws(0);
        let targets = Targets::Values(price.iter().map(|&p| p as f32).collect());
        let with_tax = Column::numeric("with tax", price.iter().map(|p| 1.19 * p)).unwrap();
        assert!(figure(&with_tax, &targets).is_leak());
        let noisy = price.iter().zip(draws(1)).map(|(p, noise)| p + 0.4 * noise);
        let noisy = figure(&Column::numeric("noisy", noisy).unwrap(), &targets);
        assert!(!noisy.is_leak() && noisy.figure < 0.9, "{noisy:?}");

        let classes = Targets::Classes(price.iter().map(|p| usize::from(*p > 0.5)).collect());
        let leak = figure(&with_tax, &classes);
        assert!(leak.is_leak() && leak.base_rate.is_some_and(|base| base < 0.8), "{leak:?}");
        let names = price.iter().map(|p| Some(if *p > 0.5 { "sold" } else { "free" }));
        let outcome = Column::categorical("outcome", names);
        assert_eq!(figure(&outcome, &classes).figure, 1.0);
        let colours = Column::categorical("colour", (0..N).map(|i| Some(["red", "blue"][i % 2])));
        assert!(!figure(&colours, &classes).is_leak());
    }

    #[test]
    fn a_class_that_nearly_all_rows_have_is_no_leak() {
        let classes = Targets::Classes((0..N).map(|i| usize::from(i == 7)).collect());
        let any = Column::numeric("any", draws(2)).unwrap();
        let found = figure(&any, &classes);
        assert!(found.figure >= 0.99 && !found.is_leak(), "{found:?}");
        assert_eq!(single_column(&any, &classes, &[0, 1, 2]), None, "too few rows");
    }

    #[test]
    fn gaps_are_a_group_of_their_own() {
        let classes: Vec<usize> = (0..N).map(|i| i % 2).collect();
        let cells = classes.iter().map(|&c| if c == 1 { f64::NAN } else { 3.0 });
        let column = Column::numeric("cancelled on", cells).unwrap();
        assert!(figure(&column, &Targets::Classes(classes)).is_leak());
    }
}
