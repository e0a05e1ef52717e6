//! The quality of predictions with fewer terms.

use super::Metrics;
use crate::explanation::{Explanation, Term};
use crate::figures;
use crate::gate::GateScope;
use crate::objective::{Objective, Targets};
use std::collections::HashMap;

/// Metrics at several k, all from explanations at the largest: the hard gate keeps the K largest
/// weights, which include those that a smaller gate keeps, so no sample is computed twice.
#[derive(Debug)]
pub struct ByK<'a> {
    objective: &'a Objective,
    gate_scope: GateScope,
    ks: Vec<usize>,
    n: usize,
    correct: Vec<usize>,
    /// Squared errors, summed.
    squares: Vec<f64>,
    /// Mean of the true values so far, and their squared distances from it, summed.
    mean: f64,
    total: f64,
}

/// The metrics with k terms.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AtK {
    /// Terms of each score, at most.
    pub k: usize,
    /// Share of samples whose class is predicted (classes).
    pub accuracy: Option<f64>,
    /// Share of the target's variance that is explained (regression, where the target varies).
    pub r2: Option<f64>,
    /// Root of the mean squared error, in the target's units (regression).
    pub rmse: Option<f64>,
}

impl AtK {
    /// The metrics of an evaluation with at most `k` terms.
    pub fn new(k: usize, metrics: &Metrics) -> Self {
        let &Metrics { accuracy, r2, rmse, .. } = metrics;
        Self { k, accuracy, r2, rmse }
    }
}

impl<'a> ByK<'a> {
    /// Metrics at each of `ks`; the explanations to add must have been made with the largest of them or more.
    pub fn new(objective: &'a Objective, gate_scope: GateScope, ks: Vec<usize>) -> Self {
        let (correct, squares) = (vec![0; ks.len()], vec![0.0; ks.len()]);
        Self { objective, gate_scope, ks, n: 0, correct, squares, mean: 0.0, total: 0.0 }
    }

    /// Adds explained samples and their known answers.
    pub fn add(&mut self, explanations: &[Explanation], targets: &Targets) {
        for (i, explanation) in explanations.iter().enumerate() {
            self.n += 1;
            let scores = self.scores(explanation);
            match targets {
                Targets::Classes(classes) => {
                    for (correct, scores) in self.correct.iter_mut().zip(&scores) {
                        *correct += usize::from(self.objective.class(scores) == classes[i]);
                    }
                }
                Targets::Values(values) => {
                    let truth = self.objective.truth(values[i]);
                    for (squares, scores) in self.squares.iter_mut().zip(&scores) {
                        *squares += (truth - self.objective.value(scores[0])).powi(2);
                    }
                    let before = truth - self.mean;
                    self.mean += before / self.n as f64;
                    self.total += before * (truth - self.mean);
                }
            }
        }
    }

    /// The metrics of everything added, at each k.
    pub fn finish(self) -> Vec<AtK> {
        let at = |(i, &k): (usize, &usize)| match self.objective {
            Objective::Regression { .. } => AtK {
                k,
                accuracy: None,
                r2: figures::r2(self.squares[i], self.total),
                rmse: figures::rmse(self.squares[i], self.n),
            },
            _ => AtK {
                k,
                accuracy: figures::accuracy(self.correct[i], self.n),
                r2: None,
                rmse: None,
            },
        };
        self.ks.iter().enumerate().map(at).collect()
    }

    /// The scores at each k.
    fn scores(&self, explanation: &Explanation) -> Vec<Vec<f64>> {
        // For each feature, Σ w² over the scores that share a gate.
        let mut shared: HashMap<usize, f64> = HashMap::new();
        if self.gate_scope == GateScope::Shared {
            for term in explanation.outputs.iter().flat_map(|output| &output.terms) {
                *shared.entry(term.feature).or_default() += term.weight.powi(2);
            }
        }
        let size = |t: &Term| shared.get(&t.feature).copied().unwrap_or_else(|| t.weight.powi(2));
        let mut scores = vec![Vec::with_capacity(explanation.outputs.len()); self.ks.len()];
        for output in &explanation.outputs {
            let mut terms: Vec<(f64, &Term)> = output.terms.iter().map(|t| (size(t), t)).collect();
            terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.feature.cmp(&b.1.feature)));
            for (scores, &k) in scores.iter_mut().zip(&self.ks) {
                let kept: f64 = terms.iter().take(k).map(|(_, t)| t.contribution).sum();
                scores.push(output.intercept + kept);
            }
        }
        scores
    }
}

/// The K to measure at, from 1 to `k`: all of them up to ten; beyond that a few, evenly spaced in their
/// logarithm.
///
/// ```
/// use ngsll::metrics::k_grid;
/// assert_eq!(k_grid(4), [1, 2, 3, 4]);
/// assert_eq!(k_grid(64), [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 64]);
/// ```
pub fn k_grid(k: usize) -> Vec<usize> {
    if k <= 10 {
        return (1..=k).collect();
    }
    let decades = std::iter::successors(Some(10_usize), |d| d.checked_mul(10));
    let larger = decades.flat_map(|d| [d, d / 2 * 3, 2 * d, 3 * d, 5 * d, 7 * d]);
    [1, 2, 3, 5, 7].into_iter().chain(larger.take_while(|&step| step < k)).chain([k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_rises_from_one_to_its_end() {
        for k in [1, 2, 10, 11, 15, 100, 1234, 1_000_000] {
            let ks = k_grid(k);
            assert_eq!((ks[0], ks[ks.len() - 1]), (1, k));
            let digits = k.to_string().len();
            assert!(ks.is_sorted_by(|a, b| a < b) && ks.len() <= 10.max(6 * digits), "{ks:?}");
        }
    }
}
