//! Ridge regression for numbers, logistic regression for classes: one function of all features.
//!
//! Hand-written because linfa's logistic regression and elastic net read dense rows only, which levels of
//! categories are not.

use super::linear_rows::LinearRows;
use super::{Split, in_users_units};
use crate::sparse_rows::{SparseRowView, SparseRows};
use ngsll::error::Result;
use ngsll::metrics::Metrics;
use ngsll::objective::{Objective, Targets};
use ngsll_lbfgs::minimum;
use rayon::prelude::*;

/// Strengths of decay to choose from, strong ones first: 10, 10^0.5, …, 10⁻⁶.
fn strengths() -> impl Iterator<Item = f64> {
    (-2..=12).map(|half| 10f64.powf(-f64::from(half) / 2.0))
}

/// Strengths without a better validation loss after which weaker ones, which only fit the training
/// rows better, are not tried.
const PATIENCE: usize = 3;

/// Steps of a fit at most, and the share of the loss that each has to gain: a figure to compare with needs no
/// more digits than they give.
const STEPS: usize = 500;
const TOLERANCE: f64 = 1e-12;

/// Rows are summed up in this many parts whatever the number of threads, so that sums are the same.
const PARTS: usize = 16;

/// The scores of the model whose strength has the lowest validation loss, ties to the stronger one.
pub(super) fn scores(split: &Split<'_>) -> Result<Vec<Vec<f64>>> {
    let Split { objective, train, valid, measured } = split;
    let columns = LinearRows::fit(train)?;
    let (rows, valid_rows) = (columns.rows(train)?, columns.rows(valid)?);
    let mut model = LinearWeights::zero(objective.outputs(), rows.features());
    let (mut best, mut best_loss, mut since) = (model.clone(), f64::INFINITY, 0);
    for strength in strengths() {
        // Each from the solution of the one before.
        model.fit(&rows, &train.targets, strength);
        let metrics = Metrics::of(objective, &model.scores(objective, &valid_rows), &valid.targets);
        let loss = metrics.log_loss.or(metrics.rmse).unwrap_or(f64::INFINITY);
        since += 1;
        if loss < best_loss {
            (best, best_loss, since) = (model.clone(), loss, 0);
        }
        if since == PATIENCE {
            break;
        }
    }
    Ok(best.scores(objective, &columns.rows(measured)?))
}

/// Weights of each feature for each output, then the intercepts.
#[derive(Debug, Clone)]
pub(super) struct LinearWeights {
    outputs: usize,
    /// `[features + 1, outputs]`
    pub weights: Vec<f64>,
}

impl LinearWeights {
    pub fn zero(outputs: usize, features: usize) -> Self {
        Self { outputs, weights: vec![0.0; (features + 1) * outputs] }
    }

    /// Minimises the mean loss over the rows plus `strength` / 2 · ‖w‖²; intercepts are free.
    pub fn fit(&mut self, rows: &SparseRows, targets: &Targets, strength: f64) {
        let outputs = self.outputs;
        let start = std::mem::take(&mut self.weights);
        self.weights = minimum(start, STEPS, TOLERANCE, |weights, gradient| {
            let mut value = mean_loss(rows, targets, weights, outputs, gradient);
            let penalized = weights.len() - outputs;
            for (gradient, weight) in gradient.iter_mut().zip(&weights[..penalized]) {
                value += 0.5 * strength * weight * weight;
                *gradient += strength * weight;
            }
            value
        });
    }

    /// The scores of each row, in the user's units.
    fn scores(&self, objective: &Objective, rows: &SparseRows) -> Vec<Vec<f64>> {
        let row = |row| {
            let mut scores = vec![0.0; self.outputs];
            score(&self.weights, row, &mut scores);
            scores.into_iter().map(|score| in_users_units(objective, score)).collect()
        };
        rows.iter().map(row).collect()
    }
}

/// The mean loss of all rows; `gradient` becomes its gradient by the weights.
fn mean_loss(
    rows: &SparseRows,
    targets: &Targets,
    weights: &[f64],
    outputs: usize,
    gradient: &mut [f64],
) -> f64 {
    let n = rows.len();
    let part = |part: usize| {
        let (mut value, mut gradient) = (0.0, vec![0.0; weights.len()]);
        let mut scores = vec![0.0; outputs];
        for i in part * n / PARTS..(part + 1) * n / PARTS {
            let row = rows.row(i);
            score(weights, row, &mut scores);
            value += loss(&mut scores, targets, i);
            let slopes = &scores;
            for (j, z) in row.iter() {
                let gradient = &mut gradient[j * outputs..][..outputs];
                gradient.iter_mut().zip(slopes).for_each(|(g, slope)| *g += slope * z);
            }
            let intercepts = &mut gradient[weights.len() - outputs..];
            intercepts.iter_mut().zip(slopes).for_each(|(g, slope)| *g += slope);
        }
        (value, gradient)
    };
    let parts: Vec<_> = (0..PARTS).into_par_iter().map(part).collect();
    gradient.fill(0.0);
    let mut value = 0.0;
    for (part_value, part_gradient) in parts {
        value += part_value / n as f64;
        gradient.iter_mut().zip(part_gradient).for_each(|(g, part)| *g += part / n as f64);
    }
    value
}

/// Replaces `scores` by intercept + Σ z_j w_j of each output.
fn score(weights: &[f64], row: SparseRowView<'_>, scores: &mut [f64]) {
    let outputs = scores.len();
    scores.copy_from_slice(&weights[weights.len() - outputs..]);
    for (j, z) in row.iter() {
        let weights = &weights[j * outputs..][..outputs];
        scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += weight * z);
    }
}

/// The loss of a row's scores, which its slopes by the scores replace.
fn loss(scores: &mut [f64], targets: &Targets, row: usize) -> f64 {
    match targets {
        Targets::Values(values) => {
            scores[0] -= f64::from(values[row]);
            0.5 * scores[0] * scores[0]
        }
        Targets::Classes(classes) => cross_entropy(scores, classes[row]),
        _ => unreachable!("targets are classes or values"),
    }
}

/// −ln p of the true class. A single score favours the second of two classes; that of the first is 0.
fn cross_entropy(scores: &mut [f64], class: usize) -> f64 {
    let (unwritten, truth) = match scores.len() {
        1 => (0.0, class.checked_sub(1)),
        _ => (f64::NEG_INFINITY, Some(class)),
    };
    let top = scores.iter().copied().fold(unwritten, f64::max);
    let sum = (unwritten - top).exp() + scores.iter().map(|s| (s - top).exp()).sum::<f64>();
    let loss = top + sum.ln() - truth.map_or(unwritten, |c| scores[c]);
    scores.iter_mut().for_each(|s| *s = (*s - top).exp() / sum);
    if let Some(truth) = truth {
        scores[truth] -= 1.0;
    }
    loss
}
