//! `ngsll compare`

mod sample;
mod text;

use crate::args::CompareArgs;
use crate::output::Output;
use crate::paths::file_name;
use crate::progress::RowProgress;
use crate::samples::{self, CHUNK};
use crate::stdin::InputFile;
use crate::warnings;
use anyhow::{Result, bail};
use ngsll::metrics::{McNemar, Metrics, PairedDifference, correlation};
use ngsll::objective::Objective;
use ngsll::{Model, Prediction};
use ngsll_readers::LabelUse;
use sample::{Pair, Pairs};
use serde::Serialize;
use std::io::Write;

/// The comparison, in the form of `--json`.
#[derive(Serialize)]
pub struct Comparison {
    /// The models' names.
    models: [String; 2],
    k: [usize; 2],
    /// The figures of each.
    metrics: [Metrics; 2],
    /// Which classes are right (classes).
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy_test: Option<McNemar>,
    /// `log_loss` or `squared_error`.
    loss: &'static str,
    /// The losses, first − second.
    loss_test: PairedDifference,
    /// Samples for which the models predict different things, the largest difference first; for a number the
    /// samples where they are furthest apart.
    disagreements: Vec<Disagreement>,
    terms: TermsCompared,
}

/// A sample for which two models predict different things.
#[derive(Serialize)]
pub struct Disagreement {
    row: usize,
    truth: String,
    predictions: [Prediction; 2],
    #[serde(skip)]
    difference: f64,
}

/// A comparison of the terms of two models.
#[derive(Serialize)]
pub struct TermsCompared {
    /// Mean over the samples of the share of features that both name among those that either names.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap: Option<f64>,
    /// Contributions of features that both name, for the same sample and class.
    pairs: usize,
    /// Their correlation; absent for models whose scores are on different scales.
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation: Option<f64>,
}

/// The number of samples that are listed for numbers.
const FURTHEST: usize = 100;

pub fn run(args: &CompareArgs) -> Result<()> {
    let models = [Model::load(&args.first)?, Model::load(&args.second)?];
    let classes = same_question(&models, args)?;
    let k = [models[0].check_k(args.k)?, models[1].check_k(args.k)?];
    let config = models[0].config();
    let input = InputFile::open(&args.data, args.reading.input_format, config.task, &config.data)?;
    let labels = args.reading.labels.as_deref();
    let open = |model| samples::open(model, input.path(), labels, LabelUse::Required, None);
    let mut readers = [open(&models[0])?, open(&models[1])?];
    let mut pairs = Pairs::new(&models, k, classes)?;
    let progress = RowProgress::new(false);
    while let (Some(first), Some(second)) =
        (readers[0].next_chunk(CHUNK)?, readers[1].next_chunk(CHUNK)?)
    {
        progress.add(first.len());
        pairs.add([&first, &second])?;
    }
    progress.finish();
    warnings::reading(readers[0].as_ref());
    let seed = models[0].config().seed;
    let names = [file_name(&args.first), file_name(&args.second)];
    let Some(comparison) = comparison(pairs, names, k, seed) else {
        return Err(samples::none_error(input.path()));
    };
    let mut out = Output::open(None)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&comparison)?)?;
    } else {
        text::lines(&comparison).iter().try_for_each(|line| out.line(line))?;
    }
    out.finish()
}

/// Refuses models with different targets; returns the second's class for each of the first's, if they predict
/// classes.
fn same_question(models: &[Model; 2], args: &CompareArgs) -> Result<Option<Vec<usize>>> {
    let [first, second] = [models[0].objective(), models[1].objective()];
    let position_of = |class: &String| second.classes().iter().position(|other| other == class);
    let positions: Option<Vec<usize>> = first.classes().iter().map(position_of).collect();
    let number = |objective: &Objective| objective.classes().is_empty();
    match positions {
        Some(positions) if first.classes().len() == second.classes().len() => {
            Ok(Some(positions).filter(|_| !number(first)))
        }
        _ => bail!(
            "{} predicts {}, {} predicts {}: only models with the same target can be compared",
            args.first.display(),
            first.describe(),
            args.second.display(),
            second.describe()
        ),
    }
}

/// The comparison of the pairs; `None` without any.
fn comparison(
    pairs: Pairs<'_>,
    names: [String; 2],
    k: [usize; 2],
    seed: u64,
) -> Option<Comparison> {
    let Pairs { evaluations, samples, contributions, overlaps, comparable, .. } = pairs;
    let losses = |model: usize| -> Vec<f64> { samples.iter().map(|s| s.losses[model]).collect() };
    let loss_test = PairedDifference::new(&losses(0), &losses(1), seed)?;
    let classes = samples.iter().any(|sample| sample.right.is_some());
    let only = |model: usize| {
        let right = samples.iter().filter_map(|sample| sample.right);
        right.filter(|right| right[model] && !right[1 - model]).count() as u64
    };
    let mut disagreements: Vec<Disagreement> =
        samples.iter().enumerate().filter_map(|(row, pair)| pair.disagreement(row)).collect();
    disagreements.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    if !classes {
        disagreements.truncate(FURTHEST);
    }
    let overlap = overlaps.iter().sum::<f64>() / overlaps.len() as f64;
    Some(Comparison {
        models: names,
        k,
        metrics: evaluations.map(|evaluation| evaluation.finish()),
        accuracy_test: classes.then(|| McNemar::new(only(0), only(1))),
        loss: if classes { "log_loss" } else { "squared_error" },
        loss_test,
        disagreements,
        terms: TermsCompared {
            overlap: (!overlaps.is_empty()).then_some(overlap),
            pairs: contributions.len(),
            correlation: correlation(&contributions).filter(|_| comparable),
        },
    })
}

impl Pair {
    /// The sample as a disagreement, if it is one.
    fn disagreement(&self, row: usize) -> Option<Disagreement> {
        let difference = match self.right {
            Some(_) if self.agree => return None,
            _ => self.difference,
        };
        let (truth, predictions) = (self.truth.clone(), self.predictions.clone());
        Some(Disagreement { row, truth, predictions, difference })
    }
}
