//! A bounded search over the options that matter most for a kind of network.
//!
//! ```
//! use ngsll::tune::SearchSpace;
//! use ngsll::{Config, config::Task};
//! let config = Config::new(Task::Tabular);
//! let space = SearchSpace::new(&config, 30_000, |option| option == "generator.members");
//! let trials = space.trials(10, 7);
//! assert_eq!((trials.len(), trials[0].to_string().as_str()), (10, "as given"));
//! assert!(trials[1].apply(&config)? != config);
//! # Ok::<(), ngsll::Error>(())
//! ```

use crate::config::{Config, FEW_ROWS, Task};
use crate::error::Result;
use crate::evidence::Evidence;
use crate::generator::GeneratorConfig;
use crate::random::{Purpose, stream};
use rand::RngExt;
use std::collections::HashSet;
use std::fmt;

/// Step sizes of the preset `subsets`.
const LEARNING_RATES: [&str; 3] = ["0.0003", "0.001", "0.003"];

/// Draws for each trial, after which the search gives up finding a new set of options.
const DRAWS: u64 = 100;

/// Options with the values to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSpace {
    options: Vec<TriedOption>,
}

/// An option with the values to try, as TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriedOption {
    /// Its path in [`Config`].
    pub name: String,
    /// The values to try.
    pub values: Vec<String>,
    /// The value as given.
    given: Option<String>,
}

/// Options that are tried together: those that differ from the given ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Trial {
    changes: Vec<(String, String)>,
}

impl SearchSpace {
    /// The options to search for a network with these options on this many training samples, except those that are
    /// `fixed`:
    ///
    /// | network | options |
    /// |---|---|
    /// | `tabular_ensemble` | `learning_rate`, `dropout`, `units`, `members`, `epochs` |
    /// | `tabular_mlp` | `dropout`, `units`, `layers`, `epochs` |
    /// | `token_context` | `learning_rate`, `dropout`, `units`, `filters`, `epochs` |
    /// | `sentence_cnn` | `dropout`, `units`, `layers`, `epochs` |
    /// | `cell_context`, `image_cnn` | `learning_rate`, `dropout`, `units`, `epochs` |
    ///
    /// The step size is an option of evidence `chosen`; custom stages have their epochs and step sizes, and
    /// for tables of few rows cross-validation finds the epochs.
    pub fn new(config: &Config, samples: usize, fixed: impl Fn(&str) -> bool) -> Self {
        let (dropout, units, other) = match &config.generator {
            GeneratorConfig::TabularEnsemble(_) => {
                (["0.0", "0.1", "0.3"], ["64", "128", "256"], Some(("members", ["4", "8", "16"])))
            }
            GeneratorConfig::TabularMlp(_) => {
                (["0.0", "0.1", "0.3"], ["128", "256", "512"], Some(("layers", ["1", "2", "3"])))
            }
            GeneratorConfig::TokenContext(_) => (
                ["0.2", "0.4", "0.6"],
                ["64", "128", "256"],
                Some(("filters", ["50", "100", "200"])),
            ),
            GeneratorConfig::SentenceCnn(_) => {
                (["0.3", "0.5", "0.7"], ["64", "128", "256"], Some(("layers", ["0", "1", "2"])))
            }
            GeneratorConfig::CellContext(_) | GeneratorConfig::ImageCnn(_) => {
                (["0.0", "0.2", "0.4"], ["64", "128", "256"], None)
            }
        };
        let owned = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
        let mut options: Vec<(String, Vec<String>)> = Vec::new();
        let chosen = config.training.evidence() == Evidence::Chosen;
        let own_stages = config.training.stages.is_some();
        if chosen && !own_stages {
            options.push(("training.learning_rate".into(), owned(&LEARNING_RATES)));
        }
        options.push(("generator.dropout".into(), owned(&dropout)));
        options.push(("generator.units".into(), owned(&units)));
        options.extend(other.map(|(name, values)| (format!("generator.{name}"), owned(&values))));
        let few_rows = config.task == Task::Tabular && chosen && samples < FEW_ROWS;
        if !own_stages && !few_rows {
            let epochs = config.epochs(samples);
            let values = [epochs.div_ceil(2), epochs, 2 * epochs].map(|n| n.to_string());
            options.push(("training.epochs".into(), values.into()));
        }
        options.retain(|(name, _)| !fixed(name));
        let table = toml::Table::try_from(config).unwrap_or_default();
        let tried = |(name, values): (String, Vec<String>)| {
            let value = name.split_once('.').and_then(|(a, b)| table.get(a)?.get(b));
            let given = match name.as_str() {
                // Values that depend on the data or the preset are not written in the options.
                "training.epochs" => Some(config.epochs(samples).to_string()),
                "training.learning_rate" => {
                    let stages = config.stages(config.k, samples);
                    stages.first().map(|stage| toml::Value::Float(stage.learning_rate).to_string())
                }
                _ => value.map(ToString::to_string),
            };
            TriedOption { name, values, given }
        };
        Self { options: options.into_iter().map(tried).collect() }
    }

    /// The options to try.
    pub fn options(&self) -> &[TriedOption] {
        &self.options
    }

    /// At most `n` different trials, drawn at random from the seed; the first changes nothing. The first trials
    /// are the same whatever `n` is.
    pub fn trials(&self, n: usize, seed: u64) -> Vec<Trial> {
        // Random draws may need many attempts to hit the last unused combination.
        let all: usize = self.options.iter().map(|option| option.values.len()).product();
        let n = n.min(all + 1);
        let mut trials = vec![Trial::default()];
        let mut known: HashSet<Trial> = trials.iter().cloned().collect();
        let mut draw = 0;
        while trials.len() < n && draw < DRAWS * n as u64 {
            let mut rng = stream(seed, Purpose::Sample, 1, draw);
            draw += 1;
            let choose = |TriedOption { name, values, given }: &TriedOption| {
                let value = &values[rng.random_range(0..values.len())];
                (given.as_ref() != Some(value)).then(|| (name.clone(), value.clone()))
            };
            let trial = Trial { changes: self.options.iter().filter_map(choose).collect() };
            if known.insert(trial.clone()) {
                trials.push(trial);
            }
        }
        trials.truncate(n);
        trials
    }
}

impl Trial {
    /// The given options with those of the trial applied.
    pub fn apply(&self, config: &Config) -> Result<Config> {
        let mut changes = self.changes.iter();
        changes.try_fold(config.clone(), |config, (name, value)| config.with(name, value))
    }

    /// The options that it sets, with their values as TOML.
    pub fn changes(&self) -> &[(String, String)] {
        &self.changes
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changes.is_empty() {
            return write!(f, "as given");
        }
        let short = |name: &String| name.rsplit('.').next().unwrap_or(name).to_string();
        let changes = self.changes.iter();
        let changes: Vec<String> =
            changes.map(|(name, value)| format!("{} {value}", short(name))).collect();
        write!(f, "{}", changes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(kind: &str, task: Task, evidence: Evidence) -> Config {
        Config::with_evidence(task, evidence).with("generator.kind", kind).unwrap()
    }

    #[test]
    fn every_option_and_value_is_one_that_the_network_has() {
        for (kind, task, evidence) in [
            ("tabular_ensemble", Task::Tabular, Evidence::Chosen),
            ("tabular_mlp", Task::Tabular, Evidence::Whole),
            ("token_context", Task::Text, Evidence::Chosen),
            ("sentence_cnn", Task::Text, Evidence::Whole),
            ("cell_context", Task::Image, Evidence::Chosen),
            ("image_cnn", Task::Image, Evidence::Chosen),
        ] {
            let config = config(kind, task, evidence);
            let space = SearchSpace::new(&config, 30_000, |_| false);
            for TriedOption { name, values, given } in space.options() {
                assert!(given.is_some(), "{name}");
                for value in values {
                    config.with(name, value).unwrap().check().unwrap();
                }
            }
            let has = |name: &str| space.options().iter().any(|own| own.name.ends_with(name));
            assert!(has("units") && has("dropout") && has("epochs"), "{kind}");
            assert_eq!(has("learning_rate"), evidence == Evidence::Chosen, "{kind}");
        }
    }

    #[test]
    fn trials_are_different_and_the_same_for_a_seed() {
        let config = Config::new(Task::Tabular);
        let space = SearchSpace::new(&config, 500, |_| false);
        assert!(space.options().iter().all(|own| own.name != "training.epochs"), "few rows");
        let trials = space.trials(30, 3);
        assert_eq!(trials.len(), 30);
        assert_eq!(trials.iter().collect::<HashSet<_>>().len(), 30);
        assert_eq!(trials[..10], space.trials(10, 3), "more trials begin with the same");
        assert_ne!(trials, space.trials(30, 4));
        let one = SearchSpace::new(&config, 500, |name| name != "generator.units");
        let sizes: Vec<String> = one.trials(50, 0).iter().map(Trial::to_string).collect();
        assert_eq!((sizes.len(), sizes[0].as_str()), (3, "as given"), "{sizes:?}");
        assert!(sizes.contains(&"units 64".into()) && sizes.contains(&"units 256".into()));
        assert_eq!(one.trials(usize::MAX, 0), one.trials(50, 0), "there are no more");
        let none = SearchSpace::new(&config, 500, |_| true);
        assert_eq!(none.trials(50, 0), [Trial::default()]);
    }
}
