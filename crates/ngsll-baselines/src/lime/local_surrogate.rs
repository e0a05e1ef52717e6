//! The linear surrogate of the model around one sample.

use crate::explainer::{Attribution, Responses};
use crate::weighted_least_squares::{entry, solve, weighted_gram, weighted_products};
use ngsll::error::{Error, Result};

/// The perturbed rows, weighted and centred.
pub(super) struct LocalSurrogate {
    d: usize,
    /// Row 0, the sample itself, not centred.
    sample: Vec<f64>,
    /// The weighted mean of each feature.
    means: Vec<f64>,
    /// Centred: `[n, d]`.
    rows: Vec<f64>,
    /// `[n]`.
    weights: Vec<f64>,
    /// Σ weight · row rowᵀ: `[d, d]`, lower triangle only.
    gram: Vec<f64>,
}

/// The exponential kernel √exp(−distance²/width²).
pub(super) fn kernel(distance: f64, width: f64) -> f64 {
    (-0.5 * (distance / width).powi(2)).exp()
}

/// The kernel for a row with `on` of `parts` parts present. Its cosine distance to the row with all of
/// them is 1 − √(on/parts), which is multiplied by `unit`.
pub(super) fn on_off_kernel(on: usize, parts: usize, unit: f64, width: f64) -> f64 {
    kernel(unit * (1.0 - (on as f64 / parts as f64).sqrt()), width)
}

impl LocalSurrogate {
    /// `rows: [n, d], weights: [n]`, where row 0 is the sample.
    pub(super) fn new(mut rows: Vec<f64>, d: usize, weights: Vec<f64>) -> Self {
        let sample = rows[..d].to_vec();
        let ones = vec![1.0; weights.len()];
        let total: f64 = weights.iter().sum();
        let mut means = weighted_products(&rows, d, &weights, &ones);
        means.iter_mut().for_each(|mean| *mean /= total);
        // Centred before the products, not after: far from the training data all weights but the
        // sample's vanish, and the difference of two sums would have no digits left.
        for row in rows.chunks_exact_mut(d) {
            row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
        }
        let gram = weighted_gram(&rows, d, &weights);
        Self { d, sample, means, rows, weights, gram }
    }

    /// Explains each of `outputs` by `k` features selected for it.
    pub(super) fn explain(
        &self,
        responses: &Responses,
        outputs: &[usize],
        k: usize,
    ) -> Result<Vec<Attribution>> {
        responses.check_outputs(outputs)?;
        outputs.iter().map(|&output| self.explain_output(responses, output, k)).collect()
    }

    fn explain_output(
        &self,
        responses: &Responses,
        output: usize,
        k: usize,
    ) -> Result<Attribution> {
        const MAX_BY_FORWARD_SELECTION: usize = 6;
        let total: f64 = self.weights.iter().sum();
        let sum: f64 = responses.of(output).zip(&self.weights).map(|(y, w)| w * y).sum();
        let mean = sum / total;
        let targets: Vec<f64> = responses.of(output).map(|y| y - mean).collect();
        let products = weighted_products(&self.rows, self.d, &self.weights, &targets);
        let k = k.min(self.d);
        let kept = match k <= MAX_BY_FORWARD_SELECTION {
            true => self.forward_selection(&products, k),
            false => self.highest_weights(&products, k)?,
        };
        let coefficients = self.ridge(&kept, &products, 1.0)?;
        let at = |point: &[f64]| -> f64 {
            kept.iter().zip(&coefficients).map(|(&j, c)| c * point[j]).sum()
        };
        let intercept = mean - at(&self.means);
        let local_prediction = intercept + at(&self.sample);
        let contributions = kept.iter().copied().zip(coefficients.iter().copied());
        Ok(Attribution::new(output, contributions, intercept, local_prediction))
    }

    /// Minimises Σ weight·(row·c − target)² + alpha·‖c‖² over the coefficients of `kept`.
    fn ridge(&self, kept: &[usize], products: &[f64], alpha: f64) -> Result<Vec<f64>> {
        let right = kept.iter().map(|&j| products[j]).collect();
        let matrix = |i: usize, j: usize| {
            let alpha = if i == j { alpha } else { 0.0 };
            entry(&self.gram, self.d, kept[i], kept[j]) + alpha
        };
        solve(matrix, right).ok_or_else(|| Error::NotFinite {
            what: "the local linear model".to_string(),
            hint: "; values so large need another scale".to_string(),
        })
    }

    /// Adds, `k` times, the feature that raises the weighted R² of least squares most, ties to the
    /// lowest. The remaining features are kept orthogonal to the selected ones (a Cholesky factor
    /// that grows by a column), so that no model has to be fitted to score one.
    fn forward_selection(&self, products: &[f64], k: usize) -> Vec<usize> {
        let d = self.d;
        let diagonal = |j: usize| self.gram[j * d + j];
        let mut left: Vec<f64> = (0..d).map(diagonal).collect();
        let mut products = products.to_vec();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut kept = Vec::new();
        for _ in 0..k {
            let gain = |j: usize| match left[j] > d as f64 * f64::EPSILON * diagonal(j) {
                true => products[j].powi(2) / left[j],
                false => 0.0,
            };
            let free = (0..d).filter(|j| !kept.contains(j)).map(|j| (j, gain(j)));
            let Some((best, gained)) = free.reduce(|a, b| if b.1 > a.1 { b } else { a }) else {
                break;
            };
            kept.push(best);
            if gained == 0.0 {
                continue;
            }
            let length = left[best].sqrt();
            let column: Vec<f64> = (0..d)
                .map(|j| {
                    let known: f64 = columns.iter().map(|column| column[j] * column[best]).sum();
                    (entry(&self.gram, d, j, best) - known) / length
                })
                .collect();
            let step = products[best] / length;
            for j in 0..d {
                left[j] -= column[j].powi(2);
                products[j] -= step * column[j];
            }
            columns.push(column);
        }
        kept
    }

    /// The `k` features with the largest |coefficient · value| of a ridge regression on all features.
    fn highest_weights(&self, products: &[f64], k: usize) -> Result<Vec<usize>> {
        let all: Vec<usize> = (0..self.d).collect();
        let coefficients = self.ridge(&all, products, 0.01)?;
        let size = |j: usize| (coefficients[j] * self.sample[j]).abs();
        let mut order = all;
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        order.truncate(k);
        Ok(order)
    }
}
