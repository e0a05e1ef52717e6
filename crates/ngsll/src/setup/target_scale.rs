//! Whether a number is predicted on its own scale, by its logarithm, or as a count.
//!
//! Prices, incomes and durations vary by factors: a change that makes a small one a tenth larger makes a large one a
//! tenth larger, too. Then the logarithm is easier to predict, and terms are factors. Cheap linear models of
//! both, compared on held-out rows, decide.

use crate::error::{Error, Result};
use crate::linear_model::{Design, FOLDS, LinearData, folds};
use crate::mean_std::MeanStd;
use crate::objective::{Answers, Objective, Targets, ValueLoss};
use crate::representation::{Encoded, Representation};
use crate::train::TrainingConfig;
use burn::tensor::Device;

/// Targets with a lower skewness keep their scale.
const SKEWED: f64 = 1.0;

/// The share by which the logarithm's error must be smaller.
const BETTER: f64 = 0.25;

/// The most rows that are compared.
const MOST_ROWS: usize = 3000;

/// The objective with the scale that the options request, or that predicts held-out rows better.
pub(super) fn scaled(
    objective: Objective,
    answers: &Answers,
    training: &TrainingConfig,
    (representation, samples, rows): (&Representation, &Encoded, &[usize]),
    seed: u64,
) -> Result<Objective> {
    let Answers::Numbers(values) = answers else {
        return match (training.log_target, training.loss) {
            (Some(true), _) => Err(only_numbers("training.log_target", "true")),
            (_, ValueLoss::Squared) => Ok(objective),
            _ => Err(only_numbers("training.loss", "given")),
        };
    };
    if training.loss == ValueLoss::Poisson {
        if training.log_target == Some(true) {
            let expected = "expected false: counts are already predicted as logarithms";
            return Err(Error::setting("training.log_target", "true", expected));
        }
        if let Some(value) = values.iter().find(|value| **value < 0.0) {
            let expected =
                format!("expected counts of at least 0 as the target, but one is {value}");
            return Err(Error::setting("training.loss", "poisson", expected));
        }
        return Ok(objective.in_counts());
    }
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let log = match training.log_target {
        Some(true) if smallest <= 0.0 => {
            let expected =
                format!("expected positive numbers as the target, but one is {smallest}");
            return Err(Error::setting("training.log_target", "true", expected));
        }
        Some(wanted) => wanted,
        // Without a comparison the default remains.
        None => {
            smallest > 0.0
                && representation.is_screened()
                && skewness(rows.iter().map(|&row| values[row])) > SKEWED
                && logarithms_help(representation, samples, rows, values, seed)
        }
    };
    Ok(if log { objective.in_logarithms(values, rows) } else { objective })
}

fn only_numbers(name: &str, value: &str) -> Error {
    Error::setting(name, value, "this is for numbers, but the target is classes")
}

fn skewness(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let MeanStd { mean, deviation } = MeanStd::of(values.clone());
    let n = values.clone().count().max(1) as f64;
    values.map(|value| ((value - mean) / deviation).powi(3)).sum::<f64>() / n
}

/// Whether a linear model of the logarithms predicts the values of held-out rows better than one of the
/// values.
fn logarithms_help(
    representation: &Representation,
    samples: &Encoded,
    rows: &[usize],
    values: &[f64],
    seed: u64,
) -> bool {
    let rows = &rows[..rows.len().min(MOST_ROWS)];
    let batch = representation.batch(samples, rows, &Device::default());
    let Some(table) = batch.x.as_columns() else { return false };
    let design = Design::new(table);
    let values: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let error =
        |own: &[f64], read: fn(f64) -> f64| held_out_error(&design, own, &values, read, seed);
    error(&logs, f64::exp) < (1.0 - BETTER) * error(&values, |value| value)
}

/// The mean squared error, in the values' units, of a linear model that is fitted to `own`.
fn held_out_error(
    design: &Design,
    own: &[f64],
    values: &[f64],
    read: fn(f64) -> f64,
    seed: u64,
) -> f64 {
    let MeanStd { mean, deviation } = MeanStd::of(own.iter().copied());
    let targets = Targets::Values(own.iter().map(|v| ((v - mean) / deviation) as f32).collect());
    let weights = vec![1.0; own.len()];
    let data =
        LinearData { design, targets: &targets, weights: &weights, outputs: 1, counts: false };
    let strength = data.best_straight(seed);
    let positions: Vec<usize> = (0..own.len()).collect();
    let mut squares = 0.0;
    for (others, held) in folds(&positions, FOLDS, seed, 0) {
        let scores = data.fit(&others, strength).scores(design, &positions);
        let predict = |row: usize| read(scores[row] * deviation + mean);
        // Right on average, as the model itself will be.
        let truth: f64 = others.iter().map(|&row| values[row]).sum();
        let ratio = truth / others.iter().map(|&row| predict(row)).sum::<f64>();
        squares +=
            held.iter().map(|&row| (ratio * predict(row) - values[row]).powi(2)).sum::<f64>();
    }
    squares / own.len().max(1) as f64
}
