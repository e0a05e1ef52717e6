//! A linear model of a table: logistic, softmax or ridge regression on standardised numbers, levels and
//! gaps.
//!
//! The network of a table learns what to add to it ([`crate::network::LinearPart`]).

mod design;
mod lbfgs;

pub(crate) use design::Design;

use crate::objective::Targets;
use crate::random::{Purpose, stream};
use lbfgs::minimum;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// Parts of which each is foretold from the others once, and how often all rows are parted.
pub(crate) const FOLDS: usize = 5;
const REPEATS: u64 = 2;

/// Penalties that are tried, from the strongest on: half the sum of squares times this, beside the mean loss.
const PENALTIES: [f64; 9] = [3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003];

/// Steps between nothing and all, where a share is searched.
const SHARES: usize = 20;

/// A constant and a weight per entry of the design, for each score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearModel {
    /// `[outputs]`
    pub intercepts: Vec<f64>,
    /// [dims, outputs]
    pub weights: Vec<f64>,
}

/// Rows to learn from, their answers, and what each counts.
#[derive(Debug)]
pub(crate) struct LinearData<'a> {
    pub design: &'a Design,
    pub targets: &'a Targets,
    pub weights: &'a [f32],
    pub outputs: usize,
    /// Whether numbers are counts, and scores their logarithms.
    pub counts: bool,
}

impl LinearData<'_> {
    /// Fits rows with the last of so many penalties.
    pub fn fit(&self, rows: &[usize], penalties: usize) -> LinearModel {
        self.fit_path(rows, penalties).pop().expect("a path has an end")
    }

    /// How many of the penalties to go through, by the loss on held-out rows.
    pub fn best_penalty(&self, seed: u64) -> usize {
        let all: Vec<usize> = (0..self.targets.len()).collect();
        let folds: Vec<(Vec<usize>, Vec<usize>)> =
            (0..REPEATS).flat_map(|repeat| folds(&all, FOLDS, seed, repeat)).collect();
        let losses = |(train, held): &(Vec<usize>, Vec<usize>)| -> Vec<f64> {
            let path = self.fit_path(train, PENALTIES.len());
            path.iter().map(|model| self.loss(model, held, None)).collect()
        };
        let losses: Vec<Vec<f64>> = folds.par_iter().map(losses).collect();
        let sum = |i: usize| losses.iter().map(|losses| losses[i]).sum::<f64>();
        let best = (0..PENALTIES.len()).min_by(|&a, &b| sum(a).total_cmp(&sum(b)));
        1 + best.expect("there are penalties")
    }

    /// Fits rows with the first `n` penalties, each from where the one before ended.
    fn fit_path(&self, rows: &[usize], n: usize) -> Vec<LinearModel> {
        let mut model = LinearModel {
            intercepts: vec![0.0; self.outputs],
            weights: vec![0.0; self.design.dims() * self.outputs],
        };
        let path = PENALTIES[..n].iter().map(|&penalty| {
            model = self.fit_from(rows, penalty, &model);
            model.clone()
        });
        path.collect()
    }

    /// Slopes that would go a way that they must not stay at zero, and the others are fitted without them.
    fn fit_from(&self, rows: &[usize], penalty: f64, start: &LinearModel) -> LinearModel {
        let outputs = self.outputs;
        let mut zero: Vec<usize> = Vec::new();
        loop {
            let model = self.fit_without(rows, penalty, start, &zero);
            let slopes = model.weights[..self.design.columns() * outputs].iter().enumerate();
            let wrong = slopes.filter(|(at, slope)| self.design.forbids(at / outputs, **slope));
            let wrong: Vec<usize> = wrong.map(|(at, _)| at).collect();
            if wrong.is_empty() {
                return model;
            }
            zero.extend(wrong);
        }
    }

    /// Fits rows with some of the weights at zero.
    fn fit_without(
        &self,
        rows: &[usize],
        penalty: f64,
        start: &LinearModel,
        zero: &[usize],
    ) -> LinearModel {
        let outputs = self.outputs;
        let unpack = |numbers: &[f64]| LinearModel {
            intercepts: numbers[..outputs].to_vec(),
            weights: numbers[outputs..].to_vec(),
        };
        let mut start: Vec<f64> = start.intercepts.iter().chain(&start.weights).copied().collect();
        zero.iter().for_each(|at| start[outputs + at] = 0.0);
        let found = minimum(start, |numbers, gradient| {
            gradient.fill(0.0);
            let mut value = self.loss(&unpack(numbers), rows, Some(gradient));
            for (w, g) in numbers[outputs..].iter().zip(&mut gradient[outputs..]) {
                value += penalty / 2.0 * w * w;
                *g += penalty * w;
            }
            zero.iter().for_each(|at| gradient[outputs + at] = 0.0);
            value
        });
        unpack(&found)
    }

    /// The share of the way from the first scores of rows to the second, [rows, outputs], at which their loss
    /// is smallest.
    pub fn best_share(&self, rows: &[usize], from: &[f64], to: &[f64]) -> f64 {
        let loss = |share: f64| {
            let at = from.iter().zip(to).map(|(from, to)| from + share * (to - from));
            self.loss_of_scores(rows, &at.collect::<Vec<_>>())
        };
        let shares = (0..=SHARES).map(|i| i as f64 / SHARES as f64);
        let losses: Vec<(f64, f64)> = shares.map(|share| (share, loss(share))).collect();
        let best = losses.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(1.0, |(share, _)| *share)
    }

    /// The mean loss of rows with these scores, [rows, outputs].
    pub fn loss_of_scores(&self, rows: &[usize], scores: &[f64]) -> f64 {
        let mut by_score = vec![0.0; self.outputs];
        let (mut sum, mut total) = (0.0, 0.0);
        for (&row, scores) in rows.iter().zip(scores.chunks_exact(self.outputs)) {
            let weight = f64::from(self.weights[row]);
            sum += weight * self.row_loss(row, scores, &mut by_score);
            total += weight;
        }
        sum / total.max(f64::MIN_POSITIVE)
    }

    /// The mean loss of some rows; its gradient is added to the given one.
    fn loss(&self, model: &LinearModel, rows: &[usize], gradient: Option<&mut [f64]>) -> f64 {
        let outputs = self.outputs;
        let total = rows.iter().map(|&row| f64::from(self.weights[row])).sum::<f64>();
        let total = total.max(f64::MIN_POSITIVE);
        let mut sum = 0.0;
        let mut gradient = gradient;
        let (mut scores, mut by_score) = (vec![0.0; outputs], vec![0.0; outputs]);
        for &row in rows {
            let share = f64::from(self.weights[row]) / total;
            model.scores(self.design, row, &mut scores);
            sum += share * self.row_loss(row, &scores, &mut by_score);
            let Some(gradient) = gradient.as_deref_mut() else { continue };
            for (c, by_score) in by_score.iter().enumerate() {
                gradient[c] += share * by_score;
                for (at, value) in self.design.row(row) {
                    gradient[outputs + at * outputs + c] += share * by_score * value;
                }
            }
        }
        sum
    }

    /// The loss of a row and its derivative by each score.
    fn row_loss(&self, row: usize, scores: &[f64], by_score: &mut [f64]) -> f64 {
        match self.targets {
            Targets::Values(values) if self.counts => {
                let expected = scores[0].exp();
                by_score[0] = expected - f64::from(values[row]);
                expected - f64::from(values[row]) * scores[0]
            }
            Targets::Values(values) => {
                let error = scores[0] - f64::from(values[row]);
                by_score[0] = 2.0 * error;
                error * error
            }
            Targets::Classes(classes) if scores.len() == 1 => {
                let sign = if classes[row] == 1 { 1.0 } else { -1.0 };
                let margin = sign * scores[0];
                by_score[0] = -sign / (1.0 + margin.exp());
                // ln(1 + e^−m), without overflow.
                (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
            }
            Targets::Classes(classes) => {
                let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
                for (c, (by, s)) in by_score.iter_mut().zip(scores).enumerate() {
                    *by = (s - top).exp() / sum - f64::from(u8::from(c == classes[row]));
                }
                top + sum.ln() - scores[classes[row]]
            }
        }
    }
}

impl LinearModel {
    /// The scores of a row.
    pub fn scores(&self, design: &Design, row: usize, scores: &mut [f64]) {
        scores.copy_from_slice(&self.intercepts);
        let outputs = scores.len();
        for (at, value) in design.row(row) {
            for (c, score) in scores.iter_mut().enumerate() {
                *score += self.weights[at * outputs + c] * value;
            }
        }
    }
}

/// The rows in parts of about the same size at random: for each part, the others and itself.
pub(crate) fn folds(
    rows: &[usize],
    parts: usize,
    seed: u64,
    repeat: u64,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut order = rows.to_vec();
    order.shuffle(&mut stream(seed, Purpose::Split, 1, repeat));
    let folds = parts.min(order.len());
    let of = |fold: usize| {
        let (held, others): (Vec<_>, Vec<_>) =
            order.iter().enumerate().partition(|(i, _)| i % folds == fold);
        let rows = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, &row)| row).collect();
        (rows(others), rows(held))
    };
    (0..folds).map(of).collect()
}

#[cfg(test)]
mod tests;
