//! The split into training, validation and test samples.

use super::PartRows;
use crate::config::{Config, Task};
use crate::dataset::{Dataset, split};
use crate::error::Result;
use crate::objective::Answers;
use crate::random::{Purpose, stream};
use std::collections::HashSet;
/// The answers of labelled samples, and their split; without a validation part if validation samples are given.
pub(crate) fn answers_and_rows(
    config: &Config,
    data: &Dataset,
    valid_is_given: bool,
) -> Result<(Answers, PartRows)> {
    let shares = config.data.shares(valid_is_given)?;
    let (tabular, groups) = (config.task == Task::Tabular, config.data.group.as_ref());
    let answers = Answers::read(config.objective, data, tabular, groups)
        .map_err(|error| error.in_column(config.data.target.as_deref()))?;
    let rows = part_rows(&answers, shares, config.seed);
    Ok((answers, rows))
}

/// Splits the samples at random by the shares for validation, test and training, classes in proportion.
fn part_rows(answers: &Answers, shares: [f64; 3], seed: u64) -> PartRows {
    let mut rng = stream(seed, Purpose::Split, 0, 0);
    // The largest part last: it takes what rounding leaves.
    let mut parts = match answers {
        Answers::Classes(_, classes) => {
            let mut parts = split::stratified(classes, &shares, &mut rng);
            teach_every_class(classes, &mut parts);
            parts
        }
        Answers::Numbers(values) => split::random(values.len(), &shares, &mut rng),
    };
    let mut part = || parts.pop().expect("three shares give three parts");
    let (train, test, valid) = (part(), part(), part());
    PartRows { train, valid, test }
}

/// Moves a row of each class that the last part, the training rows, lacks into it: a class of one
/// or two samples may lie entirely in the other parts.
pub(crate) fn teach_every_class(classes: &[usize], parts: &mut [Vec<usize>]) {
    let Some((train, others)) = parts.split_last_mut() else { return };
    let mut known: HashSet<usize> = train.iter().map(|&row| classes[row]).collect();
    for other in others {
        other.retain(|&row| {
            let keep = !known.insert(classes[row]);
            if !keep {
                train.push(row);
            }
            keep
        });
    }
    train.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_one_sample_is_learned_from() {
        let classes = [0, 0, 0, 1, 2];
        let mut parts = vec![vec![0, 3], vec![4], vec![1, 2]];
        teach_every_class(&classes, &mut parts);
        assert_eq!(parts, [vec![0], vec![], vec![1, 2, 3, 4]]);
    }
}
