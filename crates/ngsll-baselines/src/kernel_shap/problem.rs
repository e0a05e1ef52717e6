//! The weighted least squares problem whose solution are the Shapley values.

use super::KernelShapOptions;
use super::coalitions::Coalitions;
use super::lars;
use crate::explainer::Answers;
use crate::solve::{entry, solve, weighted_gram, weighted_products};
use ngsll::error::{Error, Result};

/// What the model said about the coalitions of one sample's m varying features.
pub(super) struct Problem {
    coalitions: Coalitions,
    answers: Answers,
    backgrounds: usize,
    /// Σ weight · member memberᵀ: `[m, m]`, the lower triangle.
    gram: Vec<f64>,
}

impl Problem {
    /// `answers` has for each coalition one row for each of the `backgrounds`.
    pub(super) fn new(coalitions: Coalitions, answers: Answers, backgrounds: usize) -> Self {
        let gram = weighted_gram(&coalitions.members, coalitions.m, &coalitions.weights);
        Self { coalitions, answers, backgrounds, gram }
    }

    /// The features that may contribute, with φ, where `delta` = f(x) − E f.
    pub(super) fn solve(
        &self,
        output: usize,
        expected: f64,
        delta: f64,
        options: &KernelShapOptions,
    ) -> Result<Vec<(usize, f64)>> {
        let Coalitions { m, members, weights } = &self.coalitions;
        let mut answers = self.answers.of(output);
        let mut mean =
            || answers.by_ref().take(self.backgrounds).sum::<f64>() / self.backgrounds as f64;
        let y: Vec<f64> = weights.iter().map(|_| mean() - expected).collect();
        let products = weighted_products(members, *m, weights, &y);
        let kept = match options.k {
            Some(k) if k < *m => self.select(&y, &products, delta, k),
            _ => Some((0..*m).collect()),
        };
        kept.and_then(|kept| self.solve_kept(kept, &products, delta)).ok_or_else(|| {
            let n = self.coalitions.weights.len();
            let expected = format!("{n} coalitions do not tell the {m} features apart, give more");
            Error::setting("samples", options.samples.unwrap_or(n), expected)
        })
    }

    /// φ of the kept features. The last one is eliminated, φ_last = Δ − Σ of the others: what is
    /// left is to fit y − member_last·Δ by the columns member_i − member_last.
    fn solve_kept(&self, kept: Vec<usize>, b: &[f64], delta: f64) -> Option<Vec<(usize, f64)>> {
        let c = |i: usize, j: usize| entry(&self.gram, self.coalitions.m, i, j);
        let (&last, others) = kept.split_last()?;
        let right = others.iter().map(|&i| b[i] - b[last] - delta * (c(i, last) - c(last, last)));
        let matrix = |i: usize, j: usize| {
            let (i, j) = (others[i], others[j]);
            c(i, j) - c(i, last) - c(j, last) + c(last, last)
        };
        let phi = solve(matrix, right.collect())?;
        let rest = delta - phi.iter().sum::<f64>();
        Some(kept.iter().copied().zip(phi.into_iter().chain([rest])).collect())
    }

    /// Chooses k features by least-angle regression. There each coalition of s counts twice: as
    /// what its members make of E f, weight · (m − s), and as what the others, leaving, make of
    /// f(x), weight · s. The sums over both follow from those over the coalitions.
    fn select(&self, y: &[f64], products: &[f64], delta: f64, k: usize) -> Option<Vec<usize>> {
        let Coalitions { m, members, weights } = &self.coalitions;
        let sizes: Vec<f64> = members.chunks_exact(*m).map(|row| row.iter().sum()).collect();
        let by_size = weighted_products(members, *m, weights, &sizes);
        let weighted_sizes = weights.iter().zip(&sizes).map(|(weight, s)| weight * s);
        let (mut total, mut total_y) = (0.0, 0.0);
        for (weight, y) in weighted_sizes.zip(y) {
            total += weight;
            total_y += weight * y;
        }
        let features = *m as f64;
        let gram = |i: usize, j: usize| {
            features * entry(&self.gram, *m, i, j) - by_size[i] - by_size[j] + total
        };
        let correlation =
            |i: usize| features * products[i] - delta * by_size[i] - total_y + delta * total;
        lars::select(gram, (0..*m).map(correlation).collect(), k)
    }
}
