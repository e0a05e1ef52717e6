//! `ngsll train`

mod options;

use crate::args::{TermsArg, TrainArgs};
use crate::interrupt;
use crate::judge;
use crate::metrics::facts;
use crate::output::{aligned, check_writable, eprint_line, table_lines};
use crate::paths::file_name;
use crate::progress::TrainingProgress;
use crate::shell;
use crate::{trust, warnings, yardstick};
use anyhow::{Context, Result, bail};
use ngsll::config::{Options, Task};
use ngsll::model_folder::refuse_existing;
use ngsll::representation::RepresentationConfig;
use ngsll::train::Checkpoints;
use ngsll::{
    Config, Dataset, Device, Error, Evidence, Fitted, Model, Notes, PartRows, TrainingSetup,
};
use ngsll_readers::{LabelUse, examples, open, read_all, read_regions};
use options::options;
use std::path::Path;
use std::time::Instant;

pub fn run(args: &TrainArgs) -> Result<()> {
    let options = with_regions(options(args)?)?;
    refuse_existing(&args.out)?;
    check_writable(&args.out)?;
    let config = options.config();
    if args.compare && config.task != Task::Tabular {
        bail!(
            "--compare: other methods are compared on tables only, and these samples are no table"
        );
    }
    let Some(path) = config.data.path.clone() else {
        bail!("no data: name a file or folder with --data");
    };
    let say = |text: String| {
        if !args.quiet {
            eprint_line(text);
        }
    };
    let started = Instant::now();
    let (data, mut read_notes) = read(config, &path)?;
    let valid = config.data.valid.as_deref();
    let valid = valid.map(|path| read_valid(config, path, &data)).transpose()?;
    let (valid, valid_notes) = valid.unzip();
    read_notes.extend(valid_notes.unwrap_or_default());
    let setup = TrainingSetup::new(options, &data, valid.as_ref(), &Device::default())?;
    let checkpoints = checkpoints(args, &setup)?;
    say(sizes(&setup, data.len(), started.elapsed().as_secs_f64()));
    read_notes.iter().for_each(|note| say(format!("note: {note}")));
    warnings::many_columns(&setup).into_iter().for_each(say);
    warnings::constant_columns(setup.representation()).into_iter().for_each(say);
    warnings::cut_texts(&data, setup.representation()).into_iter().for_each(say);
    let identical = warnings::identical_images(&data, valid.as_ref(), setup.rows());
    identical.into_iter().for_each(say);
    warnings::training(&data, setup.objective(), setup.targets()).into_iter().for_each(say);
    let training = Instant::now();
    let mut fitted = fit(&setup, &checkpoints, args.quiet)?;
    let seconds = training.elapsed().as_secs_f64();
    warnings::uninformative_columns(fitted.model.representation()).into_iter().for_each(say);
    if args.k == Some(TermsArg::Auto) {
        let valid = valid.as_ref().unwrap_or(&data).select(&setup.rows().valid);
        let k = fitted.model.smallest_sufficient_k(&valid)?;
        fitted.model = fitted.model.with_k(k)?;
        say(match fitted.model.evidence() {
            Evidence::Chosen => {
                format!("K = {k}: the smallest whose validation loss is within 1 % of the best")
            }
            _ => format!("K = {k}: with whole samples K is a matter of training, and stays"),
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
    let mut notes = notes(&setup, &fitted, &data, valid.as_ref())?;
    if args.compare {
        let valid = valid.as_ref();
        notes.yardstick = Some(yardstick::measure(&setup, &fitted.model, &data, valid, seconds)?);
    }
    let about = [
        ("data", path.display().to_string()),
        ("made in", format!("{:.0} s", started.elapsed().as_secs_f64())),
    ];
    notes.facts.splice(0..0, about.map(|(name, value)| (name.to_string(), value)));
    let model = fitted.model.with_notes(notes);
    // Saving syncs the model to disk; only then is the checkpoint no longer needed.
    model.save(&args.out)?;
    checkpoints.clear()?;
    aligned(&model.notes().facts).for_each(say);
    let table = model.notes().yardstick.as_ref().map(yardstick::table);
    table.iter().flat_map(table_lines).for_each(say);
    model.trust().iter().flat_map(trust::lines).for_each(say);
    let [out, data] = [&args.out, &path].map(|path| path.display().to_string());
    let (out, data) = (shell::quoted(&out), shell::quoted(&data));
    say(format!("model written to {out}\ntry: ngsll explain {out} --data {data} --rows 0-4"));
    Ok(())
}

/// The options with the mask of regions that they name.
fn with_regions(options: Options) -> Result<Options> {
    let mut config = options.into_config();
    if let RepresentationConfig::Grid(grid) = &mut config.representation
        && let Some(path) = &grid.regions
    {
        grid.region_map = Some(read_regions(path, &grid.region_names)?);
    }
    Ok(config.check()?)
}

/// The training file, and what was done to its samples.
fn read(config: &Config, path: &Path) -> Result<(Dataset, Vec<String>)> {
    let labels = config.data.labels.as_deref();
    let mut reader = open(config.task, &config.data, path, labels, LabelUse::Required, None)?;
    Ok((read_all(reader.as_mut())?, reader.notes()))
}

/// The validation file, read in the types that the training file has.
fn read_valid(config: &Config, path: &Path, train: &Dataset) -> Result<(Dataset, Vec<String>)> {
    let rows: Vec<usize> = (0..train.len()).collect();
    let schema = config.representation.fit(train.samples(), &rows, Evidence::Whole)?.schema();
    // As the training images were read, by options or by default.
    let mut data = config.data.clone();
    data.image.get_or_insert_default();
    let mut reader = open(config.task, &data, path, None, LabelUse::Required, Some(&schema))?;
    Ok((read_all(reader.as_mut())?, reader.notes()))
}

/// Trains, and shows how far it is.
fn fit(setup: &TrainingSetup, checkpoints: &Checkpoints, quiet: bool) -> Result<Fitted> {
    let metric = match (setup.objective().classes().is_empty(), setup.config().training.evidence())
    {
        (true, Evidence::Chosen) => "R² from all features",
        (false, Evidence::Chosen) => "accuracy from all features",
        (true, _) => "R²",
        (false, _) => "accuracy",
    };
    let mut progress = TrainingProgress::new("", metric, quiet);
    interrupt::listen();
    let fitted = setup.fit(Some(checkpoints), &mut |event| progress.event(event));
    progress.finish();
    fitted.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command with --resume goes on from here"),
        error => error.into(),
    })
}

/// What the model folder says about the model: sizes, how good it is, its training and examples.
fn notes(
    setup: &TrainingSetup,
    fitted: &Fitted,
    data: &Dataset,
    valid: Option<&Dataset>,
) -> Result<Notes> {
    let PartRows { train, valid: valid_rows, test, .. } = setup.rows();
    let config = setup.config();
    let mut notes = Notes::default();
    notes.facts = [
        ("training samples", train.len()),
        ("features", setup.representation().features()),
        ("epochs", fitted.history.len()),
    ]
    .map(|(name, count)| (name.to_string(), count.to_string()))
    .into();
    let valid = valid.unwrap_or(data);
    for (part, data, rows) in [("validation", valid, valid_rows), ("test", data, test)] {
        if !rows.is_empty() {
            let metrics = fitted.model.evaluate(&data.select(rows))?;
            let facts = facts(&metrics, fitted.model.k()).into_iter();
            notes.facts.extend(facts.map(|(name, value)| (format!("{part} {name}"), value)));
        }
    }
    notes.examples = examples(valid, valid_rows, setup.objective(), config.data.examples())?;
    if !notes.examples.is_empty() {
        let kept = format!("{} validation samples in examples.json", notes.examples.len());
        notes.facts.push(("examples".to_string(), kept));
    }
    notes.history = fitted.history.clone();
    notes.command = setup.resolved_toml_with(fitted.model.config().k)?;
    Ok(notes)
}

fn checkpoints(args: &TrainArgs, setup: &TrainingSetup) -> Result<Checkpoints> {
    let name = args.out.file_name().context("--out needs a folder name")?;
    let folder = args.out.with_file_name(format!("{}.checkpoint", name.to_string_lossy()));
    let checkpoints = Checkpoints::new(&folder, setup.fingerprint());
    if checkpoints.exists() && !args.resume {
        bail!(
            "{}: an earlier run stopped here; add --resume to go on, or remove the folder",
            folder.display()
        );
    }
    if args.resume && !checkpoints.exists() && !args.quiet {
        eprint_line(format_args!(
            "{}: no checkpoint, so training starts from the beginning",
            folder.display()
        ));
    }
    Ok(checkpoints)
}

fn sizes(setup: &TrainingSetup, samples: usize, seconds: f64) -> String {
    let PartRows { train, valid, test, .. } = setup.rows();
    format!(
        "{samples} samples read in {seconds:.1} s: {}, {} features; {} to train, {} to validate, {} to test",
        setup.objective().describe(),
        setup.representation().features(),
        train.len(),
        valid.len(),
        test.len(),
    )
}
