//! A linear model of a table: logistic, softmax or ridge regression on standardised numbers, levels, gaps
//! and, if held-out rows gain by it, bends of the numbers (an additive model, like EBM and splines).
//!
//! The network of a table learns a correction to it ([`crate::network::LinearPart`]).
//!
//! Hand-written because linfa's logistic and elastic-net regressions read dense rows, whereas a table has one level out
//! of many in each column, and support neither sample weights, a strength for each coefficient, counts nor slopes with
//! a fixed sign.

mod design;
mod loss;
mod strength;

pub(crate) use design::Design;
pub(crate) use strength::{FOLDS, Strength, folds};

use crate::objective::Targets;
use loss::Sums;
use ngsll_lbfgs::minimum;

/// Steps of a fit at most, and the share of the loss that each has to gain.
const STEPS: usize = 200;
const TOLERANCE: f64 = 1e-9;

/// Steps from 0 to 1 in the search for a share.
const SHARES: usize = 20;

/// A constant and a weight per entry of the design, for each score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coefficients {
    /// `[outputs]`
    pub intercepts: Vec<f64>,
    /// [dims, outputs]
    pub weights: Vec<f64>,
}

/// Rows to learn from, their answers, and the weight of each.
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
    /// Fits rows with a penalty, starting from all larger ones.
    pub fn fit(&self, rows: &[usize], strength: Strength) -> Coefficients {
        self.fit_path(rows, strength).pop().expect("a path has an end")
    }

    /// Fits rows with all penalties from the largest to that of `strength`, each starting where the one before
    /// ended.
    fn fit_path(&self, rows: &[usize], strength: Strength) -> Vec<Coefficients> {
        let mut model = Coefficients {
            intercepts: vec![0.0; self.outputs],
            weights: vec![0.0; self.design.dims() * self.outputs],
        };
        let scales = self.design.scales(strength.bends, self.outputs);
        let path = strength.path().iter().map(|&penalty| {
            model = self.fit_from(rows, penalty, &scales, &model);
            model.clone()
        });
        path.collect()
    }

    /// Slopes that would go in a forbidden direction are kept at zero, and the others are fitted without them.
    fn fit_from(
        &self,
        rows: &[usize],
        penalty: f64,
        scales: &[f64],
        start: &Coefficients,
    ) -> Coefficients {
        let outputs = self.outputs;
        let mut scales = scales.to_vec();
        loop {
            let model = self.fit_scaled(rows, penalty, &scales, start);
            let slopes = model.weights[..self.design.columns() * outputs].iter().enumerate();
            let wrong = slopes.filter(|(at, slope)| self.design.forbids(at / outputs, **slope));
            let wrong: Vec<usize> = wrong.map(|(at, _)| at).collect();
            if wrong.is_empty() {
                return model;
            }
            wrong.into_iter().for_each(|at| scales[at] = 0.0);
        }
    }

    /// Fits rows with a penalty of penalty / 2 · (w / scale)² on a weight w, which is 0 if its scale is.
    fn fit_scaled(
        &self,
        rows: &[usize],
        penalty: f64,
        scales: &[f64],
        start: &Coefficients,
    ) -> Coefficients {
        let outputs = self.outputs;
        let unpack = |numbers: &[f64]| Coefficients {
            intercepts: numbers[..outputs].to_vec(),
            weights: numbers[outputs..].iter().zip(scales).map(|(v, scale)| v * scale).collect(),
        };
        let weights = start.weights.iter().zip(scales);
        let weights = weights.map(|(w, &scale)| if scale == 0.0 { 0.0 } else { w / scale });
        let start: Vec<f64> = start.intercepts.iter().copied().chain(weights).collect();
        let found = minimum(start, STEPS, TOLERANCE, |numbers, gradient| {
            gradient.fill(0.0);
            let mut value = self.loss(&unpack(numbers), rows, Some(gradient));
            let own = numbers[outputs..].iter().zip(&mut gradient[outputs..]).zip(scales);
            for ((v, g), scale) in own {
                value += penalty / 2.0 * v * v;
                *g = *g * scale + penalty * v;
            }
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
}

impl Coefficients {
    /// The scores of some rows: [rows, outputs]
    pub fn scores(&self, design: &Design, rows: &[usize]) -> Vec<f64> {
        let sums = Sums::new(design, self);
        let outputs = self.intercepts.len();
        let mut scores = vec![0.0; rows.len() * outputs];
        for (&row, scores) in rows.iter().zip(scores.chunks_exact_mut(outputs)) {
            sums.scores(row, scores);
        }
        scores
    }

    /// The mean of each column's term: [columns, outputs]
    pub fn mean_terms(&self, design: &Design) -> Vec<f64> {
        Sums::new(design, self).mean_terms()
    }
}

#[cfg(test)]
mod tests;
