//! A weight for every position of a text, from the words around it and a summary of the whole.
//!
//! The word at position t is read through convolutions over its neighbours; their maximum over time
//! summarises the sentence; a small network turns both into the position's weight. A word's weight
//! is the sum over its positions. Parameters are shared between words, so rare words get sensible
//! weights, and no parameter belongs to a feature's weight alone.

use super::layers::{Conv1d, Init, Linear};
use super::word_vectors::WordVectors;
use super::{Active, Dropout, Generator, X};
use crate::config::option_table;
use crate::ops::max_over_time::max_over_time;
use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{IndexingUpdateOp, Tensor};
use serde::{Deserialize, Serialize};

/// The sizes of [`TokenContext`]. Table of options: [`TokenContextConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TokenContextConfig {
    /// Width of a word's vector.
    pub embedding: usize,
    /// Words that a convolution sees.
    pub widths: Vec<usize>,
    /// Filters of each width.
    pub filters: usize,
    /// Units of the network from context to weight.
    pub units: usize,
    /// Share of word vectors' entries and units dropped in training.
    pub dropout: f64,
    /// Networks whose mean is the answer. Left out where it is 1, as it was before there could be more:
    /// records of experiments go by what is written.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub members: usize,
}

option_table! {
    TokenContextConfig:
    ("embedding", "256", "width of a word's vector", "a whole number from 1 to 65,536"),
    (
        "widths",
        "[1, 3, 5]",
        "how many words each convolution sees",
        "a list of whole numbers of at least 1",
    ),
    ("filters", "100", "filters of each width", "a whole number from 1 to 65,536"),
    (
        "units",
        "128",
        "units of the network from context to weight",
        "a whole number from 1 to 65,536",
    ),
    (
        "dropout",
        "0.4 (evidence whole: 0.6)",
        "share of word vectors' entries and of units dropped in training",
        "a number from 0 to below 1",
    ),
    (
        "members",
        "3 (evidence whole: 1)",
        "networks whose mean is the answer; each takes as long as one alone",
        "a whole number from 1 to 65,536",
    ),
}

fn one() -> usize {
    1
}

fn is_one(members: &usize) -> bool {
    *members == 1
}

impl Default for TokenContextConfig {
    fn default() -> Self {
        Self {
            embedding: 256,
            widths: vec![1, 3, 5],
            filters: 100,
            units: 128,
            dropout: 0.6,
            members: 1,
        }
    }
}

/// The generator for texts that writes a weight for every position from its context and a summary of the text.
#[derive(Module, Debug)]
pub struct TokenContext {
    embedding: WordVectors,
    convolutions: Vec<Conv1d>,
    /// From the position's context; carries the bias of the hidden layer.
    from_context: Linear,
    /// From the summary of the sentence.
    from_summary: Linear,
    weight: Linear,
    #[module(skip)]
    dropout: f64,
}

impl TokenContext {
    /// The network for token ids below `ids`, of which some may be erased if `masked`, and `outputs`
    /// scores.
    pub fn new(
        config: &TokenContextConfig,
        (ids, masked): (usize, bool),
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let convolution = |w: &usize, init: &mut Init<'_>| {
            Conv1d::new(config.embedding, config.filters, *w, init)
        };
        let width = config.filters * config.widths.len();
        Self {
            embedding: WordVectors::new(ids, masked, config.embedding, init),
            convolutions: config.widths.iter().map(|w| convolution(w, init)).collect(),
            from_context: Linear::new(width, config.units, init),
            from_summary: Linear::new(width, config.units, init),
            weight: Linear::new(config.units, outputs, init),
            dropout: config.dropout,
        }
    }
}

impl Generator for TokenContext {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        let token_slots =
            active.token_slots.clone().expect("token batches say where their features occur");
        let (words, present) = self.embedding.forward(x);
        let words = dropout.apply(words, self.dropout);
        let convolve = |c: &Conv1d| c.forward(words.clone());
        let context = Tensor::cat(self.convolutions.iter().map(convolve).collect(), 2);
        let summary = max_over_time(context.clone(), present);
        let hidden = self.from_context.forward(context)
            + self.from_summary.forward(summary).unsqueeze_dim(1);
        let hidden = dropout.apply(relu(hidden), self.dropout);
        // [batch, outputs, time] → [batch, outputs, slots]: sums a word's positions; those without
        // a slot go to one that is cut off.
        let weights = self.weight.forward(hidden).swap_dims(1, 2);
        let [batch, outputs, time] = weights.dims();
        let token_slots = token_slots.unsqueeze_dim::<3>(1).expand([batch, outputs, time]);
        Tensor::zeros([batch, outputs, active.slots + 1], &weights.device())
            .scatter(2, token_slots, weights, IndexingUpdateOp::Add)
            .slice_dim(2, 0..active.slots)
    }
}
