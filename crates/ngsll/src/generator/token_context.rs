//! A weight for every position of a text, from the words around it and a summary of the whole.
//!
//! The word at position t is read through convolutions over its neighbours; their maximum over time
//! summarises the sentence; a small network turns both into the position's weight. A word's weight
//! is the mean over its positions (with evidence `whole` their sum). Parameters are shared between words,
//! so rare words get sensible weights, and no parameter belongs to a feature's weight alone.

use super::layers::{Conv1d, Init, Linear};
use super::token_vectors::TokenVectors;
use super::{Active, Dropout, Generator, X};
use crate::config::option_table;
use crate::error::{Error, Result};
use crate::ops::max_over_time::max_over_time;
use crate::representation::{FirstVectors, WordVectors};
use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{IndexingUpdateOp, Tensor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The sizes of [`TokenContext`]. Table of options: [`TokenContextConfig::OPTIONS`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
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
    /// Networks whose mean is the answer. Not written if 1, the only number there once was: records of
    /// experiments are identified by the options as they are written.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub members: usize,
    /// The file of the vectors that words start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<PathBuf>,
    /// Whether these stay fixed; all members then share them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vectors_fixed: bool,
    /// The vectors themselves: this crate does not read files of vectors, so its caller passes them to
    /// [`GeneratorConfig::set_vectors`](super::GeneratorConfig::set_vectors). A trained model no longer needs them.
    #[serde(skip)]
    pub(crate) word_vectors: Option<Arc<WordVectors>>,
}

option_table! {
    TokenContextConfig:
    (
        "embedding",
        "256, or the width of `vectors`",
        "width of a word's vector",
        "a whole number from 1 to 65,536",
    ),
    (
        "widths",
        "[1, 3, 5]",
        "how many words each convolution sees",
        "a list of up to 100 whole numbers from 1 to 64",
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
        "1",
        "networks whose mean is the answer; each takes as long as one alone",
        "a whole number from 1 to 100",
    ),
    (
        "vectors",
        "none",
        "a file of pretrained word vectors: GloVe, word2vec (text or binary) or fastText's .vec",
        "a path",
    ),
    (
        "vectors_fixed",
        "false",
        "whether pretrained vectors stay fixed; words that no training sample has are then known by their vectors",
        "true or false",
    ),
}

/// Records of experiments are identified by this text, so options added later appear only when set.
impl fmt::Debug for TokenContextConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TokenContextConfig");
        shown.field("embedding", &self.embedding).field("widths", &self.widths);
        shown.field("filters", &self.filters).field("units", &self.units);
        shown.field("dropout", &self.dropout).field("members", &self.members);
        if self.vectors.is_some() {
            shown.field("vectors_fixed", &self.vectors_fixed);
            shown.field("word_vectors", &self.word_vectors);
        }
        shown.finish()
    }
}

impl TokenContextConfig {
    /// See [`GeneratorConfig::set_vectors`](super::GeneratorConfig::set_vectors).
    pub(super) fn set_vectors(&mut self, vectors: Arc<WordVectors>) -> Result<()> {
        let width = vectors.width();
        if ![width, Self::default().embedding].contains(&self.embedding) {
            let expected = format!("the word vectors have {width} numbers; leave this option out");
            return Err(Error::setting("generator.embedding", self.embedding, expected));
        }
        self.embedding = width;
        self.vectors.get_or_insert_with(|| IN_MEMORY.into());
        self.word_vectors = Some(vectors);
        Ok(())
    }

    /// See [`GeneratorConfig::unread_vectors`](super::GeneratorConfig::unread_vectors).
    pub(super) fn vectors_file(&self) -> Result<Option<&Path>> {
        match self.vectors.as_deref() {
            Some(path) if path == Path::new(IN_MEMORY) => {
                let expected =
                    "these word vectors came from no file and are needed again: give them anew";
                Err(Error::setting("generator.vectors", IN_MEMORY, expected))
            }
            path => Ok(path),
        }
    }
}

/// Stands for the file of vectors that were not read from one.
const IN_MEMORY: &str = "(in memory)";

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
            vectors: None,
            vectors_fixed: false,
            word_vectors: None,
        }
    }
}

/// The generator for texts that writes a weight for every position from its context and a summary of the text.
#[derive(Module, Debug)]
pub struct TokenContext {
    embedding: TokenVectors,
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
    /// The network for token ids below `ids`, some of which may be erased if `masked`, and `outputs`
    /// scores.
    pub(super) fn new(
        config: &TokenContextConfig,
        (ids, masked): (usize, bool),
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let convolution = |w: &usize, init: &mut Init<'_>| {
            Conv1d::new(config.embedding, config.filters, *w, init)
        };
        let width = config.filters * config.widths.len();
        let embedding = match config.vectors_fixed {
            true => TokenVectors::of_fixed(masked, config.embedding, init),
            false => TokenVectors::new(ids, masked, config.embedding, init),
        };
        Self {
            embedding,
            convolutions: config.widths.iter().map(|w| convolution(w, init)).collect(),
            from_context: Linear::new(width, config.units, init),
            from_summary: Linear::new(width, config.units, init),
            weight: Linear::new(config.units, outputs, init),
            dropout: config.dropout,
        }
    }

    /// Returns the network with initial word vectors.
    pub(super) fn starting_from(self, first: &FirstVectors) -> Self {
        Self { embedding: self.embedding.starting_from(first), ..self }
    }

    /// [`Generator::forward`] with the vectors of the tokens given: [batch, time, width]
    pub(super) fn forward_fixed(
        &self,
        vectors: Tensor<3>,
        x: &X,
        active: &Active,
        dropout: &mut Dropout,
    ) -> Tensor<3> {
        self.weights(self.embedding.marked(vectors, x), active, dropout)
    }

    /// words: [batch, time, width], present: [batch, time] → weights: [batch, outputs, slots]
    fn weights(
        &self,
        (words, present): (Tensor<3>, Tensor<2>),
        active: &Active,
        dropout: &mut Dropout,
    ) -> Tensor<3> {
        let token_slots =
            active.token_slots.clone().expect("token batches say where their features occur");
        let words = dropout.apply(words, self.dropout);
        let convolve = |c: &Conv1d| c.forward(words.clone());
        let context = Tensor::cat(self.convolutions.iter().map(convolve).collect(), 2);
        let summary = max_over_time(context.clone(), present);
        let hidden = self.from_context.forward(context)
            + self.from_summary.forward(summary).unsqueeze_dim(1);
        let hidden = dropout.apply(relu(hidden), self.dropout);
        // [batch, outputs, time] → [batch, outputs, slots]: sums a word's positions, or their shares; those
        // without a slot go to an extra one that is cut off.
        let weights = self.weight.forward(hidden).swap_dims(1, 2);
        let weights = match token_slots.shares {
            Some(shares) => weights * shares.unsqueeze_dim(1),
            None => weights,
        };
        let [batch, outputs, time] = weights.dims();
        let token_slots = token_slots.slots.unsqueeze_dim::<3>(1).expand([batch, outputs, time]);
        Tensor::zeros([batch, outputs, active.slots + 1], &weights.device())
            .scatter(2, token_slots, weights, IndexingUpdateOp::Add)
            .slice_dim(2, 0..active.slots)
    }
}

impl Generator for TokenContext {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.weights(self.embedding.forward(x), active, dropout)
    }
}
