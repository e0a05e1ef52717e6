//! `ngsll train`

use crate::args::{PresetArg, TaskArg, TrainArgs};
use crate::interrupt;
use crate::metrics::{facts, measure};
use crate::output::{check_writable, tell};
use crate::paths::shell_quoted;
use crate::progress::TrainingProgress;
use crate::warnings;
use anyhow::{Context, Result, anyhow, bail};
use ngsll::config::{Task, insert, parse_value};
use ngsll::data::{Chunk, Labels, read_all};
use ngsll::error::Place;
use ngsll::examples::examples;
use ngsll::fit::{Holdout, Prepared};
use ngsll::model_folder::{Notes, refuse_existing};
use ngsll::objective::Objective;
use ngsll::train::Checkpoints;
use ngsll::{Config, Error};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(args: &TrainArgs) -> Result<()> {
    let config = config(args)?;
    refuse_existing(&args.out)?;
    check_writable(&args.out)?;
    let Some(path) = config.data.path.clone() else {
        bail!("no data: name a file or folder with --data");
    };
    let say = |text: String| {
        if !args.quiet {
            tell(text);
        }
    };
    let started = Instant::now();
    let labels = config.data.labels.as_deref();
    let chunk = read_all(config.open(&path, labels, Labels::Required, None)?.as_mut())?;
    let valid =
        config.data.valid.as_deref().map(|path| read_valid(&config, path, &chunk)).transpose()?;
    let holdout = Holdout {
        valid: valid.as_ref(),
        valid_fraction: config.data.valid_fraction,
        test_fraction: config.data.test_fraction,
    };
    let target = config.target_name().to_string();
    let prepared = Prepared::new(config, &target, &chunk, holdout)?;
    let checkpoints = checkpoints(args, &prepared)?;
    say(sizes(&prepared, &chunk, started.elapsed().as_secs_f64()));
    let targets = prepared.objective.targets(&chunk)?;
    warnings::training(&chunk, &prepared.objective, &targets).into_iter().for_each(say);
    let metric = if prepared.objective.classes().is_empty() { "R²" } else { "accuracy" };
    let mut progress = TrainingProgress::new("", metric, args.quiet);
    interrupt::listen();
    let fitted = prepared.fit(Some(&checkpoints), &mut |event| progress.event(event));
    progress.finish();
    let fitted = fitted.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command with --resume goes on from here"),
        error => error.into(),
    })?;
    let mut card = vec![
        ("data".to_string(), path.display().to_string()),
        ("made in".to_string(), format!("{:.0} s", started.elapsed().as_secs_f64())),
        ("training samples".to_string(), prepared.train_rows.len().to_string()),
        ("features".to_string(), prepared.representation.features().to_string()),
        ("epochs".to_string(), fitted.history.len().to_string()),
    ];
    let valid_chunk = valid.as_ref().unwrap_or(&chunk);
    for (part, chunk, rows) in
        [("validation", valid_chunk, &prepared.valid_rows), ("test", &chunk, &prepared.test_rows)]
    {
        if !rows.is_empty() {
            let metrics = measure(&fitted, chunk, rows)?;
            let k = prepared.config.k;
            card.extend(
                facts(&metrics, k).into_iter().map(|(name, v)| (format!("{part} {name}"), v)),
            );
        }
    }
    let kept = prepared.config.data.examples();
    let examples = examples(valid_chunk, &prepared.valid_rows, &prepared.objective, kept)?;
    if !examples.is_empty() {
        let told = format!("{} validation samples in examples.json", examples.len());
        card.push(("examples".to_string(), told));
    }
    let (facts, command) = (card.clone(), prepared.resolved_toml()?);
    let notes = Notes { facts, history: fitted.history, command, examples };
    fitted.predictor.save(&args.out, &notes)?;
    checkpoints.clear()?;
    for (name, value) in card {
        say(format!("{name:<34} {value}"));
    }
    let (out, data) = (shell_quoted(&args.out), shell_quoted(&path));
    say(format!("model written to {out}\ntry: ngsll explain {out} --data {data} --rows 0-4"));
    Ok(())
}

/// Defaults, then the configuration file, then flags, then `--set`.
fn config(args: &TrainArgs) -> Result<Config> {
    let mut table = toml::Table::new();
    if let Some(path) = &args.config {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
        table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            Place::line(path, line as u64).error(e.message().trim())
        })?;
    }
    let text = |path: &PathBuf| toml::Value::String(path.display().to_string());
    let task = args.task.map(|task| match task {
        TaskArg::Text => "text",
        TaskArg::Image => "image",
        TaskArg::Tabular => "tabular",
    });
    let preset = args.preset.map(|preset| match preset {
        PresetArg::Annealed => "annealed",
        PresetArg::Paper => "paper",
    });
    let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let flags: [(&str, Option<toml::Value>); 11] = [
        ("task", task.map(Into::into)),
        ("training.preset", preset.map(Into::into)),
        ("k", args.k.map(|k| whole(k as u64).into())),
        ("seed", args.seed.map(|seed| whole(seed).into())),
        ("data.path", args.data.as_ref().map(text)),
        ("data.labels", args.labels.as_ref().map(text)),
        ("data.target", args.target.clone().map(Into::into)),
        ("data.group", args.group.clone().map(Into::into)),
        ("data.valid", args.valid.as_ref().map(text)),
        ("data.valid_fraction", args.valid_fraction.map(Into::into)),
        ("data.test_fraction", args.test_fraction.map(Into::into)),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            insert(&mut table, key, value);
        }
    }
    let before = table.clone();
    for item in &args.set {
        set(&mut table, item)?;
    }
    let task: Task = match table.get("task").cloned() {
        Some(task) => task.try_into().map_err(|_| {
            Error::setting("task", table["task"].to_string(), "text, image or tabular")
        })?,
        None => bail!("no task: say --task text, --task image or --task tabular"),
    };
    let config = Config::new(task).with_table(table);
    config.map_err(|message| anyhow!("{}: {message}", culprit(args, task, before)))
}

/// Carries out one `--set`.
fn set(table: &mut toml::Table, item: &str) -> Result<()> {
    let Some((key, value)) = item.split_once('=') else {
        bail!("--set {item}: expected KEY=VALUE, such as generator.units=64");
    };
    insert(table, key.trim(), parse_value(value.trim()));
    Ok(())
}

/// Where options that do not work together go wrong: the first `--set` with which they do not,
/// or what was there before, which is `table`.
fn culprit(args: &TrainArgs, task: Task, mut table: toml::Table) -> String {
    let works = |table: &toml::Table| Config::new(task).with_table(table.clone()).is_ok();
    if works(&table) {
        for item in &args.set {
            if set(&mut table, item).is_err() || !works(&table) {
                return format!("--set {item}");
            }
        }
    }
    args.config.as_ref().map_or("options".to_string(), |path| path.display().to_string())
}

/// The validation file, read in the types that the training file has.
fn read_valid(config: &Config, path: &Path, train: &Chunk) -> Result<Chunk> {
    let rows: Vec<usize> = (0..train.len()).collect();
    let like = config.representation.fit(&train.samples, &rows)?;
    Ok(read_all(config.open(path, None, Labels::Required, Some(&like))?.as_mut())?)
}

fn checkpoints(args: &TrainArgs, prepared: &Prepared) -> Result<Checkpoints> {
    let name = args.out.file_name().context("--out needs a folder name")?;
    let folder = args.out.with_file_name(format!("{}.checkpoint", name.to_string_lossy()));
    let checkpoints = Checkpoints::new(&folder, prepared.fingerprint());
    if checkpoints.exists() && !args.resume {
        bail!(
            "{}: an earlier run stopped here; add --resume to go on, or remove the folder",
            folder.display()
        );
    }
    if args.resume && !checkpoints.exists() && !args.quiet {
        tell(format_args!(
            "{}: no checkpoint, so training starts from the beginning",
            folder.display()
        ));
    }
    Ok(checkpoints)
}

/// Classes that are named in the first line.
const NAMED: usize = 12;

fn sizes(prepared: &Prepared, chunk: &Chunk, seconds: f64) -> String {
    let objective = match &prepared.objective {
        Objective::Regression { target, .. } => format!("predicting the number {target}"),
        objective => {
            let classes = objective.classes();
            let more = if classes.len() > NAMED { ", …" } else { "" };
            let named = classes[..classes.len().min(NAMED)].join(", ");
            format!("{} classes ({named}{more})", classes.len())
        }
    };
    format!(
        "{} samples read in {seconds:.1} s: {objective}, {} features; {} to train, {} to validate, {} to test",
        chunk.len(),
        prepared.representation.features(),
        prepared.train_rows.len(),
        prepared.valid_rows.len(),
        prepared.test_rows.len(),
    )
}
