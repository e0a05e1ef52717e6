//! KernelSHAP (Lundberg & Lee 2017): Shapley values of the features of one sample, by weighted
//! least squares over coalitions of features.
//!
//! The members of a coalition have the sample's values, the other features those of the background,
//! and the model is averaged over the background rows. Features that are equal in the sample and the
//! whole background contribute nothing; let M be the number of the others. All coalitions of s of
//! them share the weight (M − 1)/(s(M − s)). With Δ = f(x) − E f, the values φ minimise the weighted
//! squared error of Σφ over each coalition, subject to Σφ = Δ over all features; the constraint is
//! built in by eliminating one of them.

mod coalitions;
mod lars;
mod shapley_regression;

use crate::explainer::{Attribution, Predict, Responses, check_rows, check_sample};
use crate::options::setters;
use coalitions::Coalitions;
use ngsll::error::{Error, Result};
use shapley_regression::ShapleyRegression;

/// Options of [`KernelShap`]: the choice of coalitions and features.
///
/// | setter | default | purpose | range |
/// |---|---|---|---|
/// | `samples` | 2M + 2048 | maximum number of coalitions to query; all 2^M − 2 if there are fewer | at least 1 |
/// | `k` | all | features that may contribute, selected by least-angle regression | at least 1 |
/// | `seed` | 0 | which coalitions are drawn of sizes with too many | any |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelShapOptions {
    /// The maximum number of coalitions to query; None for the default.
    pub(crate) samples: Option<usize>,
    /// The number of features that may contribute; None for all.
    pub(crate) k: Option<usize>,
    /// Decides which coalitions are drawn.
    pub(crate) seed: u64,
}

setters!(KernelShapOptions { seed: u64 });

impl KernelShapOptions {
    /// Sets the maximum number of coalitions to query.
    #[must_use]
    pub fn samples(mut self, samples: usize) -> Self {
        self.samples = Some(samples);
        self
    }

    /// Sets the number of features that may contribute.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.k = Some(k);
        self
    }
}

/// A model, and the background its outputs are compared with.
#[derive(Debug, Clone)]
pub struct KernelShap<M> {
    model: M,
    /// `[rows, d]`
    background: Vec<f32>,
    d: usize,
    options: KernelShapOptions,
    /// E f, the mean of each output over the background.
    expected: Vec<f64>,
}

impl<M: Predict> KernelShap<M> {
    /// Queries the model for `background: [rows, d]`.
    ///
    /// ```
    /// use ngsll_baselines::{KernelShap, KernelShapOptions};
    /// // x₀x₁ against a background of zeros: both features are needed, so each gets half.
    /// let model = |rows: &[f32], _n: usize| {
    ///     Ok(rows.chunks_exact(2).map(|x| f64::from(x[0] * x[1])).collect())
    /// };
    /// let shap = KernelShap::new(model, vec![0.0, 0.0], 2, KernelShapOptions::default())?;
    /// let explained = &shap.explain(&[2.0, 3.0], &[0])?[0];
    /// assert!((explained.contribution_of(0) - 3.0).abs() < 1e-12);
    /// assert!((explained.contribution_of(1) - 3.0).abs() < 1e-12);
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn new(
        model: M,
        background: Vec<f32>,
        d: usize,
        options: KernelShapOptions,
    ) -> Result<Self> {
        check_rows("background", &background, d)?;
        for (name, value) in [("samples", options.samples), ("k", options.k)] {
            if value == Some(0) {
                return Err(Error::setting(name, 0, "at least 1 is needed"));
            }
        }
        let responses = Responses::query(background.len() / d, d, |range| {
            model.predict(&background[range.start * d..range.end * d], range.len())
        })?;
        let mean = |output| responses.of(output).sum::<f64>() / responses.rows() as f64;
        let expected = (0..responses.outputs()).map(mean).collect();
        Ok(Self { model, background, d, options, expected })
    }

    /// Explains each of `outputs` of the model for `sample: [d]`: the intercept is E f, the local
    /// prediction f(x), and the contributions are φ, which add up to their difference.
    pub fn explain(&self, sample: &[f32], outputs: &[usize]) -> Result<Vec<Attribution>> {
        check_sample(sample, self.d)?;
        let fx = Responses::query(1, self.d, |_| self.model.predict(sample, 1))?;
        let fx = fx.with_outputs(self.expected.len())?;
        fx.check_outputs(outputs)?;
        let varying = self.varying(sample);
        let regression = match varying.len() {
            // Σφ = Δ determines φ.
            0 | 1 => None,
            _ => Some(self.query(sample, &varying)?),
        };
        let explain = |&output: &usize| {
            let (expected, fx) = (self.expected[output], fx.of(output).sum::<f64>());
            let phi = match &regression {
                None => varying.iter().map(|_| fx - expected).enumerate().collect(),
                Some(regression) => {
                    regression.solve(output, expected, fx - expected, &self.options)?
                }
            };
            let contributions = phi.into_iter().map(|(i, phi)| (varying[i], phi));
            Ok(Attribution::new(output, contributions, expected, fx))
        };
        outputs.iter().map(explain).collect()
    }

    /// The features for which some background row differs from the sample.
    fn varying(&self, sample: &[f32]) -> Vec<usize> {
        let differs = |&j: &usize| self.background.chunks_exact(self.d).any(|b| b[j] != sample[j]);
        (0..self.d).filter(differs).collect()
    }

    /// Queries the model for coalitions of the varying features.
    fn query(&self, sample: &[f32], varying: &[usize]) -> Result<ShapleyRegression> {
        let (d, m) = (self.d, varying.len());
        let max_coalitions = self.options.samples.unwrap_or(2 * m + 2048);
        let coalitions = Coalitions::choose(m, max_coalitions, self.options.seed);
        let backgrounds = self.background.len() / d;
        let mut rows = Vec::new();
        let responses = Responses::query(coalitions.weights.len() * backgrounds, d, |range| {
            rows.clear();
            for at in range.clone() {
                let (coalition, background) = (at / backgrounds, at % backgrounds);
                let start = rows.len();
                rows.extend_from_slice(&self.background[background * d..][..d]);
                let members = &coalitions.members[coalition * m..][..m];
                for (&j, &member) in varying.iter().zip(members) {
                    if member == 1.0 {
                        rows[start + j] = sample[j];
                    }
                }
            }
            self.model.predict(&rows, range.len())
        })?;
        let responses = responses.with_outputs(self.expected.len())?;
        Ok(ShapleyRegression::new(coalitions, responses, backgrounds))
    }
}

#[cfg(test)]
mod tests;
