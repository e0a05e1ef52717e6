//! Training a model as `ngsll train` does, from its arguments to the model folder.

mod checkpoint;
mod finished;
mod model_notes;
mod options;
mod repeated;

pub use checkpoint::beside;
pub use options::{options, with_vectors};
pub use repeated::{chooses_k, plan, with_chosen_k};

use crate::args::{InputFormat, TrainArgs};
use crate::interrupt;
use crate::judge;
use crate::output::{aligned, check_writable, eprint_line, table_lines};
use crate::paths::file_name;
use crate::progress::TrainingProgress;
use crate::shell;
use crate::stdin::{self, InputFile};
use crate::{trust, warnings, yardstick};
use anyhow::{Result, bail};
use ngsll::config::Task;
use ngsll::drift::DataSummary;
use ngsll::model_folder::refuse_existing;
use ngsll::readable::{count, count_of};
use ngsll::train::Checkpoints;
use ngsll::{
    Config, Dataset, Device, Error, Evidence, Finding, Fitted, Model, PartRows, TrainingSetup,
};
use ngsll_readers::{LabelUse, ReaderNote, open, read_all};
use ngsll_view::SummaryTable;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Trains, measures and writes a model folder. Notes about the data are left out
/// if already printed (`notes_printed`).
pub fn run(args: &TrainArgs, notes_printed: bool) -> Result<()> {
    let options = options(args)?;
    // With --resume the model may already exist: checked when the options are complete.
    let is_written = args.resume && args.out.exists();
    if !is_written {
        check_out(args)?;
    }
    let config = options.config();
    if args.compare && config.task != Task::Tabular {
        bail!("--compare: only tables can be compared with other methods");
    }
    let say = |text: String| {
        if !args.quiet {
            eprint_line(text);
        }
    };
    let started = Instant::now();
    let TrainingData { path, notes, data, valid } =
        TrainingData::read(config, args.reading.input_format)?;
    let options = with_vectors(options, &data, valid.as_ref())?;
    let reading = started.elapsed().as_secs_f64();
    let plan = plan(args);
    let repeats = plan.map(|plan| plan.repeats(&options, &data)).transpose()?;
    let setup = TrainingSetup::new(options, &data, valid.as_ref(), &Device::default())?;
    let checkpoints = checkpoint::checkpoints(args, &setup)?;
    if is_written {
        return finished::finish(args, &setup, &checkpoints);
    }
    // Another process may have written the model meanwhile: reading standard input can take any time.
    check_out(args)?;
    say(sizes(&setup, data.len(), reading));
    let mut findings = setup.findings(&data, valid.as_ref());
    if !notes_printed {
        lines_before(args, &notes, &findings).into_iter().for_each(say);
    }
    let data = setup.without_left_out(data)?;
    let valid = valid.map(|valid| setup.without_left_out(valid)).transpose()?;
    let spread = match plan.zip(repeats) {
        Some((plan, repeats)) => {
            Some(repeated::measure(args, setup.options(), plan, &repeats, &data, valid.as_ref())?)
        }
        None => None,
    };
    let training = Instant::now();
    let mut fitted = fit(&setup, Some(&checkpoints), "", args.quiet)?;
    let seconds = training.elapsed().as_secs_f64();
    Finding::useless_columns(&fitted.model).iter().map(warnings::finding).for_each(say);
    if chooses_k(args) {
        fitted.model = with_chosen_k(fitted.model, &setup, &data, valid.as_ref())?;
        let k = fitted.model.k();
        say(match fitted.model.evidence() {
            Evidence::Chosen => {
                format!("K = {k}: the smallest whose validation loss is within 1 % of the best")
            }
            _ => format!("K = {k}: with evidence whole, K is fixed before training"),
        });
    }
    if args.judge {
        let judge = judge::fit(setup.options(), &data, valid.as_ref(), args.quiet)?;
        fitted.model = fitted.model.with_judge(judge);
        let (test, name) = (data.select(&setup.rows().test), file_name(&path));
        if !test.is_empty() {
            let trust = trust::measure(&fitted.model, &test, None, format!("{name} (held out)"))?;
            fitted.model = trust.into_iter().fold(fitted.model, Model::with_trust);
        }
    }
    let (rows, valid_data) = (setup.rows(), valid.as_ref().unwrap_or(&data));
    let summary = DataSummary::of(&fitted.model, (&data, &rows.train), (valid_data, &rows.valid))?;
    fitted.model = fitted.model.with_summary(summary);
    let (mut notes, useless) =
        model_notes::model_notes(&setup, &fitted, &data, valid.as_ref(), spread.as_ref())?;
    findings.extend(useless.clone());
    (notes.findings, notes.spread) = (findings, spread);
    if args.compare {
        let valid = valid.as_ref();
        notes.yardstick = Some(yardstick::measure(&setup, &fitted.model, &data, valid, seconds)?);
    }
    notes.facts.insert(0, ("data".to_string(), stdin::shown(&path)));
    let model = fitted.model.with_notes(notes);
    // Saving syncs the model to disk; only then is the checkpoint no longer needed.
    model.save(&args.out)?;
    checkpoints.clear()?;
    if model.notes().spread.is_some() {
        repeated::clear(&args.out)?;
    }
    aligned(&model.notes().facts).for_each(say);
    useless.iter().map(warnings::finding).for_each(say);
    let spread = model.notes().spread.as_ref();
    let spread = spread.map(|s| SummaryTable::new(s.caption(), s.header(), s.rows()));
    let table = model.notes().yardstick.as_ref().map(yardstick::table);
    spread.iter().chain(&table).flat_map(table_lines).for_each(say);
    model.trust().iter().flat_map(trust::lines).for_each(say);
    let [out, data] = [&args.out, &path].map(|path| path.display().to_string());
    let data = if data == "-" { "FILE".to_string() } else { data };
    let (out, data) = (shell::quoted(&out), shell::quoted(&data));
    // Not among the facts of the model: equal runs give equal files.
    let seconds = started.elapsed().as_secs_f64();
    say(format!(
        "model written to {out} in {seconds:.0} s\ntry: ngsll explain {out} --data {data} --rows 0-4"
    ));
    Ok(())
}

/// Notes before training: how the samples were read, and what was found in them. Folds measure on all
/// samples, however few there are for validation.
pub fn lines_before(args: &TrainArgs, notes: &[ReaderNote], findings: &[Finding]) -> Vec<String> {
    let asked = |finding: &&Finding| {
        args.folds.is_none() || !matches!(finding, Finding::FewValidationSamples { .. })
    };
    let findings = findings.iter().filter(asked).map(warnings::finding);
    notes.iter().map(warnings::note).chain(findings).collect()
}

/// Refuses a path for the model that is taken or not writable.
pub fn check_out(args: &TrainArgs) -> Result<()> {
    refuse_existing(&args.out)?;
    check_writable(&args.out)
}

/// The samples of a training.
pub struct TrainingData {
    /// The path of `data`; `-` is standard input.
    pub path: PathBuf,
    /// Notes about how they were read.
    pub notes: Vec<ReaderNote>,
    pub data: Dataset,
    /// Validation samples, if a file was given.
    pub valid: Option<Dataset>,
}

impl TrainingData {
    /// Reads the files that the options name; `format` is that of standard input.
    pub fn read(config: &Config, format: Option<InputFormat>) -> Result<Self> {
        let Some(path) = config.data.path.clone() else {
            bail!("no data: expected a file or folder with --data");
        };
        let input = InputFile::open(&path, format, config.task, &config.data)?;
        let labels = config.data.labels.as_deref();
        let mut reader =
            open(config.task, &config.data, input.path(), labels, LabelUse::Required, None)?;
        let data = read_all(reader.as_mut())?;
        let mut notes = reader.notes();
        let valid = config.data.valid.as_deref();
        let valid = valid.map(|path| read_valid(config, path, &data)).transpose()?;
        let (valid, valid_notes) = valid.unzip();
        notes.extend(valid_notes.unwrap_or_default());
        Ok(Self { path, notes, data, valid })
    }
}

/// The validation file, read in the types that the training file has.
fn read_valid(config: &Config, path: &Path, train: &Dataset) -> Result<(Dataset, Vec<ReaderNote>)> {
    let rows: Vec<usize> = (0..train.len()).collect();
    let schema = config.representation.fit(train.samples(), &rows, Evidence::Whole)?.schema();
    // In the same way as the training images, by options or by default.
    let mut data = config.data.clone();
    data.image.get_or_insert_default();
    let mut reader = open(config.task, &data, path, None, LabelUse::Required, Some(&schema))?;
    Ok((read_all(reader.as_mut())?, reader.notes()))
}

/// Trains, and shows the progress; `title` names one of several trainings.
pub fn fit(
    setup: &TrainingSetup,
    checkpoints: Option<&Checkpoints>,
    title: &str,
    quiet: bool,
) -> Result<Fitted> {
    let metric = match (setup.objective().classes().is_empty(), setup.config().training.evidence())
    {
        (true, Evidence::Chosen) => "R² from all features",
        (false, Evidence::Chosen) => "accuracy from all features",
        (true, _) => "R²",
        (false, _) => "accuracy",
    };
    let mut progress = TrainingProgress::new(title, metric, quiet);
    interrupt::listen();
    let fitted = setup.fit(checkpoints, &mut |event| progress.event(event));
    progress.finish();
    fitted.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command with --resume continues from here"),
        error => error.into(),
    })
}

fn sizes(setup: &TrainingSetup, samples: usize, seconds: f64) -> String {
    let PartRows { train, valid, test, .. } = setup.rows();
    format!(
        "{} read in {seconds:.1} s: {}, {}; {} to train, {} to validate, {} to test",
        count_of(samples, "sample"),
        setup.objective().describe(),
        count_of(setup.representation().features(), "feature"),
        count(train.len()),
        count(valid.len()),
        count(test.len()),
    )
}
