//! The baseline without features: class frequencies, or the mean.

use super::{Split, in_users_units};
use ngsll::error::Result;
use ngsll::objective::{Objective, Targets};

/// The same scores for every row.
pub(super) fn scores(split: &Split<'_>) -> Result<Vec<Vec<f64>>> {
    let Split { objective, train, measured, .. } = split;
    let scores = match &train.targets {
        Targets::Classes(classes) => {
            let log_share = |class| log_share(classes, class);
            match objective {
                Objective::Binary { .. } => vec![log_share(1) - log_share(0)],
                _ => (0..objective.outputs()).map(log_share).collect(),
            }
        }
        Targets::Values(values) => {
            let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
            vec![in_users_units(objective, mean)]
        }
        _ => unreachable!("targets are classes or values"),
    };
    Ok(vec![scores; measured.table.len()])
}

/// The logarithm of a class's share; one that never occurs is as rare as half a row.
pub(super) fn log_share(classes: &[usize], class: usize) -> f64 {
    let count = classes.iter().filter(|&&c| c == class).count() as f64;
    (count.max(0.5) / classes.len() as f64).ln()
}
