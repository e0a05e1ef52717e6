//! Everything that can be chosen about a model, in one value that reads from and writes to TOML.

use crate::error::{Error, Result};
use crate::generator::{
    GeneratorConfig, ImageCnnConfig, SentenceCnnConfig, TabularMlpConfig, TokenContextConfig,
};
use crate::objective::ObjectiveChoice;
use crate::reading::DataConfig;
use crate::representation::{ColumnsConfig, GridConfig, RepresentationConfig, WordsConfig};
use crate::train::TrainingConfig;
use serde::{Deserialize, Serialize};

/// The kind of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
pub struct Config {
    /// The kind of samples.
    pub task: Task,
    /// K, the number of terms of each score.
    pub k: usize,
    /// Where all randomness comes from.
    pub seed: u64,
    /// Classes or a number.
    pub objective: ObjectiveChoice,
    /// Where the samples are and how they are read.
    pub data: DataConfig,
    /// How z is made.
    pub representation: RepresentationConfig,
    /// The network.
    pub generator: GeneratorConfig,
    /// The course of training.
    pub training: TrainingConfig,
}

impl Config {
    /// The defaults for a kind of samples.
    ///
    /// ```
    /// use ngsll::config::{Config, Task};
    /// let config = Config::new(Task::Text).with("generator.units", "64")?;
    /// assert!(config.to_toml()?.contains("units = 64"));
    /// let wrong = Config::new(Task::Text).with("generator.unit", "64").unwrap_err();
    /// assert!(wrong.to_string().contains("unknown field `unit`"));
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn new(task: Task) -> Self {
        let (representation, generator) = match task {
            Task::Text => {
                let words = RepresentationConfig::Words(WordsConfig::default());
                (words, GeneratorConfig::TokenContext(TokenContextConfig::default()))
            }
            Task::Image => {
                let grid = RepresentationConfig::Grid(GridConfig::default());
                (grid, GeneratorConfig::ImageCnn(ImageCnnConfig::default()))
            }
            Task::Tabular => {
                let columns = RepresentationConfig::Columns(ColumnsConfig::default());
                (columns, GeneratorConfig::TabularMlp(TabularMlpConfig::default()))
            }
        };
        let (objective, data) = (ObjectiveChoice::default(), DataConfig::default());
        let training = TrainingConfig::default();
        Self { task, k: 5, seed: 0, objective, data, representation, generator, training }
    }

    /// Epochs that the preset's stages share. Small data is seen more often: unless the options say
    /// otherwise, training sees about 480,000 texts in all, or 1,080,000 images, which moves make
    /// different each time, or 2,400,000 rows of a table, which cost the least, in 10 to 60 epochs.
    pub fn epochs(&self, samples: usize) -> usize {
        let seen = match self.task {
            Task::Text => 480_000,
            Task::Image => 1_080_000,
            Task::Tabular => 2_400_000,
        };
        self.training.epochs.unwrap_or((seen / samples.max(1)).clamp(10, 60))
    }

    /// The same with one option changed, named by its path in the TOML file; the value is TOML too,
    /// and bare words are strings.
    pub fn with(&self, key: &str, value: &str) -> Result<Self> {
        let mut over = toml::Table::new();
        insert(&mut over, key, parse_value(value));
        self.with_table(over).map_err(|message| Error::setting(key, value, message))
    }

    /// As a TOML file; TOML cannot hold a seed above 2⁶³ or a path that is not UTF-8.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::setting("options", "unusual", e.to_string()))
    }

    /// The same with the options of a TOML table laid over it; the error says what is wrong.
    pub fn with_table(&self, over: toml::Table) -> Result<Self, String> {
        let base = self.for_generator(&over)?;
        let mut table = toml::Table::try_from(&base).map_err(|e| e.to_string())?;
        let kind = |table: &toml::Table| table.get("representation")?.get("kind").cloned();
        if let (Some(asked), own) = (kind(&over), kind(&table))
            && own.as_ref() != Some(&asked)
        {
            let own = own.map(|kind| kind.to_string()).unwrap_or_default();
            return Err(format!(
                "representation.kind {asked} does not go with this task, expected {own}"
            ));
        }
        merge(&mut table, over);
        table.try_into().map_err(|e: toml::de::Error| {
            let whole = "expected a whole number of at least 0";
            e.message().trim().replace("expected usize", whole).replace("expected u64", whole)
        })
    }

    /// The defaults of another generator, when the table asks for one: its options replace those
    /// of the present generator.
    fn for_generator(&self, over: &toml::Table) -> Result<Self, String> {
        let kind = over.get("generator").and_then(|g| g.get("kind")).and_then(|k| k.as_str());
        let generator = match kind {
            Some("sentence_cnn") => GeneratorConfig::SentenceCnn(SentenceCnnConfig::default()),
            Some("token_context") => GeneratorConfig::TokenContext(TokenContextConfig::default()),
            Some("image_cnn") => GeneratorConfig::ImageCnn(ImageCnnConfig::default()),
            Some("tabular_mlp") => GeneratorConfig::TabularMlp(TabularMlpConfig::default()),
            Some(other) => {
                let known = "image_cnn, sentence_cnn, token_context or tabular_mlp";
                return Err(format!("{other:?} is not a generator, expected {known}"));
            }
            None => return Ok(self.clone()),
        };
        let same = generator.kind() == self.generator.kind();
        let generator = if same { self.generator.clone() } else { generator };
        Ok(Self { generator, ..self.clone() })
    }
}

/// Sets `a.b.c` in nested tables.
pub fn insert(table: &mut toml::Table, key: &str, value: toml::Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_string(), value)),
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| toml::Table::new().into());
            if !inner.is_table() {
                *inner = toml::Table::new().into();
            }
            insert(inner.as_table_mut().expect("it is a table now"), rest, value);
        }
    }
}

/// A TOML value, or the text itself where it is not one.
pub fn parse_value(text: &str) -> toml::Value {
    let parsed: Option<toml::Table> = toml::from_str(&format!("value = {text}")).ok();
    let value = parsed.and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| toml::Value::String(text.to_string()))
}

/// Lays `over` on `base`, table by table.
pub fn merge(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => merge(base, over),
            (_, value) => drop(base.insert(key, value)),
        }
    }
}
