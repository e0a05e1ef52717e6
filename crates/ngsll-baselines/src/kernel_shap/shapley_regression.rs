//! The weighted least-squares problem whose solution is the Shapley values.

use super::KernelShapOptions;
use super::coalitions::Coalitions;
use super::lars;
use crate::explainer::Responses;
use crate::weighted_least_squares::{entry, solve, weighted_gram, weighted_products};
use ngsll::error::{Error, Result};

/// The model's responses to coalitions of one sample's m varying features.
pub(super) struct ShapleyRegression {
    coalitions: Coalitions,
    responses: Responses,
    backgrounds: usize,
    /// Σ weight · member memberᵀ: `[m, m]`, lower triangle only.
    gram: Vec<f64>,
}

impl ShapleyRegression {
    /// `responses` has one row per coalition and background row: `[coalitions, backgrounds]`.
    pub(super) fn new(coalitions: Coalitions, responses: Responses, backgrounds: usize) -> Self {
        let gram = weighted_gram(&coalitions.members, coalitions.m, &coalitions.weights);
        Self { coalitions, responses, backgrounds, gram }
    }

    /// The features that may contribute, each with φ, where `delta` = f(x) − E f.
    pub(super) fn solve(
        &self,
        output: usize,
        expected: f64,
        delta: f64,
        options: &KernelShapOptions,
    ) -> Result<Vec<(usize, f64)>> {
        let Coalitions { m, members, weights } = &self.coalitions;
        let mut responses = self.responses.of(output);
        let mut mean =
            || responses.by_ref().take(self.backgrounds).sum::<f64>() / self.backgrounds as f64;
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

    /// φ of the selected features. The last one is eliminated by φ_last = Δ − Σ of the others; it
    /// remains to fit y − member_last·Δ by the columns member_i − member_last.
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

    /// Selects k features by least-angle regression on augmented data, as the authors' package does:
    /// each coalition of s features enters with its members added to E f, weight · (m − s), and with
    /// the others removed from f(x), weight · s. Both sums follow from those over the coalitions.
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
