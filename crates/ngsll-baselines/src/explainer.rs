//! Common types of post-hoc explainers: the model they query and the attribution they return.

use ngsll::error::{Error, Result};
use std::ops::Range;

/// A model that can be queried for its outputs, such as any `Fn(&[f32], usize) -> Result<Vec<f64>>`.
pub trait Predict {
    /// The outputs of `n` rows, such as class probabilities: `rows: [n, d] → [n, outputs]`.
    fn predict(&self, rows: &[f32], n: usize) -> Result<Vec<f64>>;
}

impl<F: Fn(&[f32], usize) -> Result<Vec<f64>>> Predict for F {
    fn predict(&self, rows: &[f32], n: usize) -> Result<Vec<f64>> {
        self(rows, n)
    }
}

/// One feature's part in an explanation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Contribution {
    /// The index of the feature, word or segment.
    pub feature: usize,
    /// Its contribution to the output.
    pub contribution: f64,
}

/// The explanation of one output for one sample.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Attribution {
    /// The output that is explained.
    pub output: usize,
    /// The selected features by falling |contribution|, ties to the lower feature.
    pub contributions: Vec<Contribution>,
    /// The output if no feature contributes.
    pub intercept: f64,
    /// The explanation's own prediction for the sample.
    pub local_prediction: f64,
}

impl Attribution {
    /// Sorts the (feature, contribution) pairs.
    pub(crate) fn new(
        output: usize,
        contributions: impl Iterator<Item = (usize, f64)>,
        intercept: f64,
        local_prediction: f64,
    ) -> Self {
        let mut contributions: Vec<_> = contributions
            .map(|(feature, contribution)| Contribution { feature, contribution })
            .collect();
        contributions.sort_by(|a, b| {
            let larger = b.contribution.abs().total_cmp(&a.contribution.abs());
            larger.then(a.feature.cmp(&b.feature))
        });
        Self { output, contributions, intercept, local_prediction }
    }

    /// The contribution of `feature`, 0 if it was not selected.
    pub fn contribution_of(&self, feature: usize) -> f64 {
        let found = self.contributions.iter().find(|c| c.feature == feature);
        found.map_or(0.0, |c| c.contribution)
    }
}

/// A model's responses to perturbed rows: `[rows, outputs]`.
pub(crate) struct Responses {
    values: Vec<f64>,
    outputs: usize,
}

impl Responses {
    /// Queries the model for `n` rows of `width` values. Large calls save overhead, but all
    /// perturbations of a large image at once would fill the memory, so calls are limited in size.
    /// `call` makes the rows of a range and queries the model.
    pub(crate) fn query(
        n: usize,
        width: usize,
        mut call: impl FnMut(Range<usize>) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        const MAX_VALUES_PER_CALL: usize = 1 << 20;
        let rows_per_call = (MAX_VALUES_PER_CALL / width.max(1)).max(1);
        let mut responses = Self { values: Vec::new(), outputs: 0 };
        for start in (0..n).step_by(rows_per_call) {
            let range = start..n.min(start + rows_per_call);
            let values = call(range.clone())?;
            responses.push(values, range)?;
        }
        Ok(responses)
    }

    fn push(&mut self, values: Vec<f64>, rows: Range<usize>) -> Result<()> {
        if self.values.is_empty() {
            self.outputs = values.len() / rows.len();
        }
        if self.outputs == 0 || values.len() != rows.len() * self.outputs {
            let expected = format!(
                "expected the same number of outputs, at least one, for each of {} rows",
                rows.len()
            );
            return Err(Error::setting("number of model outputs", values.len(), expected));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (row, output) = (rows.start + at / self.outputs, at % self.outputs);
            let what = format!("the model's output {output} for perturbed row {}", row + 1);
            return Err(Error::NotFinite { what, hint: String::new() });
        }
        self.values.extend(values);
        Ok(())
    }

    /// Fails if the model gave another number of `outputs` before.
    pub(crate) fn with_outputs(self, outputs: usize) -> Result<Self> {
        if self.outputs == outputs {
            return Ok(self);
        }
        let expected = format!("it had {outputs} outputs a row before");
        Err(Error::setting("number of model outputs a row", self.outputs, expected))
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.outputs
    }

    /// One output of all rows: `[rows]`.
    pub(crate) fn of(&self, output: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(output).step_by(self.outputs).copied()
    }

    /// The number of outputs per row.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Fails if one of `requested` is not an output of the model.
    pub(crate) fn check_outputs(&self, requested: &[usize]) -> Result<()> {
        match requested.iter().find(|&&output| output >= self.outputs) {
            None => Ok(()),
            Some(output) => {
                let expected = format!("the model's outputs are 0 to {}", self.outputs - 1);
                Err(Error::setting("output", output, expected))
            }
        }
    }
}

/// Fails unless `rows` holds at least one row of `d` finite values.
pub(crate) fn check_rows(what: &str, rows: &[f32], d: usize) -> Result<()> {
    if d == 0 || rows.is_empty() || !rows.len().is_multiple_of(d) {
        let expected = format!("rows of {d} values are expected, at least one of each");
        return Err(Error::setting(format!("number of {what} values"), rows.len(), expected));
    }
    check_finite(what, rows, d)
}

/// Fails unless `sample` holds `d` finite values.
pub(crate) fn check_sample(sample: &[f32], d: usize) -> Result<()> {
    if sample.len() != d {
        let expected = format!("the explainer was made for {d} features");
        return Err(Error::setting("number of values of the sample", sample.len(), expected));
    }
    check_finite("sample", sample, d)
}

fn check_finite(what: &str, rows: &[f32], d: usize) -> Result<()> {
    match rows.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let what = format!("{what} row {} feature {}", at / d + 1, at % d + 1);
            Err(Error::NotFinite { what, hint: String::new() })
        }
    }
}
