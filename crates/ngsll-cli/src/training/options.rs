//! The options of a training: defaults, then the configuration file, then flags, then `--set`.

use crate::args::{EvidenceArg, PresetArg, TaskArg, TermsArg, TrainArgs};
use crate::shell::quoted;
use anyhow::{Result, anyhow, bail};
use ngsll::config::Overrides;
use ngsll::dataset::Groups;
use ngsll::error::{Error, Location};
use ngsll::{Config, Dataset, Options};
use ngsll_readers::{with_regions, with_word_vectors};
use std::path::{Path, PathBuf};

/// All options, checked.
pub fn options(args: &TrainArgs) -> Result<Options> {
    let mut options = match &args.config {
        Some(path) => read(path)?,
        None => Overrides::new(),
    };
    set_flags(&mut options, args)?;
    for item in &args.set {
        let Some((name, value)) = item.split_once('=') else {
            bail!("--set {item}: expected KEY=VALUE, such as generator.units=64");
        };
        options.set(name.trim(), value.trim());
    }
    if options.task()?.is_none() {
        bail!("no task: expected --task text, --task image or --task tabular");
    }
    Ok(with_regions(config(&options, args)?)?.check()?)
}

/// The options with the word vectors that they name.
pub fn with_vectors(options: Options, data: &Dataset, valid: Option<&Dataset>) -> Result<Options> {
    let data = std::iter::once(data).chain(valid);
    Ok(with_word_vectors(options.into_config(), data)?.check()?)
}

/// The options of a configuration file.
fn read(path: &Path) -> Result<Overrides> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
    let options = Overrides::from_toml(&text);
    Ok(options.map_err(|(line, message)| Location::line(path, line as u64).error(message))?)
}

fn set_flags(options: &mut Overrides, args: &TrainArgs) -> Result<()> {
    let task = args.task.map(|task| match task {
        TaskArg::Text => "text",
        TaskArg::Image => "image",
        TaskArg::Tabular => "tabular",
    });
    let preset = args.preset.map(|preset| match preset {
        PresetArg::Subsets => "subsets",
        PresetArg::Annealed => "annealed",
        PresetArg::Paper => "paper",
    });
    let evidence = args.evidence.map(|evidence| match evidence {
        EvidenceArg::Chosen => "chosen",
        EvidenceArg::Whole => "whole",
    });
    if let Some(groups) = &args.group {
        // Here the error names the group; that of the configuration names the whole option.
        Groups::parse(groups)?;
    }
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    for (name, text) in [
        ("task", task.map(String::from)),
        ("training.preset", preset.map(String::from)),
        ("training.evidence", evidence.map(String::from)),
        ("data.path", path(&args.data)),
        ("data.labels", path(&args.reading.labels)),
        ("data.target", args.target.clone()),
        ("data.group", args.group.clone()),
        ("data.id", args.id.clone()),
        ("data.valid", path(&args.valid)),
    ] {
        if let Some(text) = text {
            options.set_text(name, text);
        }
    }
    let k = args.k.and_then(|k| match k {
        TermsArg::Fixed(k) => Some(k),
        TermsArg::Auto => None,
    });
    for (name, number) in [
        ("k", k.map(|k| k.to_string())),
        ("seed", args.seed.map(|seed| seed.to_string())),
        ("data.valid_fraction", args.valid_fraction.map(toml_float)),
        ("data.test_fraction", args.test_fraction.map(toml_float)),
    ] {
        if let Some(number) = number {
            options.set(name, &number);
        }
    }
    Ok(())
}

/// A number with a decimal point, without which TOML takes it for an integer; NaN is `nan` there.
fn toml_float(number: f64) -> String {
    format!("{number:?}").to_lowercase()
}

/// The configuration. An error comes from a `--set` or from the file: flags have been checked one by one.
fn config(options: &Overrides, args: &TrainArgs) -> Result<Config> {
    options.config().map_err(|error| {
        let Error::Setting { name, value, expected } = &error else { return error.into() };
        let sets = |item: &&String| item.split_once('=').is_some_and(|(key, _)| key.trim() == name);
        match (args.set.iter().rfind(sets), &args.config) {
            (Some(item), _) => anyhow!("--set {}: {expected}", quoted(item)),
            (None, Some(file)) => {
                Location::file(file).error(format!("{name} = {value}: {expected}")).into()
            }
            (None, None) => error.into(),
        }
    })
}
