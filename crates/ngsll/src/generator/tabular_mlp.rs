//! The network for tables: fully connected layers over the encoded columns.

use super::layers::{FullyConnected, Init};
use super::{Dropout, Extractor, X};
use crate::config::option_table;
use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// The sizes of [`TabularMlp`]. Table of options: [`TabularMlpConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TabularMlpConfig {
    /// Fully connected layers.
    pub layers: usize,
    /// Units of each.
    pub units: usize,
    /// Share of units dropped in training.
    pub dropout: f64,
}

option_table! {
    TabularMlpConfig:
    ("layers", "2", "fully connected layers", "a whole number from 1 to 100"),
    ("units", "256", "units of each layer", "a whole number from 1 to 65,536"),
    ("dropout", "0.1", "share of units dropped in training", "a number from 0 to below 1"),
}

impl Default for TabularMlpConfig {
    fn default() -> Self {
        Self { layers: 2, units: 256, dropout: 0.1 }
    }
}

/// The feature extractor for tables: fully connected layers over the encoded columns.
#[derive(Module, Debug)]
pub struct TabularMlp {
    layers: FullyConnected,
}

impl TabularMlp {
    /// The network for rows of `width` numbers.
    pub(super) fn new(config: &TabularMlpConfig, width: usize, init: &mut Init<'_>) -> Self {
        let layers = FullyConnected::new(width, config.layers, config.units, config.dropout, init);
        Self { layers }
    }
}

impl Extractor for TabularMlp {
    fn extract(&self, x: &X, dropout: &mut Dropout) -> Tensor<2> {
        let X::Columns(rows) = x else { unreachable!("a table network is given columns") };
        self.layers.forward(rows.numbers(), dropout)
    }
}
