//! Calibrated probabilities: one number by which all terms are multiplied.
//!
//! A network that has learned the training samples well is overconfident on others. Of all possible
//! remedies, multiplying every term by the same number (a temperature, Guo et al. 2017) preserves the content of
//! an explanation: the order of the terms, their sum, and the base rate where nothing is known.

use crate::error::Result;
use crate::generator::Generator;
use crate::model::Model;
use crate::objective::{Objective, Targets, ValueScale};
use crate::representation::Encoded;
use crate::train::Part;

/// Held-out samples that are read at most, and the fewest that calibration is based on.
const MOST_SAMPLES: usize = 2000;
const FEWEST_SAMPLES: usize = 30;

/// The weight, beside the samples' losses, of the prior that the number is 1: with few samples chance would
/// decide.
const CAUTION: f64 = 10.0;

/// The logarithms between which the number is searched, and when the search ends. It is at most 1: a network
/// that is not sure enough does no harm, and larger terms on the same base rate would move the
/// border between the classes.
const SEARCHED: [f64; 2] = [-2.0, 0.0];
const PRECISE: f64 = 1e-4;

impl<G: Generator> Model<G> {
    /// Returns the model calibrated on held-out samples, with K terms and with all of them.
    pub(crate) fn calibrated(self, held_out: &Part<'_>) -> Result<Self> {
        let n = held_out.rows.len().min(MOST_SAMPLES);
        if matches!(self.objective(), Objective::Regression { .. }) || n < FEWEST_SAMPLES {
            return Ok(self);
        }
        let Targets::Classes(classes) = &held_out.targets else { return Ok(self) };
        let scores = self.scores_of(held_out, n)?;
        let classes: Vec<usize> = classes[..n].iter().chain(&classes[..n]).copied().collect();
        let base = self.network().intercepts();
        let loss = |log: f64| {
            let total = total_loss(self.objective(), &base, &scores, &classes, log.exp());
            // The two predictions of a sample count as one.
            total / 2.0 + CAUTION * log * log
        };
        let scale = smallest(loss).exp();
        Ok(self.with_scale(scale))
    }

    /// Returns the model, if it predicts logarithms, with values whose mean is that of the samples: the
    /// mean of logarithms is not the logarithm of the mean.
    pub(crate) fn right_on_average(self, samples: &Part<'_>) -> Result<Self> {
        let (Some(ValueScale::Log { .. }), Targets::Values(answers)) =
            (self.objective().value_scale(), &samples.targets)
        else {
            return Ok(self);
        };
        let n = samples.rows.len().min(MOST_SAMPLES);
        let mean = |values: &mut dyn ExactSizeIterator<Item = f64>| {
            let n = values.len() as f64;
            values.sum::<f64>() / n
        };
        let truth = mean(&mut answers[..n].iter().map(|&answer| self.objective().truth(answer)));
        let scores = self.scores_of(samples, n)?;
        let values = mean(&mut scores.iter().map(|scores| self.objective().value(scores[0])));
        let correction = (truth / values).ln();
        Ok(if correction.is_finite() { self.with_correction(correction) } else { self })
    }

    /// The scores of the first samples with K terms, then those with all.
    fn scores_of(&self, part: &Part<'_>, n: usize) -> Result<Vec<Vec<f64>>> {
        let sample = |&row: &usize| self.representation().sample(part.samples, row);
        let encoded = Encoded::concat(part.rows[..n].iter().map(sample));
        let mut scores = self.score_encoded(&encoded, None, self.k())?;
        if self.largest_k() > self.k() {
            scores.extend(self.score_encoded(&encoded, None, self.largest_k())?);
        } else {
            scores.extend(scores.clone());
        }
        Ok(scores)
    }
}

/// The loss of all samples whose terms are multiplied by `scale`.
fn total_loss(
    objective: &Objective,
    base: &[f64],
    scores: &[Vec<f64>],
    classes: &[usize],
    scale: f64,
) -> f64 {
    let loss = |(scores, &class): (&Vec<f64>, &usize)| {
        let scaled: Vec<f64> =
            scores.iter().zip(base).map(|(score, base)| base + scale * (score - base)).collect();
        objective.loss(&scaled, &Targets::Classes(vec![class]), 0)
    };
    scores.iter().zip(classes).map(loss).sum()
}

/// The minimum of a unimodal function (golden-section search).
fn smallest(f: impl Fn(f64) -> f64) -> f64 {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let [mut low, mut high] = SEARCHED;
    let inner = |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (f(left), f(right));
    while high - low > PRECISE {
        if at_left < at_right {
            high = right;
            (right, at_right) = (left, at_left);
            left = inner(low, high).0;
            at_left = f(left);
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = inner(low, high).1;
            at_right = f(right);
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;
    use rand::RngExt;

    #[test]
    fn scores_that_are_twice_too_sure_are_halved() {
        let mut rng = stream(1, Purpose::Sample, 0, 0);
        let mut draw = || {
            let score = rng.random_range(-3.0..3.0_f64);
            let class = usize::from(rng.random::<f64>() < 1.0 / (1.0 + (-score).exp()));
            (vec![0.5 + 2.0 * (score - 0.5)], class)
        };
        let (scores, classes): (Vec<_>, Vec<_>) = (0..20_000).map(|_| draw()).unzip();
        let names = ["no", "yes"].map(String::from);
        let objective = Objective::Binary { classes: names.into(), threshold: None };
        let loss = |log: f64| total_loss(&objective, &[0.5], &scores, &classes, log.exp());
        let scale = smallest(loss).exp();
        assert!((scale - 0.5).abs() < 0.02, "{scale}");
    }

    proptest! {
        #[test]
        fn the_valley_of_a_parabola_is_found(at in -1.9..-0.1_f64) {
            prop_assert!((smallest(|x| (x - at).powi(2)) - at).abs() < 1e-3);
        }
    }
}
