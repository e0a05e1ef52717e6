//! sample → (x, z, mask), with a name for every feature of z: everything specific to a kind of
//! sample.
//!
//! A representation is fitted on the training rows, then encodes samples into a compact form
//! ([`Encoded`]) from which batches are cut. z and the mask are sparse: a sample lists its active
//! features, and a feature whose value is zero or missing is masked. This module alone knows how samples of
//! a kind are augmented, shown, described, listed in a schema and turned back to what the user wrote:
//! every kind implements `Kind`, and the rest of the program asks
//! [`Representation`].

mod batch;
mod columns;
mod encoded;
mod grid;
mod kind;
mod pixel_scale;
mod regions;
mod schema;
mod segments;
mod superpixels;
mod tokenizer;
mod unseen;
mod view;
mod words;

pub use batch::{Active, Batch, Dims, ImageRegions, PixelOwners, TokenSlots, X, XShape};
pub use columns::{ColumnEncoding, ColumnRows, Columns, ColumnsConfig, Monotone, TableRows};
pub(crate) use columns::{
    EmbeddingSpan, EmbeddingSpans, FARTHEST, MONOTONE_WEIGHTS, monotone_sentence,
};
pub use encoded::{Encoded, SparseRow};
pub use grid::{Grid, GridConfig};
pub use kind::Augmentation;
pub(crate) use kind::Change;
pub use pixel_scale::PixelScale;
pub use regions::{RegionSource, Regions};
pub use schema::{ColumnDomain, ColumnSchema, NumericRange, Schema};
pub use segments::TextUnit;
pub use tokenizer::{Tokenizer, tokens};
pub use unseen::{CutTexts, UnseenCells};
pub use view::{SampleView, StillVisible, TokenView};
pub(crate) use words::FirstVectors;
pub use words::{VectorFilter, WordVectors, Words, WordsConfig};

use crate::config::{Task, option_table};
use crate::dataset::{Column, Samples};
use crate::error::{Error, Result};
use crate::evidence::subsets::SubsetSizes;
use crate::evidence::{Choice, Evidence};
use burn::tensor::Device;
use kind::Kind;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The representation of samples of one kind; fitted on training data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Representation {
    /// Images as a grid of ink cells.
    Grid(Grid),
    /// Text as a bag of words.
    Words(Words),
    /// Table rows as their columns.
    Columns(Columns),
}

/// The options of a representation before it is fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepresentationConfig {
    /// See [`GridConfig`].
    Grid(GridConfig),
    /// See [`WordsConfig`].
    Words(WordsConfig),
    /// See [`ColumnsConfig`].
    Columns(ColumnsConfig),
}

option_table! {
    RepresentationConfig:
    ("kind", "by task", "what the samples are made into", "words for text, grid for images, columns for tables"),
}

impl RepresentationConfig {
    /// Refuses options that suit no data.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Grid(config) => config.check(),
            Self::Words(config) => config.check(),
            Self::Columns(config) => config.check(),
        }
    }

    /// Sets the regions of a mask; only images have any.
    pub fn with_regions(mut self, regions: Option<Regions>) -> Self {
        if let Self::Grid(config) = &mut self {
            config.region_map = regions;
        }
        self
    }

    /// Fits the representation to the given rows of the samples.
    pub fn fit(
        &self,
        samples: &Samples,
        rows: &[usize],
        evidence: Evidence,
    ) -> Result<Representation> {
        Ok(match (self, samples) {
            (Self::Grid(config), Samples::Images(images)) => {
                let pixels = (evidence == Evidence::Chosen).then(|| PixelScale::fit(images, rows));
                Representation::Grid(Grid::fit(config, images)?.with_pixels(pixels))
            }
            (Self::Words(config), Samples::Texts(texts)) => {
                Representation::Words(Words::fit(config, texts, rows, evidence)?)
            }
            (Self::Columns(config), Samples::Table(table)) => {
                Representation::Columns(Columns::fit(config, table, rows, evidence)?)
            }
            (config, samples) => {
                let expected = match config {
                    Self::Grid(_) => "expected images",
                    Self::Words(_) => "expected texts",
                    Self::Columns(_) => "expected a table",
                };
                return Err(Error::setting("samples", samples.kind(), expected));
            }
        })
    }
}

impl From<GridConfig> for RepresentationConfig {
    fn from(config: GridConfig) -> Self {
        Self::Grid(config)
    }
}

impl From<WordsConfig> for RepresentationConfig {
    fn from(config: WordsConfig) -> Self {
        Self::Words(config)
    }
}

impl From<ColumnsConfig> for RepresentationConfig {
    fn from(config: ColumnsConfig) -> Self {
        Self::Columns(config)
    }
}

impl Representation {
    /// The kind of sample behind it.
    fn kind(&self) -> &dyn Kind {
        match self {
            Self::Grid(grid) => grid,
            Self::Words(words) => words,
            Self::Columns(columns) => columns,
        }
    }

    /// d, the number of features of z.
    pub fn features(&self) -> usize {
        self.kind().features()
    }

    /// Validates deserialised fields, refusing what training for this task and evidence cannot produce;
    /// the error is a message.
    pub(crate) fn check(&self, task: Task, evidence: Evidence) -> Result<(), String> {
        let own = match self {
            Self::Grid(_) => Task::Image,
            Self::Words(_) => Task::Text,
            Self::Columns(_) => Task::Tabular,
        };
        let by_column = task == Task::Tabular && evidence == Evidence::Chosen;
        if own != task || self.is_screened() != by_column {
            return Err("it does not match the options of the model".into());
        }
        self.kind().check()
    }

    /// The grid of images; `None` for other samples.
    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Self::Grid(grid) => Some(grid),
            _ => None,
        }
    }

    /// The regions of images that are the features, if these are not cells of a grid.
    pub fn regions(&self) -> Option<&Regions> {
        self.grid()?.regions()
    }

    /// What erasing a feature leaves visible of a sample.
    pub(crate) fn still_visible(&self) -> StillVisible {
        match self {
            Self::Words(_) => StillVisible::Positions,
            Self::Grid(grid) if grid.superpixels() => StillVisible::Outlines,
            _ => StillVisible::Nothing,
        }
    }

    /// Whether features are screened for those that never help: if features are columns.
    pub(crate) fn is_screened(&self) -> bool {
        self.kind().weights_per_feature() == 2
    }

    /// Marks features as never chosen; only columns can be left out.
    pub(crate) fn without(self, uninformative: Vec<usize>) -> Self {
        match self {
            Self::Columns(columns) => Self::Columns(columns.without(uninformative)),
            other => other,
        }
    }

    /// Marks columns as monotone; only tables have any.
    pub(crate) fn with_monotone(self, directions: &BTreeMap<String, Monotone>) -> Self {
        match self {
            Self::Columns(columns) if !directions.is_empty() => {
                Self::Columns(columns.with_monotone(directions))
            }
            other => other,
        }
    }

    /// The same with the words that only these vectors know; only texts have any.
    pub(crate) fn with_pretrained_words(self, vectors: &WordVectors) -> Self {
        match self {
            Self::Words(words) => Self::Words(words.with_pretrained_words(vectors)),
            other => other,
        }
    }

    /// The vectors that the words of texts start from.
    pub(crate) fn first_vectors(&self, vectors: &Arc<WordVectors>) -> Option<FirstVectors> {
        match self {
            Self::Words(words) => Some(words.first_vectors(vectors)),
            _ => None,
        }
    }

    /// The columns in whose value the score may only rise or only fall, as the options ask.
    pub fn monotone(&self) -> Vec<(&str, Monotone)> {
        match self {
            Self::Columns(columns) => columns.monotone().collect(),
            _ => Vec::new(),
        }
    }

    /// The columns of a table that are read; none of other samples.
    pub(crate) fn columns_of<'a>(&self, samples: &'a Samples) -> Vec<&'a Column> {
        match (self, samples) {
            (Self::Columns(columns), Samples::Table(table)) => {
                let read = columns.encodings().iter();
                read.filter_map(|encoding| table.column(encoding.name())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Columns that are not read because they hold the same in every row.
    pub(crate) fn constant(&self) -> &[String] {
        match self {
            Self::Columns(columns) => columns.constant(),
            _ => &[],
        }
    }

    /// Columns that are never chosen because they do not help on held-out rows.
    pub(crate) fn uninformative(&self) -> Vec<String> {
        match self {
            Self::Columns(columns) => columns.uninformative(),
            _ => Vec::new(),
        }
    }

    /// The number of words that only their pretrained vectors know, and no training text.
    pub(crate) fn unlearned(&self) -> usize {
        match self {
            Self::Words(words) => words.unlearned(),
            _ => 0,
        }
    }

    /// The numbers of words inside and outside the vocabulary; `None` for other samples.
    pub(crate) fn unknown_words(&self, samples: &Samples) -> Option<[u64; 2]> {
        let (Self::Words(words), Samples::Texts(texts)) = (self, samples) else { return None };
        let mut counts = [0, 0];
        for (_, feature) in texts.iter().flat_map(|text| words.read(text)) {
            counts[usize::from(feature.is_none())] += 1;
        }
        Some(counts)
    }

    /// The sizes that a generator for `outputs` scores must fit.
    pub fn dims(&self, outputs: usize, evidence: Evidence) -> Dims {
        let mut weights = self.features() * self.kind().weights_per_feature();
        let x = match (self.kind().x_shape(), evidence) {
            (x, Evidence::Whole) => x,
            // Extra channels for the marks of erased pixels.
            (XShape::Image { channels, height, width, cells }, _) => {
                XShape::Image { channels: channels + 1, height, width, cells }
            }
            (XShape::Tokens { ids, .. }, _) => XShape::Tokens { ids, masked: true },
            (XShape::Columns { width, columns }, _) => {
                let monotone = columns.iter().filter(|column| column.monotone.is_some());
                weights += MONOTONE_WEIGHTS * monotone.count();
                XShape::Columns { width: width + columns.len(), columns }
            }
        };
        Dims { x, features: weights, outputs }
    }

    /// The sizes of the random subsets for training.
    pub(crate) fn subset_sizes(&self) -> SubsetSizes {
        self.kind().subset_sizes()
    }

    /// The sizes of the random subsets for a judge.
    pub(crate) fn judge_sizes(&self) -> SubsetSizes {
        self.kind().judge_sizes()
    }

    /// The default choice of features.
    pub fn choice(&self) -> Choice {
        self.kind().choice()
    }

    /// The name of feature j.
    pub fn name(&self, j: usize) -> String {
        self.kind().name(j)
    }

    /// The name of the owner of feature j: its column for a level, otherwise its own.
    pub fn owner_name(&self, j: usize) -> String {
        self.kind().owner_name(j)
    }

    /// Encodes every sample.
    pub fn encode(&self, samples: &Samples) -> Result<Encoded> {
        let wrong = || {
            let expected = format!("this model reads {}", self.kind().reads());
            Error::setting("data", samples.kind(), expected)
        };
        self.kind().encode(samples)?.ok_or_else(wrong)
    }

    /// The active features of one sample.
    pub fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        self.kind().z(encoded, row)
    }

    /// Cuts the given rows into a batch on `device`.
    pub fn batch(&self, encoded: &Encoded, rows: &[usize], device: &Device) -> Batch {
        let sparse: Vec<SparseRow> = rows.iter().map(|&r| self.z(encoded, r)).collect();
        batch::assemble(self.kind(), encoded, rows, sparse, device)
    }

    /// The random changes of samples in training: by `shift` if the options give it, otherwise by the size
    /// of the samples, and not at all if `still`.
    pub(crate) fn augmentation(&self, shift: Option<usize>, still: bool) -> Result<Augmentation> {
        self.kind().augmentation(shift, still)
    }

    /// The given rows, changed at random; `None` if they stay unchanged.
    pub(crate) fn augment(
        &self,
        encoded: &Encoded,
        rows: &[usize],
        augmentation: Augmentation,
        rng: &mut ChaCha8Rng,
    ) -> Option<Encoded> {
        self.kind().augment(encoded, rows, augmentation, rng)
    }

    /// One sample with one feature changed; `None` if it is not a number that could be moved.
    pub(crate) fn changed(&self, encoded: &Encoded, row: usize, change: Change) -> Option<Encoded> {
        self.kind().changed(encoded, row, change)
    }

    /// One sample by itself.
    pub(crate) fn sample(&self, encoded: &Encoded, row: usize) -> Encoded {
        encoded.sample(row)
    }

    /// The features of one sample that have a value and can be chosen.
    pub fn listed(&self, encoded: &Encoded, row: usize) -> Vec<usize> {
        let (width, z) = (self.kind().weights_per_feature(), self.z(encoded, row));
        let listed = z.indices.iter().zip(&z.values).step_by(width);
        let listed = listed.filter(|(_, value)| **value != 0.0).map(|(&j, _)| j as usize / width);
        listed.filter(|&j| !self.kind().is_closed(encoded, row, j)).collect()
    }

    /// The form of a sample.
    pub fn schema(&self) -> Schema {
        self.kind().schema()
    }

    /// Sample `row` as a person sees it; `None` if the samples are of another kind.
    pub fn view(&self, samples: &Samples, row: usize) -> Option<SampleView> {
        self.kind().view(samples, row)
    }

    /// The value of feature `j` as the user wrote it, in its own units, if that differs from z_j.
    pub(crate) fn observed(&self, samples: &Samples, row: usize, j: usize) -> Option<String> {
        self.kind().observed(samples, row, j)
    }

    /// The number of cells of each column unlike those of training; columns without any are not listed.
    pub fn unseen(&self, samples: &Samples) -> Vec<UnseenCells> {
        self.kind().unseen(samples)
    }

    /// The texts of which only the beginning is read; `None` for other samples.
    pub fn cut_texts(&self, samples: &Samples) -> Option<CutTexts> {
        self.kind().cut_texts(samples)
    }

    /// Whether nothing of sample `row` is known to the model, so that its prediction is the base rate: a
    /// text without a known word, a row in which every value is missing though none ever was in training.
    pub fn knows_nothing_of(&self, samples: &Samples, row: usize) -> bool {
        self.kind().knows_nothing_of(samples, row)
    }

    /// The input of the model, in a line.
    pub fn describe(&self) -> String {
        self.kind().describe()
    }

    /// The file of a model folder that holds it.
    pub(crate) fn file_name(&self) -> &'static str {
        self.kind().file_name()
    }
}
