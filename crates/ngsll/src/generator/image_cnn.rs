//! The image network of the paper: blocks of 3×3 convolution, ReLU and 2×2 max-pool.

use super::layers::{ConvBlock, Init};
use super::{Dropout, Extractor, X};
use crate::config::option_table;
use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::module::max_pool2d;
use burn::tensor::ops::MaxPoolOptions;
use serde::{Deserialize, Serialize};

/// The sizes of [`ImageCnn`]. Table of options: [`ImageCnnConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ImageCnnConfig {
    /// Filters of each block.
    pub channels: Vec<usize>,
    /// L, fully connected layers after the blocks.
    pub layers: usize,
    /// U, units of each fully connected layer.
    pub units: usize,
    /// Share of units dropped in training.
    pub dropout: f64,
}

option_table! {
    ImageCnnConfig:
    (
        "channels",
        "[32, 64, 128]",
        "filters of each convolution block",
        "a list of up to 100 whole numbers from 1 to 65,536",
    ),
    ("layers", "1", "L, fully connected layers after the blocks", "a whole number from 0 to 100"),
    ("units", "128", "U, units of each of these layers", "a whole number from 1 to 65,536"),
    ("dropout", "0", "share of these units dropped in training", "a number from 0 to below 1"),
}

impl Default for ImageCnnConfig {
    fn default() -> Self {
        Self { channels: vec![32, 64, 128], layers: 1, units: 128, dropout: 0.0 }
    }
}

/// The feature extractor for images: blocks of 3×3 convolution, ReLU and 2×2 max-pool.
#[derive(Module, Debug)]
pub struct ImageCnn {
    blocks: Vec<ConvBlock>,
}

impl ImageCnn {
    /// The blocks, and the width of the flattened result for images of `height` × `width`.
    pub(super) fn new(
        config: &ImageCnnConfig,
        channels: usize,
        (height, width): (usize, usize),
        init: &mut Init<'_>,
    ) -> (Self, usize) {
        let mut size = (channels, height, width);
        let mut blocks = Vec::new();
        for &filters in &config.channels {
            blocks.push(ConvBlock::new(size.0, filters, 3, init));
            // An image one pixel high or wide is not pooled any further.
            let pooled = |n: usize| if size.1.min(size.2) >= 2 { n / 2 } else { n };
            size = (filters, pooled(size.1), pooled(size.2));
        }
        (Self { blocks }, size.0 * size.1 * size.2)
    }

    /// The maps of the last convolution, before they are pooled: [batch, h, w, filters]
    pub(crate) fn maps(&self, images: Tensor<4>) -> Tensor<4> {
        let last = self.blocks.len() - 1;
        self.blocks.iter().enumerate().fold(images, |h, (at, block)| {
            let pool = at < last && is_pooled(&h);
            block.forward(h, pool)
        })
    }

    /// The features of [`Extractor::extract`] from those maps: [batch, width]
    pub(crate) fn features_of(maps: Tensor<4>) -> Tensor<2> {
        let pool = is_pooled(&maps);
        let by_filter = maps.permute([0, 3, 1, 2]);
        let pooled = match pool {
            true => max_pool2d(by_filter, MaxPoolOptions::new([2, 2])),
            false => by_filter,
        };
        pooled.permute([0, 2, 3, 1]).flatten(1, 3)
    }
}

/// An image one pixel high or wide is not pooled any further.
fn is_pooled(h: &Tensor<4>) -> bool {
    let [_, height, width, _] = h.dims();
    height.min(width) >= 2
}

impl Extractor for ImageCnn {
    fn extract(&self, x: &X, _dropout: &mut Dropout) -> Tensor<2> {
        let X::Images(images) = x else { unreachable!("an image network is given images") };
        let mut h = images.clone();
        for block in &self.blocks {
            let pool = is_pooled(&h);
            h = block.forward(h, pool);
        }
        h.flatten(1, 3)
    }
}
