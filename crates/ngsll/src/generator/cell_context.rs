//! The default network for images: a weight for every cell, from its content and a summary of the
//! whole.
//!
//! The blocks of convolutions are those of the paper's network, and so is the summary: fully connected
//! layers over their last maps, and a vector for each cell. A small network shared by all cells adds to
//! this weight, from the cell's own maps and the summary. It learns the look
//! of a thing independently of its position, so that a few hundred pictures with things anywhere suffice.
//! Where each image has regions of its own, a region's maps are those of its pixels.

use super::head::HeadSize;
use super::layers::{Init, Linear};
use super::{Active, Dropout, Generator, Head, ImageCnn, ImageCnnConfig, X};
use crate::config::option_table;
use crate::ops::max_over_cells::{CellPositions, max_over_cells};
use crate::representation::ImageRegions;
use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The sizes of [`CellContext`]. Table of options: [`CellContextConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct CellContextConfig {
    /// Filters of each block.
    pub channels: Vec<usize>,
    /// Fully connected layers from the last maps to the summary.
    pub layers: usize,
    /// Units of each.
    pub units: usize,
    /// Units of the network from a cell's maps to its weight.
    pub cell_units: usize,
    /// Share of units dropped in training.
    pub dropout: f64,
}

option_table! {
    CellContextConfig:
    (
        "channels",
        "[32, 64, 128]",
        "filters of each convolution block",
        "a list of up to 100 whole numbers from 1 to 65,536",
    ),
    (
        "layers",
        "1",
        "fully connected layers from the last block to the summary of the image",
        "a whole number from 0 to 100",
    ),
    ("units", "128", "units of each of these layers", "a whole number from 1 to 65,536"),
    (
        "cell_units",
        "128",
        "units of the network from a cell's own maps and the summary to its weight",
        "a whole number from 1 to 65,536",
    ),
    ("dropout", "0", "share of all these units dropped in training", "a number from 0 to below 1"),
}

impl Default for CellContextConfig {
    fn default() -> Self {
        let ImageCnnConfig { channels, layers, units, dropout } = ImageCnnConfig::default();
        Self { channels, layers, units, cell_units: 128, dropout }
    }
}

/// The paper's network of the same size.
impl From<&CellContextConfig> for ImageCnnConfig {
    fn from(c: &CellContextConfig) -> Self {
        let (layers, units, dropout) = (c.layers, c.units, c.dropout);
        Self { channels: c.channels.clone(), layers, units, dropout }
    }
}

/// The generator for images that writes a weight for every cell from its maps and a summary of the image.
#[derive(Module, Debug)]
pub struct CellContext {
    blocks: ImageCnn,
    head: Head,
    /// From the cell's maps; carries the bias of the hidden layer.
    from_cell: Linear,
    /// From the summary of the image.
    from_summary: Linear,
    weight: Linear,
    /// The 2×2 positions of the last maps that the summary reads as one.
    #[module(skip)]
    pooled: CellPositions,
    /// The positions of the last maps that each cell covers, where images have no regions of their own.
    #[module(skip)]
    cells: CellPositions,
    #[module(skip)]
    last: LastMaps,
    #[module(skip)]
    dropout: f64,
}

impl CellContext {
    /// The network for images of `channels` × `height` × `width` whose pixels belong to `cells`, row by row,
    /// with the given numbers of features and scores.
    pub(super) fn new(
        config: &CellContextConfig,
        (channels, height, width): (usize, usize, usize),
        cells: &[usize],
        (features, outputs): (usize, usize),
        init: &mut Init<'_>,
    ) -> Self {
        let (blocks, inputs) = ImageCnn::new(&config.into(), channels, (height, width), init);
        let CellContextConfig { layers, units, cell_units, dropout, .. } = *config;
        let size = HeadSize { inputs, layers, units, dropout };
        let maps = config.channels.last().copied().unwrap_or(channels);
        let summary = if layers == 0 { inputs } else { units };
        let last = LastMaps::new(config.channels.len(), height, width);
        Self {
            blocks,
            head: Head::new(size, features, outputs, init),
            from_cell: Linear::new(maps, cell_units, init),
            from_summary: Linear::new(summary, cell_units, init),
            weight: Linear::new(cell_units, outputs, init),
            pooled: last.pooled(),
            cells: CellPositions::new(last.cells(cells, width)),
            last,
            dropout,
        }
    }

    /// The positions that each region covers, image by image.
    fn positions_of(&self, regions: &ImageRegions, batch: usize, width: usize) -> CellPositions {
        let of_image = |b: usize| {
            let owners = regions.of(b).iter().map(|&region| usize::from(region));
            self.last.positions(owners, self.cells.len(), width)
        };
        CellPositions::by_image((0..batch).into_par_iter().map(of_image).collect())
    }
}

impl CellContext {
    /// The positions of the last maps of that many blocks, before their pool, that each cell covers; `cells` is
    /// the cell of each pixel of images of this height and width, row by row.
    pub fn positions(
        blocks: usize,
        (height, width): (usize, usize),
        cells: &[usize],
    ) -> Vec<Vec<u32>> {
        LastMaps::new(blocks, height, width).cells(cells, width)
    }
}

/// The size of the maps of the last block before its pool, and the number of pixels per position.
#[derive(Debug, Clone, Copy)]
struct LastMaps {
    height: usize,
    width: usize,
    stride: usize,
}

impl LastMaps {
    fn new(blocks: usize, height: usize, width: usize) -> Self {
        let mut last = Self { height, width, stride: 1 };
        for _ in 1..blocks {
            if last.is_pooled() {
                last = Self {
                    height: last.height / 2,
                    width: last.width / 2,
                    stride: 2 * last.stride,
                };
            }
        }
        last
    }

    /// An image one pixel high or wide is not pooled any further.
    fn is_pooled(&self) -> bool {
        self.height.min(self.width) >= 2
    }

    fn position(&self, row: usize, column: usize) -> u32 {
        (row * self.width + column) as u32
    }

    /// Squares of 2×2 positions from the top left; a remainder at an odd border is not read.
    fn pooled(&self) -> CellPositions {
        let side = if self.is_pooled() { 2 } else { 1 };
        let square = |row: usize, column: usize| {
            let corners = (0..side).flat_map(|down| (0..side).map(move |right| (down, right)));
            let position = |(down, right)| self.position(side * row + down, side * column + right);
            corners.map(position).collect()
        };
        let rows = 0..self.height / side;
        let squares = rows.flat_map(|row| (0..self.width / side).map(move |column| (row, column)));
        CellPositions::new(squares.map(|(row, column)| square(row, column)).collect())
    }

    /// The positions that hold a pixel of each cell.
    fn cells(&self, owners: &[usize], width: usize) -> Vec<Vec<u32>> {
        let count = owners.iter().max().map_or(0, |last| last + 1);
        self.positions(owners.iter().copied(), count, width)
    }

    /// The same of `count` cells.
    fn positions(
        &self,
        owners: impl Iterator<Item = usize>,
        count: usize,
        width: usize,
    ) -> Vec<Vec<u32>> {
        let mut cells = vec![Vec::new(); count];
        for (pixel, cell) in owners.enumerate() {
            let at = |pixel: usize, size: usize| (pixel / self.stride).min(size - 1);
            let position =
                self.position(at(pixel / width, self.height), at(pixel % width, self.width));
            // Most pixels share the position of the one before.
            if cells[cell].last() != Some(&position) {
                cells[cell].push(position);
            }
        }
        for cell in &mut cells {
            // A region without a pixel has no ink, and is never kept.
            if cell.is_empty() {
                cell.push(0);
            }
            cell.sort_unstable();
            cell.dedup();
        }
        cells
    }
}

impl Generator for CellContext {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        let X::Images(images) = x else { unreachable!("an image network is given images") };
        let own = active.regions.as_ref();
        let [batch, _, width, _] = images.dims();
        let own = own.map(|regions| self.positions_of(regions, batch, width));
        let maps = self.blocks.maps(images.clone());
        let [batch, height, width, filters] = maps.dims();
        let maps = maps.reshape([batch, height * width, filters]);
        let pooled = max_over_cells(maps.clone(), &self.pooled).flatten(1, 2);
        let summary = self.head.hidden(pooled, dropout);
        let from_cells =
            self.from_cell.forward(max_over_cells(maps, own.as_ref().unwrap_or(&self.cells)));
        let hidden = relu(from_cells + self.from_summary.forward(summary.clone()).unsqueeze_dim(1));
        let of_cells = self.weight.forward(dropout.apply(hidden, self.dropout));
        self.head.weights(summary, active) + of_cells.swap_dims(1, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use burn::tensor::{Device, TensorData};

    #[test]
    fn positions_by_hand() {
        // 5×6 pixels after one pool are 2×3 positions of 2×2 pixels; the fifth row belongs to the second.
        let last = LastMaps::new(2, 5, 6);
        assert_eq!((last.height, last.width, last.stride), (2, 3, 2));
        assert_eq!(last.pooled(), CellPositions::new(vec![vec![0, 1, 3, 4]]));
        // The left four columns and the right two; the last row is a third cell.
        let owner = |pixel: usize| if pixel / 6 == 4 { 2 } else { usize::from(pixel % 6 >= 4) };
        let cells = last.cells(&(0..30).map(owner).collect::<Vec<_>>(), 6);
        assert_eq!(cells, [vec![0, 1, 3, 4], vec![2, 5], vec![3, 4, 5]]);
        let line = LastMaps::new(3, 1, 4);
        assert_eq!(line.pooled(), CellPositions::new((0..4).map(|p| vec![p]).collect()));
    }

    /// Max-pool by squares of positions is the pool of the paper's network.
    #[test]
    fn the_summary_reads_what_the_papers_network_reads() {
        let device = Device::default();
        let mut rng = stream(5, Purpose::Initialize, 0, 0);
        let mut init = Init::new(&mut rng, &device);
        let config = CellContextConfig { channels: vec![3, 5], ..Default::default() };
        let (cnn, width) = ImageCnn::new(&(&config).into(), 1, (7, 9), &mut init);
        let pixels: Vec<f32> = (0..2 * 63).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
        let images = Tensor::<4>::from_data(TensorData::new(pixels, [2, 7, 9, 1]), &device);
        let maps = cnn.maps(images.clone());
        let [batch, h, w, filters] = maps.dims();
        let maps = maps.reshape([batch, h * w, filters]);
        let own = max_over_cells(maps, &LastMaps::new(2, 7, 9).pooled()).flatten::<2>(1, 2);
        let paper = super::super::Extractor::extract(&cnn, &X::Images(images), &mut Dropout::off());
        assert_eq!(own.dims(), [2, width]);
        own.into_data().assert_approx_eq::<f32>(&paper.into_data(), Default::default());
    }
}
