//! `ngsll tune`

mod trial;

use crate::args::{TrainArgs, TuneArgs};
use crate::interrupt;
use crate::jobs_progress::JobsProgress;
use crate::output::{eprint_line, table_lines};
use crate::training::{self, TrainingData, beside};
use anyhow::{Result, bail};
use ngsll::tune::{SearchSpace, Trial};
use ngsll::{Config, Device, Error, Options, TrainingSetup};
use ngsll_jobs::{Job, Records, write_atomic};
use ngsll_view::SummaryTable;
use std::path::Path;
use trial::{TrialResult, Trials};

/// The folder beside the model, for finished trials and the best options.
const FOLDER: &str = "tune";
const RECORDS: &str = "records.jsonl";
const BEST: &str = "train.toml";
/// More than there are different ones.
const MOST_TRIALS: usize = 10_000;

pub fn run(args: &TuneArgs) -> Result<()> {
    if args.trials > MOST_TRIALS {
        let found = args.trials;
        bail!(
            "--trials {found}: expected at most {MOST_TRIALS}; of the options that are tried there are a few hundred \
             combinations"
        );
    }
    if args.trials == 0 || args.jobs == Some(0) {
        let name = if args.trials == 0 { "--trials 0" } else { "--jobs 0" };
        bail!("{name}: expected at least 1");
    }
    let options = training::options(&args.train)?;
    training::check_out(&args.train)?;
    let config = options.config();
    if config.data.path.as_deref() == Some(Path::new("-")) {
        bail!("--data -: tune reads the samples more than once; expected a file or folder");
    }
    let TrainingData { notes, data, valid, .. } =
        TrainingData::read(config, args.train.reading.input_format)?;
    let options = training::with_vectors(options, &data, valid.as_ref())?;
    let config = options.config();
    let plan = training::plan(&args.train);
    let repeats = plan.map(|plan| plan.repeats(&options, &data)).transpose()?;
    let setup = TrainingSetup::new(options.clone(), &data, valid.as_ref(), &Device::default())?;
    let say = |text: String| {
        if !args.train.quiet {
            eprint_line(text);
        }
    };
    let findings = setup.findings(&data, valid.as_ref());
    training::lines_before(&args.train, &notes, &findings).into_iter().for_each(say);
    let trials = search_space(&args.train, config, &setup).trials(args.trials, config.seed);
    let folder = beside(&args.train.out, FOLDER)?;
    let records = Records::open(&folder.join(RECORDS))?;
    let version = env!("CARGO_PKG_VERSION");
    let fingerprint = format!("{version} {} {plan:?}", setup.fingerprint());
    let work = Trials {
        config,
        chooses_k: training::chooses_k(&args.train),
        data: &data,
        valid: valid.as_ref(),
        repeats: repeats.as_deref(),
        records: &records,
        fingerprint,
    };
    carry_out(args, &work, &trials)?;
    let mut results: Vec<(&Trial, TrialResult)> =
        trials.iter().filter_map(|trial| Some((trial, work.result(trial)?))).collect();
    // Stable: among equal losses the first stays first.
    results.sort_by(|a, b| a.1.loss.total_cmp(&b.1.loss));
    let Some((best, _)) = results.first() else { bail!("no trial has a result") };
    let measured = match plan {
        Some(plan) => plan.describe(),
        None => format!("on {} validation samples", setup.rows().valid.len()),
    };
    table_lines(&table(&results, &measured)).for_each(say);
    let best_options = best.apply(config)?.check()?;
    let path = folder.join(BEST);
    write_atomic(&path, resolved(best_options, &data, valid.as_ref())?.as_bytes())?;
    say(format!("best: {best}\noptions written to {}", path.display()));
    if args.options_only {
        return Ok(());
    }
    drop(records);
    training::run(&final_args(&args.train, best), true)
}

/// The search space: every option that no `--set` fixes.
fn search_space(args: &TrainArgs, config: &Config, setup: &TrainingSetup) -> SearchSpace {
    let set: Vec<&str> = args
        .set
        .iter()
        .filter_map(|item| item.split_once('='))
        .map(|(key, _)| key.trim())
        .collect();
    SearchSpace::new(config, setup.rows().train.len(), |option| set.contains(&option))
}

/// Runs the trials that have no result yet, some in parallel; together they use as many threads as one training would.
fn carry_out(args: &TuneArgs, work: &Trials<'_>, trials: &[Trial]) -> Result<()> {
    let pending: Vec<&Trial> = trials.iter().filter(|trial| work.result(trial).is_none()).collect();
    let jobs: Vec<Job<&Trial>> = pending.iter().map(|trial| work.job(trial)).collect();
    let threads = rayon::current_num_threads();
    let workers = args.jobs.unwrap_or(threads).min(jobs.len()).max(1);
    interrupt::listen();
    let progress = JobsProgress::new(args.train.quiet);
    let failures = ngsll_jobs::run(jobs, workers, threads / workers, &progress, |trial, job| {
        work.carry_out(trial, job)
    });
    progress.finish();
    let failures = failures.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command continues from the finished trials"),
        error => error.into(),
    })?;
    for failure in &failures {
        eprint_line(format_args!("note: {} has no result: {}", failure.title, failure.error));
    }
    Ok(())
}

/// All trials, the best first.
fn table(results: &[(&Trial, TrialResult)], measured: &str) -> SummaryTable {
    let name = results.first().map_or("loss", |(_, result)| result.name.as_str());
    let row = |(trial, result): &(&Trial, TrialResult)| {
        let deviation = result.deviation.map_or("–".to_string(), ngsll::metrics::format_figure);
        let seconds = format!("{:.1}", result.seconds);
        vec![trial.to_string(), ngsll::metrics::format_figure(result.loss), deviation, seconds]
    };
    SummaryTable::new(
        format!("{} trials, by the {name} {measured}", results.len()),
        ["options", name, "standard deviation", "seconds"],
        results.iter().map(row).collect(),
    )
}

/// The options with the defaults that depend on the data.
fn resolved(
    options: Options,
    data: &ngsll::Dataset,
    valid: Option<&ngsll::Dataset>,
) -> Result<String> {
    Ok(TrainingSetup::new(options, data, valid, &Device::default())?.resolved_toml()?)
}

/// The arguments for training with the best options, on all data.
fn final_args(args: &TrainArgs, best: &Trial) -> TrainArgs {
    let mut args = args.clone();
    args.set.extend(best.changes().iter().map(|(name, value)| format!("{name}={value}")));
    (args.folds, args.seeds) = (None, None);
    args
}
