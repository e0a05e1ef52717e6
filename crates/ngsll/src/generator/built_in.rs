//! The built-in generators, behind one type.

use super::head::HeadSize;
use super::layers::Init;
use super::outlined_parameters;
use super::{
    Activations, Active, CellContext, CellContextConfig, Dims, Dropout, Generator, Head, Headed,
    ImageCnn, ImageCnnConfig, SentenceCnn, SentenceCnnConfig, TabularEnsemble,
    TabularEnsembleConfig, TabularMlp, TabularMlpConfig, TextEnsemble, TokenContext,
    TokenContextConfig, X, XShape,
};
use crate::config::option_table;
use crate::error::{Error, Result};
use crate::representation::{FirstVectors, WordVectors};
use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The kind of generator, and its sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum GeneratorConfig {
    /// Images, the default; see [`CellContextConfig`].
    CellContext(CellContextConfig),
    /// Images, the paper's network; see [`ImageCnnConfig`].
    ImageCnn(ImageCnnConfig),
    /// Text, the paper's network; see [`SentenceCnnConfig`].
    SentenceCnn(SentenceCnnConfig),
    /// Text, the default; see [`TokenContextConfig`].
    TokenContext(TokenContextConfig),
    /// Tables, the default; see [`TabularEnsembleConfig`].
    TabularEnsemble(TabularEnsembleConfig),
    /// Tables, one plain network; see [`TabularMlpConfig`].
    TabularMlp(TabularMlpConfig),
}

option_table! {
    GeneratorConfig:
    (
        "kind",
        "token_context, cell_context or tabular_ensemble by task; with evidence whole image_cnn for images, tabular_mlp for tables",
        "which network",
        "token_context or sentence_cnn for text, cell_context or image_cnn for images, tabular_ensemble or tabular_mlp for tables",
    ),
}

/// Each network's sizes name the network.
macro_rules! from_sizes {
    ($($network:ident: $sizes:ident),+ $(,)?) => {
        $(impl From<$sizes> for GeneratorConfig {
            fn from(sizes: $sizes) -> Self {
                Self::$network(sizes)
            }
        })+
    };
}

from_sizes! {
    CellContext: CellContextConfig,
    ImageCnn: ImageCnnConfig,
    SentenceCnn: SentenceCnnConfig,
    TokenContext: TokenContextConfig,
    TabularEnsemble: TabularEnsembleConfig,
    TabularMlp: TabularMlpConfig,
}

/// A generator of this library.
#[derive(Module, Debug)]
#[non_exhaustive]
pub enum BuiltIn {
    /// For images, a weight per cell.
    CellContext(CellContext),
    /// For images, as in the paper.
    ImageCnn(Headed<ImageCnn>),
    /// For text, as in the paper.
    SentenceCnn(Headed<SentenceCnn>),
    /// For text, a weight per position.
    TokenContext(TokenContext),
    /// For text, the mean of several of these.
    TextEnsemble(TextEnsemble),
    /// For tables.
    TabularEnsemble(TabularEnsemble),
    /// For tables, one plain network.
    TabularMlp(Headed<TabularMlp>),
}

/// Larger sizes are typing errors.
const LARGEST: usize = 65_536;
/// The same for layers and members, and for the words that a filter reads.
const MOST_LAYERS: usize = 100;
const WIDEST: usize = 64;
/// The most parameters of a network: those of a gigabyte, of which training needs several.
const MOST_PARAMETERS: usize = 1 << 28;

impl GeneratorConfig {
    /// Refuses sizes that no network can have.
    pub(crate) fn check(&self) -> Result<()> {
        if let Self::TokenContext(c) = self
            && c.vectors_fixed
            && c.vectors.is_none()
        {
            let expected = "there are no vectors; name a file of them in generator.vectors";
            return Err(Error::setting("generator.vectors_fixed", true, expected));
        }
        let (sizes, dropout): (Vec<(&str, usize)>, f64) = match self {
            Self::CellContext(c) => {
                let mut sizes = image_sizes(&c.channels, c.units);
                sizes.push(("generator.cell_units", c.cell_units));
                (sizes, c.dropout)
            }
            Self::ImageCnn(c) => (image_sizes(&c.channels, c.units), c.dropout),
            Self::SentenceCnn(c) => {
                (text_sizes(c.embedding, &c.widths, c.filters, c.units), c.dropout)
            }
            Self::TokenContext(c) => {
                let mut sizes = text_sizes(c.embedding, &c.widths, c.filters, c.units);
                sizes.push(("generator.members", c.members));
                (sizes, c.dropout)
            }
            Self::TabularEnsemble(c) => {
                let members = ("generator.members", c.members);
                let embedding = ("generator.embedding", c.embedding);
                let sizes = [("generator.layers", c.layers), ("generator.units", c.units)];
                ([members, embedding].into_iter().chain(sizes).collect(), c.dropout)
            }
            Self::TabularMlp(c) => {
                (vec![("generator.layers", c.layers), ("generator.units", c.units)], c.dropout)
            }
        };
        let largest = |name: &str| match name {
            "generator.layers" | "generator.members" => MOST_LAYERS,
            "generator.widths" => WIDEST,
            _ => LARGEST,
        };
        let wrong = sizes.iter().find(|(name, size)| *size == 0 || *size > largest(name));
        if let Some((name, size)) = wrong {
            let expected = format!("expected a size from 1 to {}", largest(name));
            return Err(Error::setting(*name, size, expected));
        }
        let (name, count, layers) = match self {
            Self::CellContext(c) => ("channels", c.channels.len(), c.layers),
            Self::ImageCnn(c) => ("channels", c.channels.len(), c.layers),
            Self::SentenceCnn(c) => ("widths", c.widths.len(), c.layers),
            Self::TokenContext(c) => ("widths", c.widths.len(), 0),
            Self::TabularEnsemble(_) | Self::TabularMlp(_) => ("layers", 0, 0),
        };
        for (name, count) in [(name, count), ("layers", layers)] {
            if count > MOST_LAYERS {
                let expected = format!("expected at most {MOST_LAYERS}");
                return Err(Error::setting(format!("generator.{name}"), count, expected));
            }
        }
        if !(0.0..1.0).contains(&dropout) {
            let expected = "expected a number from 0 to below 1";
            return Err(Error::setting("generator.dropout", dropout, expected));
        }
        Ok(())
    }

    /// Sets U, the units of each fully connected layer.
    pub(crate) fn set_units(&mut self, units: usize) {
        *match self {
            Self::CellContext(config) => &mut config.units,
            Self::ImageCnn(config) => &mut config.units,
            Self::SentenceCnn(config) => &mut config.units,
            Self::TokenContext(config) => &mut config.units,
            Self::TabularEnsemble(config) => &mut config.units,
            Self::TabularMlp(config) => &mut config.units,
        } = units;
    }

    /// Sets pretrained vectors to start from, whose width becomes that of the network.
    ///
    /// # Errors
    /// If this network does not read words one by one, or another width was chosen.
    pub fn set_vectors(&mut self, vectors: Arc<WordVectors>) -> Result<()> {
        match self {
            Self::TokenContext(config) => config.set_vectors(vectors),
            other => {
                let expected = "only token_context can start from word vectors";
                Err(Error::setting("generator.kind", other.kind(), expected))
            }
        }
    }

    /// The file of word vectors that the options name, unless it has been read.
    ///
    /// # Errors
    /// If the vectors came from no file: those of a model that was loaded, which knows no more of them.
    pub fn unread_vectors(&self) -> Result<Option<&Path>> {
        match self {
            Self::TokenContext(config) if config.word_vectors.is_none() => config.vectors_file(),
            _ => Ok(None),
        }
    }

    /// Whether pretrained vectors stay fixed in training.
    pub fn fixes_vectors(&self) -> bool {
        matches!(self, Self::TokenContext(config) if config.vectors_fixed)
    }

    /// Builds the network for `dims`, unless it would be too large.
    pub fn build(&self, dims: Dims, init: &mut Init<'_>) -> Result<BuiltIn> {
        self.check()?;
        Activations::new(self, &dims).check(self.kind())?;
        let outline = self.network(dims.clone(), &mut Init::unfilled(init.rng, init.device))?;
        let parameters = outlined_parameters(&outline);
        if parameters > MOST_PARAMETERS {
            let expected = format!(
                "the network would have {parameters} parameters, at most {MOST_PARAMETERS} are \
                 possible: choose smaller sizes"
            );
            return Err(Error::setting("generator.kind", self.kind(), expected));
        }
        self.network(dims, init)
    }

    fn network(&self, dims: Dims, init: &mut Init<'_>) -> Result<BuiltIn> {
        let Dims { x, features, outputs } = dims;
        Ok(match (self, x) {
            (Self::CellContext(c), XShape::Image { channels, height, width, cells }) => {
                let size = (channels, height, width);
                BuiltIn::CellContext(CellContext::new(c, size, &cells, (features, outputs), init))
            }
            (Self::ImageCnn(c), XShape::Image { channels, height, width, .. }) => {
                let (network, inputs) = ImageCnn::new(c, channels, (height, width), init);
                let size =
                    HeadSize { inputs, layers: c.layers, units: c.units, dropout: c.dropout };
                BuiltIn::ImageCnn(Headed::new(network, Head::new(size, features, outputs, init)))
            }
            (Self::SentenceCnn(c), XShape::Tokens { ids, masked }) => {
                let (network, inputs) = SentenceCnn::new(c, (ids, masked), init);
                let size =
                    HeadSize { inputs, layers: c.layers, units: c.units, dropout: c.dropout };
                BuiltIn::SentenceCnn(Headed::new(network, Head::new(size, features, outputs, init)))
            }
            (Self::TokenContext(c), XShape::Tokens { ids, masked })
                if c.members == 1 && !c.vectors_fixed =>
            {
                BuiltIn::TokenContext(TokenContext::new(c, (ids, masked), outputs, init))
            }
            (Self::TokenContext(c), XShape::Tokens { ids, masked }) => {
                BuiltIn::TextEnsemble(TextEnsemble::new(c, (ids, masked), outputs, init))
            }
            (Self::TabularEnsemble(c), XShape::Columns { columns, .. }) => {
                let network = TabularEnsemble::new(c, &columns, features, outputs, init);
                BuiltIn::TabularEnsemble(network)
            }
            (Self::TabularMlp(c), XShape::Columns { width, .. }) => {
                let network = TabularMlp::new(c, width, init);
                let size = HeadSize { inputs: c.units, layers: 0, units: c.units, dropout: 0.0 };
                BuiltIn::TabularMlp(Headed::new(network, Head::new(size, features, outputs, init)))
            }
            (config, x) => {
                let (name, data) = (config.kind(), x.kind());
                return Err(Error::setting(
                    "generator.kind",
                    name,
                    format!("this network does not read {data}"),
                ));
            }
        })
    }

    /// The defaults of the generator with that name in a configuration file; the error lists the
    /// known names.
    pub(crate) fn by_kind(kind: &str) -> Result<Self, String> {
        let all = [
            Self::CellContext(CellContextConfig::default()),
            Self::ImageCnn(ImageCnnConfig::default()),
            Self::SentenceCnn(SentenceCnnConfig::default()),
            Self::TokenContext(TokenContextConfig::default()),
            Self::TabularEnsemble(TabularEnsembleConfig::default()),
            Self::TabularMlp(TabularMlpConfig::default()),
        ];
        let known = "cell_context, image_cnn, sentence_cnn, token_context, tabular_ensemble or \
                     tabular_mlp";
        let unknown = || format!("expected {known}");
        all.into_iter().find(|generator| generator.kind() == kind).ok_or_else(unknown)
    }

    /// The name in a configuration file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CellContext(_) => "cell_context",
            Self::ImageCnn(_) => "image_cnn",
            Self::SentenceCnn(_) => "sentence_cnn",
            Self::TokenContext(_) => "token_context",
            Self::TabularEnsemble(_) => "tabular_ensemble",
            Self::TabularMlp(_) => "tabular_mlp",
        }
    }
}

fn image_sizes(channels: &[usize], units: usize) -> Vec<(&'static str, usize)> {
    let none = channels.is_empty().then_some(("generator.channels", 0));
    let channels = channels.iter().map(|&channels| ("generator.channels", channels));
    channels.chain(none).chain([("generator.units", units)]).collect()
}

fn text_sizes(
    embedding: usize,
    widths: &[usize],
    filters: usize,
    units: usize,
) -> Vec<(&'static str, usize)> {
    let none = widths.is_empty().then_some(("generator.widths", 0));
    let widths = widths.iter().map(|&width| ("generator.widths", width));
    let others = [
        ("generator.embedding", embedding),
        ("generator.filters", filters),
        ("generator.units", units),
    ];
    widths.chain(none).chain(others).collect()
}

impl BuiltIn {
    /// Sets initial word vectors; other networks have none.
    pub(crate) fn starting_from(self, first: &FirstVectors) -> Self {
        match self {
            Self::TokenContext(g) => Self::TokenContext(g.starting_from(first)),
            Self::TextEnsemble(g) => Self::TextEnsemble(g.starting_from(first)),
            other => other,
        }
    }

    /// The maps of the last convolution of an image network, [batch, h, w, filters]; `None` for others.
    pub(crate) fn maps(&self, x: &X) -> Option<Tensor<4>> {
        match (self, x) {
            (Self::ImageCnn(g), X::Images(images)) => Some(g.extractor().maps(images.clone())),
            _ => None,
        }
    }

    /// The weights of an image network from those maps: [batch, outputs, slots]
    pub(crate) fn forward_maps(&self, maps: Tensor<4>, active: &Active) -> Tensor<3> {
        match self {
            Self::ImageCnn(g) => g.forward_maps(maps, active),
            _ => unreachable!("only image networks have maps"),
        }
    }
}

impl Generator for BuiltIn {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        match self {
            Self::CellContext(g) => g.forward(x, active, dropout),
            Self::ImageCnn(g) => g.forward(x, active, dropout),
            Self::SentenceCnn(g) => g.forward(x, active, dropout),
            Self::TokenContext(g) => g.forward(x, active, dropout),
            Self::TextEnsemble(g) => g.forward(x, active, dropout),
            Self::TabularEnsemble(g) => g.forward(x, active, dropout),
            Self::TabularMlp(g) => g.forward(x, active, dropout),
        }
    }

    fn forward_members(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<4> {
        match self {
            Self::TabularEnsemble(g) => g.forward_members(x, active, dropout),
            Self::TextEnsemble(g) => g.forward_members(x, active, dropout),
            other => other.forward(x, active, dropout).unsqueeze_dim(0),
        }
    }
}
