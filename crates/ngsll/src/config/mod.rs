//! All options of a model, in one value that reads from and writes to TOML.

mod column;
mod data;
mod image;
mod overrides;
mod reference;
mod wrong_value;

pub use column::ColumnConfig;
pub use data::DataConfig;
pub use image::{Background, Fit, ImageConfig};
pub use overrides::Overrides;
pub(crate) use reference::option_table;
pub use reference::{OptionGroup, OptionInfo, option_groups};

use crate::error::{Error, Result};
use crate::evidence::choice::{Rule, Side};
use crate::evidence::{Choice, Evidence};
use crate::generator::{
    CellContextConfig, GeneratorConfig, ImageCnnConfig, TabularEnsembleConfig, TabularMlpConfig,
    TokenContextConfig,
};
use crate::objective::ObjectiveChoice;
use crate::representation::{ColumnsConfig, GridConfig, RepresentationConfig, WordsConfig};
use crate::train::{Preset, Stage, TrainingConfig};
use serde::{Deserialize, Serialize};

/// A larger K is a typing error.
const MOST_TERMS: usize = 1 << 20;

/// K where the options do not say.
pub(crate) const DEFAULT_K: usize = 5;

/// The kind of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Task {
    /// Sentences or documents.
    Text,
    /// Images of one size.
    Image,
    /// Rows with named columns.
    Tabular,
}

/// All options of a model. Defaults depend on the task: see [`Config::new`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The kind of samples.
    pub task: Task,
    /// K, the number of terms of each score.
    pub k: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Classification or regression.
    pub objective: ObjectiveChoice,
    /// The rule by which features are chosen, for evidence `chosen`; by the kind of samples if
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// The location of the samples and how they are read.
    pub data: DataConfig,
    /// How the features z are made.
    pub representation: RepresentationConfig,
    /// The network.
    pub generator: GeneratorConfig,
    /// The training schedule.
    pub training: TrainingConfig,
}

option_table! {
    Config:
    ("task", "must be given", "the kind of samples", "text, image or tabular"),
    (
        "k",
        "5",
        "K, the number of terms in each score; with evidence `chosen` a trained model also answers with any other. The flag also takes `auto`: the smallest K, up to 30, whose validation loss is within 1 % of the best",
        "a whole number of at least 1",
    ),
    ("seed", "0", "the seed of all random numbers", "a whole number of at least 0"),
    (
        "objective",
        "auto",
        "whether the model predicts classes or a number; `auto` decides by the target",
        "auto, classes or regression",
    ),
}

/// The fewest samples per step: those of a table are small.
pub(crate) fn fewest_samples(chosen_columns: bool) -> usize {
    if chosen_columns { 32 } else { 16 }
}

/// A table with fewer training rows has few: cross-validation decides how long to train.
pub(crate) const FEW_ROWS: usize = 2000;

impl Config {
    /// The defaults for a kind of samples.
    ///
    /// ```
    /// use ngsll::config::{Config, Task};
    /// let mut config = Config::new(Task::Text);
    /// config.training.batch_size = Some(64);
    /// assert!(config.to_toml()?.contains("batch_size = 64"));
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn new(task: Task) -> Self {
        Self::with_evidence(task, Evidence::Chosen)
    }

    /// The defaults for a kind of samples and of evidence.
    pub fn with_evidence(task: Task, evidence: Evidence) -> Self {
        let (representation, generator) = match task {
            Task::Text => {
                let words = RepresentationConfig::Words(WordsConfig::default());
                let mut network = TokenContextConfig::default();
                if evidence == Evidence::Chosen {
                    // Erased words already act as dropout.
                    network.dropout = 0.4;
                }
                (words, GeneratorConfig::TokenContext(network))
            }
            Task::Image => {
                let grid = RepresentationConfig::Grid(GridConfig::default());
                let network = match evidence {
                    Evidence::Chosen => GeneratorConfig::CellContext(CellContextConfig::default()),
                    Evidence::Whole => GeneratorConfig::ImageCnn(ImageCnnConfig::default()),
                };
                (grid, network)
            }
            Task::Tabular if evidence == Evidence::Whole => {
                // A gate cannot learn from terms that all start at 0, as those of the ensemble do.
                let columns = ColumnsConfig { bins: 32, distinct_bins: 32, ..Default::default() };
                let network = GeneratorConfig::TabularMlp(TabularMlpConfig::default());
                (RepresentationConfig::Columns(columns), network)
            }
            Task::Tabular => {
                let columns = RepresentationConfig::Columns(ColumnsConfig::default());
                (columns, GeneratorConfig::TabularEnsemble(TabularEnsembleConfig::default()))
            }
        };
        let (objective, data) = (ObjectiveChoice::default(), DataConfig::default());
        let preset = match evidence {
            Evidence::Chosen => Preset::Subsets,
            Evidence::Whole => Preset::Annealed,
        };
        let training = TrainingConfig { preset, ..TrainingConfig::default() };
        Self {
            task,
            k: DEFAULT_K,
            seed: 0,
            objective,
            choice: None,
            data,
            representation,
            generator,
            training,
        }
    }

    /// Epochs that the preset's stages share. Small data sets are seen more often: unless the options say
    /// otherwise, training sees about 480,000 texts in all (120,000 where it sees parts of them, in a
    /// single stage), 1,080,000 images, which shifts make different each time, or 2,400,000 rows of
    /// a table (720,000), the cheapest, in 10 to 60 epochs; few rows of a table in at most 40.
    pub fn epochs(&self, samples: usize) -> usize {
        let seen = match (self.task, self.training.evidence()) {
            (Task::Text, Evidence::Whole) => 480_000,
            (Task::Text, Evidence::Chosen) => 120_000,
            (Task::Image, _) => 1_080_000,
            (Task::Tabular, Evidence::Whole) => 2_400_000,
            (Task::Tabular, Evidence::Chosen) => 720_000,
        };
        let few = self.task == Task::Tabular
            && self.training.evidence() == Evidence::Chosen
            && samples < FEW_ROWS;
        let most = if few { 40 } else { 60 };
        self.training.epochs.unwrap_or((seen / samples.max(1)).clamp(10, most))
    }

    /// Samples per step; by the number of samples unless the options give it.
    pub fn batch_size(&self, samples: usize) -> usize {
        let chosen_columns =
            self.task == Task::Tabular && self.training.evidence() == Evidence::Chosen;
        self.training.batch_size(samples, fewest_samples(chosen_columns))
    }

    /// The training stages with gate size `k` on this many samples.
    pub fn stages(&self, k: usize, samples: usize) -> Vec<Stage> {
        self.training.schedule(k, self.epochs(samples))
    }

    /// As a TOML file; TOML cannot hold a seed above 2⁶³ or a path that is not UTF-8.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::setting("options", "unusual", e.to_string()))
    }

    /// Refuses options that cannot work with any data.
    ///
    /// ```
    /// use ngsll::config::{Config, Task};
    /// let mut config = Config::new(Task::Text);
    /// assert!(config.clone().check().is_ok());
    /// config.k = 0;
    /// assert_eq!(config.check().unwrap_err().to_string(), "k = 0: K must be at least 1");
    /// ```
    pub fn check(self) -> Result<Options> {
        self.check_sizes()?;
        let by_effect = self.choice.is_some_and(|choice| choice.rule == Rule::Effect);
        if by_effect && self.task != Task::Tabular {
            return Err(Error::setting("choice.rule", "effect", "this rule is for tables only"));
        }
        let search = Choice::new(Rule::Search, Side::Both);
        if self.choice == Some(search) {
            let expected = "search looks for support of the answer: side = \"answer\"";
            return Err(Error::setting("choice.side", "both", expected));
        }
        self.training.check(self.k)?;
        Ok(Options(self))
    }

    /// Refuses impossible sizes: the checks that also apply to a trained model.
    pub(crate) fn check_sizes(&self) -> Result<()> {
        match self.k {
            0 => return Err(Error::setting("k", 0, "K must be at least 1")),
            1..=MOST_TERMS => {}
            k => return Err(Error::setting("k", k, format!("K may be at most {MOST_TERMS}"))),
        }
        self.generator.check()?;
        self.representation.check()?;
        self.data.image.iter().try_for_each(ImageConfig::check)
    }
}

/// Options checked by [`Config::check`], as training takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct Options(Config);

impl Options {
    /// The options.
    pub fn config(&self) -> &Config {
        &self.0
    }

    /// Fills in the options for image files, so that the model records how its own were read.
    pub(crate) fn with_image_reading(mut self) -> Self {
        if self.0.task == Task::Image {
            self.0.data.image.get_or_insert_default();
        }
        self
    }

    /// The options, for changing and checking again.
    pub fn into_config(self) -> Config {
        self.0
    }
}
