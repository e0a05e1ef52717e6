//! Other methods on the same table, for comparison: the base rate, a linear model and boosted trees.
//!
//! All learn from the training rows, make their choices (strength of decay, number of trees) by the
//! validation rows only, and are measured by the code that measures our own model. Nothing is drawn at
//! random, and sums are added in a fixed order: the figures are the same on any number of threads.

mod base_rate;
mod boosted_trees;
mod linear_model;
mod linear_rows;
#[cfg(test)]
mod tests;
mod tree_columns;

use ngsll::dataset::{Dataset, Samples, Table};
use ngsll::error::{Error, Result};
use ngsll::metrics::{MethodFigures, Metrics};
use ngsll::objective::{Objective, Targets};
use std::time::Instant;

/// Fits the simpler methods to the rows of `train` with choices by `valid`, and measures them on
/// `measured`, which may be the same rows as `valid`.
pub fn yardstick_methods(
    objective: &Objective,
    train: &Dataset,
    valid: &Dataset,
    measured: &Dataset,
) -> Result<Vec<MethodFigures>> {
    // Untransformed values, whatever the scale of the NGSLL model.
    let objective = &objective.without_scale(train)?;
    let table = |data| LabelledTable::new(objective, data);
    let split =
        Split { objective, train: table(train)?, valid: table(valid)?, measured: table(measured)? };
    let linear = match objective {
        Objective::Regression { .. } => "ridge regression",
        _ => "logistic regression",
    };
    let methods: [(&str, Method); 3] = [
        ("base rate", base_rate::scores),
        (linear, linear_model::scores),
        ("boosted trees", boosted_trees::scores),
    ];
    let figures = |(name, method): (&str, Method)| {
        let started = Instant::now();
        let scores = method(&split)?;
        let seconds = started.elapsed().as_secs_f64();
        let metrics = Metrics::of(objective, &scores, &split.measured.targets);
        Ok(MethodFigures::new(name, &metrics, seconds))
    };
    methods.into_iter().map(figures).collect()
}

/// Learns from the training rows with choices by the validation rows, and scores the measured ones, in
/// the user's units.
type Method = fn(&Split<'_>) -> Result<Vec<Vec<f64>>>;

/// The objective, and the division of the rows.
struct Split<'a> {
    objective: &'a Objective,
    train: LabelledTable<'a>,
    valid: LabelledTable<'a>,
    measured: LabelledTable<'a>,
}

/// Rows of a table with their known answers.
struct LabelledTable<'a> {
    samples: &'a Samples,
    table: &'a Table,
    targets: Targets,
}

impl<'a> LabelledTable<'a> {
    fn new(objective: &Objective, data: &'a Dataset) -> Result<Self> {
        let samples = data.samples();
        let Some(table) = samples.as_table() else {
            return Err(Error::setting("samples", samples.kind(), "expected a table"));
        };
        if table.is_empty() {
            return Err(Error::setting("rows", 0, "at least one to learn from and to measure"));
        }
        Ok(Self { samples, table, targets: objective.targets(data)? })
    }
}

/// Scores of a model of the standardised target, in the user's units; scores of classes stay.
fn in_users_units(objective: &Objective, score: f64) -> f64 {
    let (factor, offset) = objective.units();
    score * factor + offset
}
