//! Memory of activations: the numbers between the layers of a network while a sample passes through it.
//!
//! The sizes of the weights in a model folder do not bound them: 65,536 filters are a small file, and gigabytes for
//! sixteen texts. They are bounded where a network is built, and where samples pass (`model/passes.rs`).

use super::{CellContextConfig, Dims, GeneratorConfig, ImageCnnConfig, XShape};
use crate::error::{Error, Result};

/// Bound on the activations of one sample and of all samples in flight: half a gigabyte, and gradients take as much
/// again.
pub(crate) const MOST_ACTIVATIONS: usize = 1 << 27;
/// The length of text that a network must be able to read.
const WORDS: usize = 512;

/// Activations of one sample; proportional to the words of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Activations {
    fixed: usize,
    per_word: usize,
}

impl Activations {
    /// Activations of a network of these sizes.
    pub fn new(generator: &GeneratorConfig, dims: &Dims) -> Self {
        let (features, outputs) = (dims.features, dims.outputs);
        let product = |sizes: &[usize]| sizes.iter().fold(1_usize, |all, n| all.saturating_mul(*n));
        let sum = |sizes: &[usize]| sizes.iter().fold(0_usize, |all, n| all.saturating_add(*n));
        let fixed = |fixed: usize| Self { fixed, per_word: 0 };
        let per_word = |per_word: usize| Self { fixed: 0, per_word };
        match (generator, &dims.x) {
            (GeneratorConfig::TokenContext(c), _) => {
                // The outputs of the convolutions, and their concatenation.
                let filters = product(&[2, c.filters, c.widths.len()]);
                per_word(product(&[c.members, sum(&[c.embedding, filters, c.units, outputs])]))
            }
            (GeneratorConfig::SentenceCnn(c), _) => {
                let filters = product(&[c.filters, c.widths.len()]);
                let read = if c.layers == 0 { filters } else { c.units };
                // A vector for the weight of each word.
                per_word(sum(&[c.embedding, filters, product(&[outputs, read])]))
            }
            (GeneratorConfig::ImageCnn(c), XShape::Image { channels, height, width, .. }) => {
                fixed(of_blocks(c, *channels, (*height, *width)))
            }
            (GeneratorConfig::CellContext(c), XShape::Image { channels, height, width, .. }) => {
                let CellContextConfig { cell_units, .. } = c;
                let blocks = of_blocks(&c.into(), *channels, (*height, *width));
                let maps = c.channels.last().copied().unwrap_or(*channels);
                let of_cell = sum(&[maps, product(&[2, *cell_units]), outputs]);
                fixed(sum(&[blocks, product(&[features, of_cell])]))
            }
            (GeneratorConfig::TabularEnsemble(c), XShape::Columns { columns, .. }) => {
                let of_member =
                    sum(&[product(&[3, c.layers, c.units]), features.saturating_mul(outputs)]);
                fixed(sum(&[
                    product(&[columns.len(), c.embedding]),
                    product(&[c.members, of_member]),
                ]))
            }
            (GeneratorConfig::TabularMlp(c), _) => fixed(product(&[c.layers, c.units])),
            // Refused where it is built.
            _ => Self::default(),
        }
    }

    /// Refuses networks whose activations exceed the bound for a single sample.
    pub fn check(self, kind: &str) -> Result<()> {
        let found = self.of_sample(WORDS);
        if found <= MOST_ACTIVATIONS {
            return Ok(());
        }
        let expected = format!(
            "a sample would need {found} numbers between the layers of the network, at most \
             {MOST_ACTIVATIONS} are possible: choose smaller sizes"
        );
        Err(Error::setting("generator.kind", kind, expected))
    }

    /// Activations for a text of `words` words.
    pub fn of_sample(self, words: usize) -> usize {
        self.fixed.saturating_add(self.per_word.saturating_mul(words))
    }
}

/// Pixels and maps of an image as it goes through the blocks.
fn of_blocks(config: &ImageCnnConfig, channels: usize, (height, width): (usize, usize)) -> usize {
    let mut size = (height, width);
    let mut all = height.saturating_mul(width).saturating_mul(channels);
    for &filters in &config.channels {
        all = all.saturating_add(size.0.saturating_mul(size.1).saturating_mul(filters));
        if size.0.min(size.1) >= 2 {
            size = (size.0 / 2, size.1 / 2);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{SentenceCnnConfig, TokenContextConfig};

    fn of_text(generator: GeneratorConfig) -> Activations {
        let x = XShape::Tokens { ids: 10, masked: true };
        Activations::new(&generator, &Dims { x, features: 8, outputs: 1 })
    }

    #[test]
    fn the_default_networks_are_far_below_the_limit() {
        let found = of_text(GeneratorConfig::TokenContext(TokenContextConfig::default()));
        assert_eq!(found.of_sample(1), 256 + 2 * 3 * 100 + 128 + 1);
        assert!(found.of_sample(512) < MOST_ACTIVATIONS / 256);
        let found = of_text(GeneratorConfig::SentenceCnn(SentenceCnnConfig::default()));
        assert_eq!(found.of_sample(2), 2 * (128 + 3 * 100 + 128));
        let x = XShape::Image {
            channels: 4,
            height: 224,
            width: 224,
            cells: vec![0; 224 * 224].into(),
        };
        let dims = Dims { x, features: 49, outputs: 10 };
        let images = GeneratorConfig::CellContext(CellContextConfig::default());
        assert!(Activations::new(&images, &dims).of_sample(1) < MOST_ACTIVATIONS / 32);
    }

    #[test]
    fn very_many_filters_are_refused() {
        let config = |filters: usize| {
            let widths = vec![1, 2, 3];
            GeneratorConfig::TokenContext(TokenContextConfig {
                filters,
                widths,
                ..Default::default()
            })
        };
        assert!(of_text(config(40_000)).check("token_context").is_ok());
        let error = of_text(config(65_536)).check("token_context").unwrap_err().to_string();
        assert!(error.contains("at most 134217728 are possible"), "{error}");
    }
}
