//! The text network of the paper (Kim 2014): embeddings, convolutions of several widths, ReLU and
//! the maximum over time.

use super::layers::{Conv1d, Init};
use super::token_vectors::TokenVectors;
use super::{Dropout, Extractor, TokenContextConfig, X};
use crate::config::option_table;
use crate::ops::max_over_time::max_over_time;
use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// The sizes of [`SentenceCnn`]. Table of options: [`SentenceCnnConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SentenceCnnConfig {
    /// Width of a word's vector.
    pub embedding: usize,
    /// Words that a convolution sees.
    pub widths: Vec<usize>,
    /// Filters of each width.
    pub filters: usize,
    /// L, fully connected layers.
    pub layers: usize,
    /// U, units of each fully connected layer.
    pub units: usize,
    /// Share of the pooled features and of the units dropped in training.
    pub dropout: f64,
}

option_table! {
    SentenceCnnConfig:
    ("embedding", "128", "width of a word's vector", "a whole number from 1 to 65,536"),
    (
        "widths",
        "[3, 4, 5]",
        "how many words each convolution sees",
        "a list of up to 100 whole numbers from 1 to 64",
    ),
    ("filters", "100", "filters of each width", "a whole number from 1 to 65,536"),
    ("layers", "1", "L, fully connected layers", "a whole number from 0 to 100"),
    ("units", "128", "U, units of each of these layers", "a whole number from 1 to 65,536"),
    (
        "dropout",
        "0.5",
        "share of pooled features and units dropped in training",
        "a number from 0 to below 1",
    ),
}

impl Default for SentenceCnnConfig {
    fn default() -> Self {
        Self {
            embedding: 128,
            widths: vec![3, 4, 5],
            filters: 100,
            layers: 1,
            units: 128,
            dropout: 0.5,
        }
    }
}

/// With the sizes that both have: for text networks with a single output, such as a DNN.
impl From<&TokenContextConfig> for SentenceCnnConfig {
    fn from(c: &TokenContextConfig) -> Self {
        let (embedding, filters, units, dropout) = (c.embedding, c.filters, c.units, c.dropout);
        Self { embedding, filters, units, dropout, ..Self::default() }
    }
}

/// The feature extractor for texts: word vectors, convolutions of several widths, ReLU and the maximum over time.
#[derive(Module, Debug)]
pub struct SentenceCnn {
    embedding: TokenVectors,
    convolutions: Vec<Conv1d>,
    #[module(skip)]
    dropout: f64,
}

impl SentenceCnn {
    /// The network, and the width of its features, for token ids below `ids`, some of which may be
    /// erased if `masked`.
    pub(super) fn new(
        config: &SentenceCnnConfig,
        (ids, masked): (usize, bool),
        init: &mut Init<'_>,
    ) -> (Self, usize) {
        let embedding = TokenVectors::new(ids, masked, config.embedding, init);
        let convolution = |&w| Conv1d::new(config.embedding, config.filters, w, init);
        let convolutions: Vec<_> = config.widths.iter().map(convolution).collect();
        let width = config.filters * convolutions.len();
        (Self { embedding, convolutions, dropout: config.dropout }, width)
    }
}

impl Extractor for SentenceCnn {
    fn extract(&self, x: &X, dropout: &mut Dropout) -> Tensor<2> {
        let (words, present) = self.embedding.forward(x);
        let pooled = |c: &Conv1d| max_over_time(c.forward(words.clone()), present.clone());
        let features = Tensor::cat(self.convolutions.iter().map(pooled).collect(), 1);
        dropout.apply(features, self.dropout)
    }
}
