//! `--folds` and `--seeds`: several trainings before the final one.

use super::checkpoint::beside;
use super::fit;
use crate::args::{TermsArg, TrainArgs};
use crate::output::eprint_line;
use anyhow::Result;
use ngsll::metrics::{Metrics, format_figure};
use ngsll::repeats::{Repeat, RepeatPlan, Spread};
use ngsll::{Dataset, Device, Error, Model, Options, TrainingSetup};
use ngsll_jobs::Records;
use std::io::ErrorKind;
use std::path::Path;

/// The folder beside the model, until it exists, for the figures of finished trainings.
const FOLDER: &str = "folds";
const FILE: &str = "records.jsonl";

/// The training runs that the arguments request besides the final one.
pub fn plan(args: &TrainArgs) -> Option<RepeatPlan> {
    (args.folds.is_some() || args.seeds.is_some())
        .then(|| RepeatPlan::new(args.folds, args.seeds.unwrap_or(1)))
}

/// Runs them one after the other, except those that an interrupted run has finished.
pub fn measure(
    args: &TrainArgs,
    options: &Options,
    plan: RepeatPlan,
    repeats: &[Repeat],
    data: &Dataset,
    valid: Option<&Dataset>,
) -> Result<Spread> {
    let records = Records::open(&beside(&args.out, FOLDER)?.join(FILE))?;
    let mut spread = Spread::new(plan);
    for (i, repeat) in repeats.iter().enumerate() {
        let setup = repeat.setup(options, data, valid, &Device::default())?;
        let (key, fingerprint) = (repeat.title(), setup.fingerprint());
        let known = records.find::<Metrics>(&key, &fingerprint);
        let metrics = match known {
            Some(metrics) => metrics,
            None => {
                let title = format!("{} of {}, {key}: ", i + 1, repeats.len());
                let mut model = fit(&setup, None, &title, args.quiet)?.model;
                if chooses_k(args) {
                    model = with_chosen_k(model, &setup, &repeat.own(data), valid)?;
                }
                let metrics = model.evaluate(&repeat.held_out(data))?;
                records.save(&key, &fingerprint, &metrics)?;
                metrics
            }
        };
        if !args.quiet {
            let figures = metrics.figures().into_iter();
            let figures: Vec<String> =
                figures.map(|(name, value)| format!("{name} {}", format_figure(value))).collect();
            eprint_line(format_args!("{key}: {}", figures.join(", ")));
        }
        spread.push(repeat, metrics);
    }
    Ok(spread)
}

/// Removes the records, if there are any: the model folder has them now.
pub fn clear(out: &Path) -> Result<()> {
    let folder = beside(out, FOLDER)?;
    match std::fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(&folder, "remove", e).into()),
        _ => Ok(()),
    }
}

/// Whether K is chosen automatically.
pub fn chooses_k(args: &TrainArgs) -> bool {
    args.k == Some(TermsArg::Auto)
}

/// The model with the smallest K whose validation loss is close to the best.
pub fn with_chosen_k(
    model: Model,
    setup: &TrainingSetup,
    data: &Dataset,
    valid: Option<&Dataset>,
) -> ngsll::Result<Model> {
    let valid = valid.unwrap_or(data).select(&setup.rows().valid);
    let k = model.smallest_sufficient_k(&valid)?;
    model.with_k(k)
}
