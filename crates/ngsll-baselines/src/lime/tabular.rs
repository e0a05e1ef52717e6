//! LIME for rows of numbers.

use super::LimeOptions;
use super::local_surrogate::{LocalSurrogate, kernel};
use crate::explainer::{Attribution, Predict, Responses, check_rows, check_sample};
use ngsll::error::Result;
use ngsll::random::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// LIME for rows of numbers: the mean and standard deviation of each column, with which perturbed rows
/// are drawn.
#[derive(Debug, Clone)]
pub struct Tabular {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Tabular {
    /// Computes the mean and standard deviation of each column of `training: [rows, d]`; a constant
    /// column gets deviation 1.
    pub fn fit(training: &[f32], d: usize) -> Result<Self> {
        check_rows("training", training, d)?;
        let n = (training.len() / d) as f64;
        let column_means = |f: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; d];
            for row in training.chunks_exact(d) {
                for (j, &value) in row.iter().enumerate() {
                    sums[j] += f(j, f64::from(value));
                }
            }
            sums.into_iter().map(|sum| sum / n).collect::<Vec<f64>>()
        };
        let means = column_means(&|_, value| value);
        let variances = column_means(&|j, value| (value - means[j]).powi(2));
        let deviation = |variance: f64| if variance > 0.0 { variance.sqrt() } else { 1.0 };
        Ok(Self { deviations: variances.into_iter().map(deviation).collect(), means })
    }

    /// Explains each of `outputs` of the model for `sample: [d]`. Contributions and intercept are
    /// those of a linear model over (value − mean) / deviation.
    ///
    /// The perturbed rows lie around the mean of the training data, not around the sample, as in the
    /// authors' package by default.
    pub fn explain(
        &self,
        model: &impl Predict,
        sample: &[f32],
        outputs: &[usize],
        options: &LimeOptions,
    ) -> Result<Vec<Attribution>> {
        let n = options.check(5000)?;
        let d = self.means.len();
        check_sample(sample, d)?;
        let (rows, weights) = self.perturb(sample, n, options.seed);
        let responses = Responses::query(n, d, |range| {
            let values = rows[range.start * d..range.end * d].chunks_exact(d).flat_map(|row| {
                let columns = self.means.iter().zip(&self.deviations);
                row.iter().zip(columns).map(|(z, (mean, deviation))| (mean + deviation * z) as f32)
            });
            let mut values: Vec<f32> = values.collect();
            if range.start == 0 {
                values[..d].copy_from_slice(sample);
            }
            model.predict(&values, range.len())
        })?;
        LocalSurrogate::new(rows, d, weights).explain(&responses, outputs, options.k)
    }

    /// The standardised sample, n − 1 standard normal rows, and the weights of all.
    pub(super) fn perturb(&self, sample: &[f32], n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let d = self.means.len();
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let mut rows = Vec::with_capacity(n * d);
        let columns = self.means.iter().zip(&self.deviations);
        rows.extend(sample.iter().zip(columns).map(|(&x, (m, s))| (f64::from(x) - m) / s));
        rows.extend(StandardNormal.sample_iter(&mut rng).take((n - 1) * d).map(|z: f64| z));
        let width = 0.75 * (d as f64).sqrt();
        let distance = |row: &[f64]| {
            row.iter().zip(&rows[..d]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let weights = rows.chunks_exact(d).map(|row| kernel(distance(row), width)).collect();
        (rows, weights)
    }
}
