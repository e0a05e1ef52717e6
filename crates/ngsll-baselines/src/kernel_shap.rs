//! KernelSHAP (Lundberg & Lee 2017): Shapley values of the features of one sample, by weighted
//! least squares over coalitions of features.
//!
//! In a coalition the features that belong to it have the sample's values, the others those of the
//! background, and the model is averaged over the background rows. Features that are the same
//! throughout the background and in the sample contribute nothing; let M be the number of the
//! others. A coalition of s of them counts (M − 1)/(s(M − s)), shared by all of that size. With
//! Δ = f(x) − E f the values φ minimise the weighted squared error of Σ φ over the coalition under
//! the condition that all φ together make Δ, which is built in by eliminating one of them.

mod coalitions;
mod lars;
mod problem;

use crate::explainer::{Answers, Attribution, Model, check_rows, check_sample};
use coalitions::Coalitions;
use ngsll::error::{Error, Result};
use problem::Problem;

/// How coalitions are chosen.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `samples` | 2M + 2048 | coalitions at most; all 2^M − 2 where they are fewer | at least 1 |
/// | `k` | all | features that may contribute, chosen by least-angle regression | at least 1 |
/// | `seed` | 0 | which coalitions are drawn of sizes that have too many | any |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelShapOptions {
    /// The most coalitions that are asked about; None for the default.
    pub samples: Option<usize>,
    /// The number of features that may contribute; None for all.
    pub k: Option<usize>,
    /// Decides which coalitions are drawn.
    pub seed: u64,
}

/// A model and the background that its outputs are compared with.
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

impl<M: Model> KernelShap<M> {
    /// Asks the model about `background: [rows, d]`.
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
        let answers = Answers::ask(background.len() / d, d, |range| {
            model.predict(&background[range.start * d..range.end * d], range.len())
        })?;
        let mean = |output| answers.of(output).sum::<f64>() / answers.rows() as f64;
        let expected = (0..answers.outputs()).map(mean).collect();
        Ok(Self { model, background, d, options, expected })
    }

    /// Explains each of `outputs` of the model for `sample: [d]`: the intercept is E f, the local
    /// prediction f(x), and the contributions are φ, which add up to their difference.
    pub fn explain(&self, sample: &[f32], outputs: &[usize]) -> Result<Vec<Attribution>> {
        check_sample(sample, self.d)?;
        let fx = Answers::ask(1, self.d, |_| self.model.predict(sample, 1))?;
        let fx = fx.with_outputs(self.expected.len())?;
        fx.check_outputs(outputs)?;
        let varying = self.varying(sample);
        let problem = match varying.len() {
            // Σφ = Δ alone decides.
            0 | 1 => None,
            _ => Some(self.ask(sample, &varying)?),
        };
        let explain = |&output: &usize| {
            let (expected, fx) = (self.expected[output], fx.of(output).sum::<f64>());
            let phi = match &problem {
                None => varying.iter().map(|_| fx - expected).enumerate().collect(),
                Some(problem) => problem.solve(output, expected, fx - expected, &self.options)?,
            };
            let contributions = phi.into_iter().map(|(i, phi)| (varying[i], phi));
            Ok(Attribution::new(output, contributions, expected, fx))
        };
        outputs.iter().map(explain).collect()
    }

    /// The features of which some background row has another value than the sample.
    fn varying(&self, sample: &[f32]) -> Vec<usize> {
        let differs = |&j: &usize| self.background.chunks_exact(self.d).any(|b| b[j] != sample[j]);
        (0..self.d).filter(differs).collect()
    }

    /// Asks the model about coalitions of the varying features.
    fn ask(&self, sample: &[f32], varying: &[usize]) -> Result<Problem> {
        let (d, m) = (self.d, varying.len());
        let most = self.options.samples.unwrap_or(2 * m + 2048);
        let coalitions = Coalitions::choose(m, most, self.options.seed);
        let backgrounds = self.background.len() / d;
        let mut rows = Vec::new();
        let answers = Answers::ask(coalitions.weights.len() * backgrounds, d, |range| {
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
        let answers = answers.with_outputs(self.expected.len())?;
        Ok(Problem::new(coalitions, answers, backgrounds))
    }
}

#[cfg(test)]
mod tests;
