//! Every option by its name, with its default, its purpose and the values it takes.
//!
//! Each `…Config` has a table beside it, `OPTIONS`, written with [`option_table!`]. The help of the command,
//! `docs/options.md`, the documentation of the constants and the messages about wrong values all come from these tables.

use super::{Config, DataConfig, ImageConfig};
use crate::evidence::Choice;
use crate::generator::{
    CellContextConfig, GeneratorConfig, ImageCnnConfig, SentenceCnnConfig, TabularEnsembleConfig,
    TabularMlpConfig, TokenContextConfig,
};
use crate::representation::{ColumnsConfig, GridConfig, RepresentationConfig, WordsConfig};
use crate::train::{Stage, TrainingConfig};

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// Its name within its group, such as `units`.
    pub name: &'static str,
    /// Its default, in words where it depends on the data.
    pub default: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// The values it takes: completes "expected …".
    pub values: &'static str,
}

/// The options of one table of a configuration file.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OptionGroup {
    /// The table, such as `generator`; empty for options outside of any.
    pub table: &'static str,
    /// The `kind` that the table must have, such as `image_cnn`.
    pub kind: Option<&'static str>,
    /// The subject of the options.
    pub title: &'static str,
    /// The options.
    pub options: &'static [OptionInfo],
}

impl OptionGroup {
    /// The full name of an option, as for `--set`.
    pub fn key(&self, option: &OptionInfo) -> String {
        match self.table {
            "" => option.name.to_string(),
            table => format!("{table}.{}", option.name),
        }
    }
}

/// All options that a configuration file may hold, group by group.
///
/// ```
/// use ngsll::config::option_groups;
/// let seed = option_groups()[0].options.iter().find(|option| option.name == "seed").unwrap();
/// assert_eq!((seed.default, seed.values), ("0", "a whole number of at least 0"));
/// ```
pub fn option_groups() -> Vec<OptionGroup> {
    let group = |table, kind, title, options| OptionGroup { table, kind, title, options };
    let network = |kind, title, options| group("generator", Some(kind), title, options);
    let features = |kind, title, options| group("representation", Some(kind), title, options);
    vec![
        group("", None, "The model", Config::OPTIONS),
        group("choice", None, "How features are chosen", Choice::OPTIONS),
        group("data", None, "Where the samples are and how they are read", DataConfig::OPTIONS),
        group("data.image", None, "How image files are read", ImageConfig::OPTIONS),
        group("representation", None, "What the features are", RepresentationConfig::OPTIONS),
        features("words", "Features of a text", WordsConfig::OPTIONS),
        features("grid", "Features of an image", GridConfig::OPTIONS),
        features("columns", "Features of a table", ColumnsConfig::OPTIONS),
        group("generator", None, "The network", GeneratorConfig::OPTIONS),
        network("token_context", "The network for text", TokenContextConfig::OPTIONS),
        network("sentence_cnn", "The paper's network for text", SentenceCnnConfig::OPTIONS),
        network("cell_context", "The network for images", CellContextConfig::OPTIONS),
        network("image_cnn", "The paper's network for images", ImageCnnConfig::OPTIONS),
        network("tabular_ensemble", "The network for tables", TabularEnsembleConfig::OPTIONS),
        network("tabular_mlp", "The network for tables, evidence whole", TabularMlpConfig::OPTIONS),
        group("training", None, "Training", TrainingConfig::OPTIONS),
        group("training.stages", None, "A stage of a custom training schedule", Stage::OPTIONS),
    ]
}

/// The table of a configuration's options, as a constant whose documentation shows it.
macro_rules! option_table {
    ($config:ty: $(($name:literal, $default:literal, $purpose:literal, $values:literal $(,)?),)*) => {
        impl $config {
            /// The options of this part of a configuration.
            ///
            /// | name | default | purpose | values |
            /// |---|---|---|---|
            $(#[doc = concat!("| `", $name, "` | ", $default, " | ", $purpose, " | ", $values, " |")])*
            pub const OPTIONS: &'static [$crate::config::OptionInfo] = &[
                $($crate::config::OptionInfo {
                    name: $name,
                    default: $default,
                    purpose: $purpose,
                    values: $values,
                },)*
            ];
        }
    };
}
pub(crate) use option_table;

#[cfg(test)]
mod tests;
