//! The loss of a linear model, and its gradient.

use super::{Coefficients, Design, LinearData};
use crate::objective::Targets;
use rayon::prelude::*;

/// Rows whose losses one thread adds up.
pub(super) const PART: usize = 2048;

impl LinearData<'_> {
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

    /// The mean loss of some rows; its gradient is added to the given one. Parts of a fixed number of rows are
    /// added up in their order, so the bits do not depend on the number of threads.
    pub(super) fn loss(
        &self,
        model: &Coefficients,
        rows: &[usize],
        gradient: Option<&mut [f64]>,
    ) -> f64 {
        let total = rows.iter().map(|&row| f64::from(self.weights[row])).sum::<f64>();
        let total = total.max(f64::MIN_POSITIVE);
        let (wanted, sums) = (gradient.is_some(), Sums::new(self.design, model));
        let part = |rows: &[usize]| {
            let mut gradient = wanted.then(|| LossGradient::new(self.design, self.outputs));
            let loss = self.loss_of_part(&sums, rows, total, gradient.as_mut());
            (loss, gradient.map(LossGradient::finish))
        };
        let parts: Vec<(f64, Option<Vec<f64>>)> = rows.par_chunks(PART).map(part).collect();
        if let Some(gradient) = gradient {
            for part in parts.iter().filter_map(|(_, gradient)| gradient.as_deref()) {
                gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
        parts.iter().map(|(loss, _)| loss).sum()
    }

    /// Adds the loss and the gradient of some of the rows, whose total weight is given.
    fn loss_of_part(
        &self,
        sums: &Sums<'_>,
        rows: &[usize],
        total: f64,
        mut gradient: Option<&mut LossGradient<'_>>,
    ) -> f64 {
        let mut sum = 0.0;
        let (mut scores, mut by_score) = (vec![0.0; self.outputs], vec![0.0; self.outputs]);
        for &row in rows {
            let share = f64::from(self.weights[row]) / total;
            sums.scores(row, &mut scores);
            sum += share * self.row_loss(row, &scores, &mut by_score);
            if let Some(gradient) = gradient.as_deref_mut() {
                by_score.iter_mut().for_each(|by_score| *by_score *= share);
                gradient.add(row, &by_score);
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

/// A model with the cumulative sums of its bins' weights, so that a number costs the same however many bins lie
/// below it.
pub(super) struct Sums<'a> {
    design: &'a Design,
    model: &'a Coefficients,
    /// For each row of the table of levels and bins, the sum of the weights before it: [1 + rows, outputs]
    before: Vec<f64>,
}

impl<'a> Sums<'a> {
    pub fn new(design: &'a Design, model: &'a Coefficients) -> Self {
        let outputs = model.intercepts.len();
        let table = &model.weights[design.columns() * outputs..];
        let mut before = vec![0.0; outputs + table.len()];
        for (at, weight) in table.iter().enumerate() {
            before[at + outputs] = before[at] + weight;
        }
        Self { design, model, before }
    }

    /// The scores of a row.
    pub fn scores(&self, row: usize, scores: &mut [f64]) {
        scores.copy_from_slice(&self.model.intercepts);
        for column in 0..self.design.columns() {
            self.add_term(row, column, scores);
        }
    }

    /// Adds the contribution of a column of a row to each score.
    fn add_term(&self, row: usize, column: usize, scores: &mut [f64]) {
        let (outputs, weights) = (scores.len(), &self.model.weights);
        let (at, value) = self.design.entry(row, column);
        for (c, score) in scores.iter_mut().enumerate() {
            *score += weights[at * outputs + c] * value;
        }
        let Some(bins) = self.design.bins(row, column) else { return };
        let first = self.design.columns();
        for (c, score) in scores.iter_mut().enumerate() {
            let passed =
                self.before[bins.row * outputs + c] - self.before[bins.start * outputs + c];
            *score += passed + bins.part * weights[(first + bins.row) * outputs + c];
        }
    }

    /// The mean of each column's term: [columns, outputs]
    pub fn mean_terms(&self) -> Vec<f64> {
        let (columns, outputs) = (self.design.columns(), self.model.intercepts.len());
        let mut means = vec![0.0; columns * outputs];
        for row in 0..self.design.len() {
            for (column, mean) in means.chunks_exact_mut(outputs).enumerate() {
                self.add_term(row, column, mean);
            }
        }
        means.iter_mut().for_each(|mean| *mean /= self.design.len() as f64);
        means
    }
}

/// The gradient of a loss as rows are added.
struct LossGradient<'a> {
    design: &'a Design,
    outputs: usize,
    /// [1 + dims, outputs]
    sum: Vec<f64>,
    /// Amounts yet to be added to a row of the table and all after it: [1 + rows, outputs]
    from: Vec<f64>,
}

impl<'a> LossGradient<'a> {
    fn new(design: &'a Design, outputs: usize) -> Self {
        let rows = design.dims() - design.columns();
        let (sum, from) =
            (vec![0.0; outputs * (1 + design.dims())], vec![0.0; outputs * (1 + rows)]);
        Self { design, outputs, sum, from }
    }

    fn add(&mut self, row: usize, by_score: &[f64]) {
        let (outputs, columns) = (self.outputs, self.design.columns());
        for (c, by_score) in by_score.iter().enumerate() {
            self.sum[c] += by_score;
        }
        for column in 0..columns {
            let (at, value) = self.design.entry(row, column);
            let bins = self.design.bins(row, column);
            for (c, by_score) in by_score.iter().enumerate() {
                self.sum[(1 + at) * outputs + c] += by_score * value;
                let Some(bins) = &bins else { continue };
                self.from[bins.start * outputs + c] += by_score;
                self.from[bins.row * outputs + c] -= by_score;
                self.sum[(1 + columns + bins.row) * outputs + c] += by_score * bins.part;
            }
        }
    }

    /// Intercepts first, then [dims, outputs].
    fn finish(mut self) -> Vec<f64> {
        let mut running = vec![0.0; self.outputs];
        let table = &mut self.sum[(1 + self.design.columns()) * self.outputs..];
        for (at, (gradient, from)) in table.iter_mut().zip(&self.from).enumerate() {
            running[at % self.outputs] += from;
            *gradient += running[at % self.outputs];
        }
        self.sum
    }
}
