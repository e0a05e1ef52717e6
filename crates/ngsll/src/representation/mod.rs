//! record → (x, z, mask), with a name for every feature of z.
//!
//! A representation is fitted on the training rows, then encodes samples into a compact form
//! ([`Encoded`]) from which batches are cut. z and the mask are sparse: a sample lists its active
//! features, and a feature whose value is zero or missing is masked.

mod batch;
mod columns;
mod encoded;
mod grid;
mod tokenizer;
mod words;

pub use batch::{Active, Batch, Dims, X, XShape};
pub use columns::{ColumnEncoding, Columns, ColumnsConfig, NumericRange};
pub use encoded::{Encoded, EncodedX, SparseRow};
pub use grid::{Grid, GridConfig};
pub use tokenizer::{Tokenizer, tokens};
pub use words::{Words, WordsConfig};

use crate::data::Samples;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How samples of one kind are represented; fitted on training data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Representation {
    /// Images as a grid of ink cells.
    Grid(Grid),
    /// Text as a bag of words.
    Words(Words),
    /// Table rows as their columns.
    Columns(Columns),
}

/// What can be chosen about a representation before it is fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RepresentationConfig {
    /// See [`GridConfig`].
    Grid(GridConfig),
    /// See [`WordsConfig`].
    Words(WordsConfig),
    /// See [`ColumnsConfig`].
    Columns(ColumnsConfig),
}

impl RepresentationConfig {
    /// Fits the representation to the given rows of the samples.
    pub fn fit(&self, samples: &Samples, rows: &[usize]) -> Result<Representation> {
        Ok(match (self, samples) {
            (Self::Grid(config), Samples::Images(images)) => {
                Representation::Grid(Grid::fit(config, images)?)
            }
            (Self::Words(config), Samples::Texts(texts)) => {
                Representation::Words(Words::fit(config, texts, rows)?)
            }
            (Self::Columns(config), Samples::Table(table)) => {
                Representation::Columns(Columns::fit(config, table, rows)?)
            }
            _ => {
                return Err(Error::setting(
                    "representation.kind",
                    format!("{self:?}"),
                    "one that fits the data",
                ));
            }
        })
    }
}

impl Representation {
    /// d, the number of features of z.
    pub fn features(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.rows * grid.columns,
            Self::Words(words) => words.vocabulary().len(),
            Self::Columns(columns) => columns.names().len(),
        }
    }

    /// The sizes that a generator for `outputs` scores has to fit.
    pub fn dims(&self, outputs: usize) -> Dims {
        let x = match self {
            Self::Grid(g) => {
                XShape::Image { channels: g.channels, height: g.height, width: g.width }
            }
            Self::Words(words) => XShape::Tokens { ids: words.vocabulary().len() + 2 },
            Self::Columns(columns) => XShape::Columns { width: columns.width() },
        };
        Dims { x, features: self.features(), outputs }
    }

    /// The name of feature j.
    pub fn name(&self, j: usize) -> String {
        match self {
            Self::Grid(grid) => grid.name(j),
            Self::Words(words) => words.vocabulary()[j].clone(),
            Self::Columns(columns) => columns.names()[j].clone(),
        }
    }

    /// Encodes every sample.
    pub fn encode(&self, samples: &Samples) -> Result<Encoded> {
        match (self, samples) {
            (Self::Grid(grid), Samples::Images(images)) => grid.encode(images),
            (Self::Words(words), Samples::Texts(texts)) => Ok(words.encode(texts)),
            (Self::Columns(columns), Samples::Table(table)) => columns.encode(table),
            _ => Err(Error::setting(
                "data",
                samples.kind(),
                format!("this model reads {}", self.reads()),
            )),
        }
    }

    /// What kind of samples it reads.
    pub fn reads(&self) -> &'static str {
        match self {
            Self::Grid(_) => "images",
            Self::Words(_) => "text",
            Self::Columns(_) => "tables",
        }
    }
}
