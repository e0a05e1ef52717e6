//! x, active features → weights of the active features: the weight generator network (WGN).
//!
//! A generator reads the rich form `x` and is told which features of `z` are active; it never sees
//! their values or a label. Any Burn module can be one: implement [`Generator`], or implement
//! [`Extractor`] and let [`Headed`] add the layers from features to weights.

mod built_in;
mod dropout;
mod head;
mod image_cnn;
pub mod layers;
mod sentence_cnn;
mod tabular_mlp;
mod token_context;

pub use built_in::{BuiltIn, GeneratorConfig};
pub use dropout::Dropout;
pub use head::{Head, Headed};
pub use image_cnn::{ImageCnn, ImageCnnConfig};
pub use sentence_cnn::{SentenceCnn, SentenceCnnConfig};
pub use tabular_mlp::{TabularMlp, TabularMlpConfig};
pub use token_context::{TokenContext, TokenContextConfig};

use burn::module::{Module, ModuleDisplay};
use burn::tensor::{Int, Tensor};

/// The original representation of a batch.
#[derive(Debug, Clone)]
pub enum X {
    /// Pixels in [0, 1]: [batch, channels, height, width].
    Images(Tensor<4>),
    /// Token ids, 0 = padding, 1 = out of vocabulary, feature j + 2 otherwise: [batch, time].
    Tokens(Tensor<2, Int>),
    /// Encoded table columns: [batch, width].
    Columns(Tensor<2>),
}

/// Which features of z a generator is asked about.
#[derive(Debug, Clone)]
pub struct Active {
    /// The number of slots: the longest sample's active features.
    pub slots: usize,
    /// The feature in each slot, [batch, slots] (padding holds 0); `None` when every sample lists
    /// all features in order.
    pub indices: Option<Tensor<2, Int>>,
    /// For token sequences: 1 where position t of x is an occurrence of the feature in a slot,
    /// [batch, time, slots].
    pub places: Option<Tensor<3>>,
}

/// What a generator has to fit: the size of x, z and the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dims {
    /// The form of x.
    pub x: XShape,
    /// d, the number of features of z.
    pub features: usize,
    /// The number of scores: 1, or C for C > 2 classes.
    pub outputs: usize,
}

/// The form of x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XShape {
    /// Images of one size.
    Image {
        /// 1 for grey, 3 for colour.
        channels: usize,
        /// Pixels from top to bottom.
        height: usize,
        /// Pixels from left to right.
        width: usize,
    },
    /// Token sequences over ids below `ids`.
    Tokens {
        /// Vocabulary size + 2.
        ids: usize,
    },
    /// Encoded table rows.
    Columns {
        /// Numbers per row.
        width: usize,
    },
}

/// A network that writes a linear model for each sample.
pub trait Generator: Module + ModuleDisplay {
    /// x: a batch, active: its listed features → weights: [batch, outputs, slots]
    ///
    /// Weights in padded slots are never used.
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3>;
}

/// A network that turns x into a feature vector, for [`Headed`].
pub trait Extractor: Module + ModuleDisplay {
    /// x: a batch → features: [batch, width]
    fn extract(&self, x: &X, dropout: &mut Dropout) -> Tensor<2>;
}
