//! x, active features → weights of the active features: the weight generator network (WGN).
//!
//! A generator reads the rich form `x` and the list of active features of `z`; it never sees
//! their values or a label. Any Burn module can be one: implement [`Generator`], or implement
//! [`Extractor`] and let [`Headed`] add the layers from features to weights.

mod activations;
mod built_in;
mod cell_context;
mod dropout;
mod head;
mod image_cnn;
pub mod layers;
mod outline;
mod sentence_cnn;
mod tabular_ensemble;
mod tabular_mlp;
mod text_ensemble;
mod token_context;
mod token_vectors;

pub(crate) use activations::{Activations, MOST_ACTIVATIONS};
pub use built_in::{BuiltIn, GeneratorConfig};
pub use cell_context::{CellContext, CellContextConfig};
pub use dropout::Dropout;
pub use head::{Head, HeadSize, Headed};
pub use image_cnn::{ImageCnn, ImageCnnConfig};
pub(crate) use outline::outlined_parameters;
pub use sentence_cnn::{SentenceCnn, SentenceCnnConfig};
pub use tabular_ensemble::{TabularEnsemble, TabularEnsembleConfig};
pub use tabular_mlp::{TabularMlp, TabularMlpConfig};
pub use text_ensemble::TextEnsemble;
pub use token_context::{TokenContext, TokenContextConfig};

pub use crate::representation::{Active, ColumnRows, Dims, TableRows, X, XShape};

use burn::module::{Module, ModuleDisplay};
use burn::tensor::Tensor;

/// A network that writes a linear model for each sample.
pub trait Generator: Module + ModuleDisplay + Sync {
    /// x: a batch, active: its listed features → weights: [batch, outputs, slots]
    ///
    /// Weights in padded slots are never used.
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3>;

    /// The output of each member of an ensemble, of which [`Generator::forward`] gives the mean; in training
    /// each member has its own loss: [members, batch, outputs, slots]
    fn forward_members(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<4> {
        self.forward(x, active, dropout).unsqueeze_dim(0)
    }
}

/// A network that turns x into a feature vector, for [`Headed`].
pub trait Extractor: Module + ModuleDisplay + Sync {
    /// x: a batch → features: [batch, width]
    fn extract(&self, x: &X, dropout: &mut Dropout) -> Tensor<2>;
}
