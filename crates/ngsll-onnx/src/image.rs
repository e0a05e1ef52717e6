//! Images: `ngsll::generator::ImageCnn` or `CellContext` over the kept cells, and the backward pass to their marks.

mod cells;

use crate::by_gradient::{Features, MarkedNetwork, chosen};
use crate::gated::gated;
use crate::graph::{Dim, Graph, Kind, Value, ints};
use crate::head::{Head, Passed};
use crate::outputs::Terms;
use crate::proto::AttributeProto;
use crate::weights::Weights;
use cells::{CellNetwork, CellsPassed};
use ngsll::dataset::ImageSize;
use ngsll::representation::Grid;
use ngsll::{Evidence, Model, Result};

/// The network and the images that it reads.
struct ImageNetwork {
    /// Pixels in [0, 1], or standardised, and, if cells may be erased, a channel of ones, from which marks are made:
    /// [batch, channels, height, width]
    x: Value,
    /// The cell of each pixel: `[height · width]`
    owners: Value,
    /// The start of sums by cell: zeros, [batch, cells]
    no_cells: Value,
    blocks: Vec<Block>,
    head: Head,
    /// The part of the cells' own maps, in a network that reads them.
    cells: Option<CellNetwork>,
    size: [usize; 3],
}

/// Convolution, ReLU and, if wanted, 2×2 max-pool.
struct Block {
    filters: Value,
    bias: Value,
    pool: bool,
    /// The shape of its output: filters, height, width.
    output: [usize; 3],
}

/// The values of a block.
struct BlockPassed {
    /// After the ReLU.
    maps: Value,
    /// The largest value of each window, and its position.
    pooled: Option<[Value; 2]>,
}

/// The values of a pass.
pub(crate) struct ImagePassed {
    blocks: Vec<BlockPassed>,
    head: Passed,
    cells: Option<CellsPassed>,
}

/// The inputs, and the terms of the scores.
pub(crate) fn terms(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    grid: &Grid,
    k: usize,
) -> Result<Terms> {
    let is_whole = model.evidence() == Evidence::Whole;
    let (network, z) = ImageNetwork::new(g, weights, grid, !is_whole)?;
    if is_whole {
        let (weights, _) = network.weights(g, &network.x);
        return Ok(gated(g, model, &weights, &z, k, None));
    }
    let available = g.positive(&z);
    let features = Features { z, available, numbers: None };
    chosen(g, weights, model, &network, features, k)
}

impl ImageNetwork {
    /// The network, and the mean ink of each cell: [batch, cells]
    fn new(
        g: &mut Graph,
        weights: &mut Weights,
        grid: &Grid,
        marked: bool,
    ) -> Result<(Self, Value)> {
        let ImageSize { width, height, channels } = grid.size();
        let size = [channels, height, width];
        let dims = [height, width, channels].map(Dim::Fixed);
        let dims = [&[Dim::Named("batch")], &dims[..]].concat();
        let input = g.input("image", Kind::Uint8, &dims);
        let bytes = g.cast(&input, Kind::Float);
        let pixels = match grid.pixel_scale() {
            Some(scale) => {
                let (means, deviations): (Vec<f32>, Vec<f32>) = scale.channels().unzip();
                let means = g.floats(&[channels], &means);
                let deviations = g.floats(&[channels], &deviations);
                let centred = g.sub(&bytes, &means);
                g.op("Div", &[&centred, &deviations])
            }
            None => {
                let most = g.float(255.0);
                g.op("Div", &[&bytes, &most])
            }
        };
        let mut x = g.transpose(&pixels, &[0, 3, 1, 2]);
        let ink = g.sum(&bytes, 3);
        if marked {
            let none = g.reshape(&ink, &[-1, 1, height as i64, width as i64]);
            let none = g.zeros_like(&none);
            let one = g.float(1.0);
            let ones = g.add(&none, &one);
            x = g.concat(&[&x, &ones], 1);
        }
        let cells = grid.cells();
        let count = cells.iter().max().map_or(0, |last| last + 1);
        let owners: Vec<i64> = cells.iter().map(|&cell| cell as i64).collect();
        let owners = g.list(&owners);
        let batch = g.size(&bytes, 0);
        let all = g.list(&[count as i64]);
        let shape = g.concat(&[&batch, &all], 0);
        let no_cells = g.op("ConstantOfShape", &[&shape]);
        let of_cells = weights.has("generator.CellContext.");
        let (name, blocks) = match of_cells {
            true => ("generator.CellContext", "blocks"),
            false => ("generator.ImageCnn", "extractor"),
        };
        let blocks = Block::all(g, weights, &format!("{name}.{blocks}.blocks"), size)?;
        let head = Head::new(g, weights, &format!("{name}.head"))?;
        let own = of_cells.then(|| CellNetwork::new(g, weights, name, grid, blocks.len()));
        let own = own.transpose()?;
        let network = Self { x, owners, no_cells, blocks, head, cells: own, size };
        // The ink of a cell is a sum of whole numbers, which single precision holds exactly.
        let ink = network.by_cell(g, &ink);
        let mut full = vec![0.0; count];
        cells.iter().for_each(|&cell| full[cell] += (255 * channels) as f32);
        let full = g.floats(&[1, count], &full);
        let z = g.op("Div", &[&ink, &full]);
        Ok((network, z))
    }

    /// The sum over the pixels of each cell: [batch, 1, height, width] or alike → [batch, cells]
    fn by_cell(&self, g: &mut Graph, values: &Value) -> Value {
        let [_, height, width] = self.size;
        let values = g.reshape(values, &[-1, (height * width) as i64]);
        let shape = g.op("Shape", &[&values]);
        let owners = g.op("Expand", &[&self.owners, &shape]);
        g.scatter_sums(&values, &owners, &self.no_cells)
    }

    /// The head's input: [batch, channels, height, width] → [batch, width], and the values of the blocks
    fn features(&self, g: &mut Graph, x: &Value) -> (Value, Vec<BlockPassed>) {
        let mut passed: Vec<BlockPassed> = Vec::new();
        for block in &self.blocks {
            let x = passed.last().map_or(x, BlockPassed::output).clone();
            passed.push(block.forward(g, &x));
        }
        let maps = passed.last().map_or(x, BlockPassed::output).clone();
        // Training reads all filters of a pixel side by side.
        let maps = g.transpose(&maps, &[0, 2, 3, 1]);
        let [filters, height, width] = self.last();
        (g.reshape(&maps, &[-1, (filters * height * width) as i64]), passed)
    }

    /// [batch, channels, height, width] → weights: [batch, outputs, features]
    fn weights(&self, g: &mut Graph, x: &Value) -> (Value, ImagePassed) {
        let (features, blocks) = self.features(g, x);
        let head = self.head.forward(g, &features);
        let (Some(cells), Some(last)) = (&self.cells, blocks.last()) else {
            return (head.weights.clone(), ImagePassed { blocks, head, cells: None });
        };
        let (own, passed) = cells.forward(g, &last.maps, head.summary());
        (g.add(&head.weights, &own), ImagePassed { blocks, head, cells: Some(passed) })
    }

    /// The shape of the head's input: filters, height, width.
    fn last(&self) -> [usize; 3] {
        self.blocks.last().map_or(self.size, |block| block.output)
    }
}

impl MarkedNetwork for ImageNetwork {
    type Passed = ImagePassed;

    fn forward(&self, g: &mut Graph, kept: &Value) -> (Value, Self::Passed) {
        let [_, height, width] = self.size;
        let marks = g.gather(kept, &self.owners, 1);
        let marks = g.reshape(&marks, &[-1, 1, height as i64, width as i64]);
        let x = g.mul(&self.x, &marks);
        self.weights(g, &x)
    }

    fn backward(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value {
        let ImagePassed { blocks, head, cells } = passed;
        let own = self.cells.as_ref().zip(cells.as_ref());
        let own = own.map(|(cells, passed)| cells.backward(g, by_weights, passed));
        let by_summary = own.as_ref().map(|own| &own.by_summary);
        let by_features = self.head.backward(g, by_weights, head, by_summary);
        let [filters, height, width] = self.last().map(|size| size as i64);
        let by_maps = g.reshape(&by_features, &[-1, height, width, filters]);
        let mut by = g.transpose(&by_maps, &[0, 3, 1, 2]);
        let mut by_maps = own.map(|own| own.by_maps);
        for (block, passed) in self.blocks.iter().zip(blocks).rev() {
            by = block.backward(g, &by, passed, by_maps.take());
        }
        // A mark is a factor of all channels of its pixels.
        let by_marks = g.mul(&by, &self.x);
        let by_marks = g.sum(&by_marks, 1);
        self.by_cell(g, &by_marks)
    }
}

impl BlockPassed {
    fn output(&self) -> &Value {
        self.pooled.as_ref().map_or(&self.maps, |[pooled, _]| pooled)
    }
}

impl Block {
    /// All blocks below `name`, for images of this size: channels, height, width.
    fn all(
        g: &mut Graph,
        weights: &mut Weights,
        name: &str,
        [_, mut height, mut width]: [usize; 3],
    ) -> Result<Vec<Self>> {
        let mut blocks = Vec::new();
        while weights.has(&format!("{name}.{}.", blocks.len())) {
            let name = format!("{name}.{}", blocks.len());
            let filters = weights.take(&format!("{name}.weight"))?;
            // An image one pixel high or wide is not pooled any further.
            let pool = height.min(width) >= 2;
            if pool {
                (height, width) = (height / 2, width / 2);
            }
            let output = [filters.shape[0], height, width];
            let filters = g.floats(&filters.shape, &filters.values);
            let bias = weights.constant(g, &format!("{name}.bias"))?;
            blocks.push(Self { filters, bias, pool, output });
        }
        Ok(blocks)
    }

    fn forward(&self, g: &mut Graph, x: &Value) -> BlockPassed {
        let maps = g.op_with("Conv", &[x, &self.filters, &self.bias], vec![padding()]);
        let maps = g.relu(&maps);
        let pooled = self.pool.then(|| g.ops("MaxPool", &[&maps], window()));
        BlockPassed { maps, pooled }
    }

    /// by_output → by_input; values that ReLU cut off, or that were not the largest of their window, get no gradient.
    /// `more` is a further gradient by the maps before the pool.
    fn backward(
        &self,
        g: &mut Graph,
        by_output: &Value,
        passed: &BlockPassed,
        more: Option<Value>,
    ) -> Value {
        let through = g.through_relu(by_output, passed.output());
        let mut by_maps = match &passed.pooled {
            None => through,
            Some([_, indices]) => {
                let shape = g.op("Shape", &[&passed.maps]);
                g.op_with("MaxUnpool", &[&through, indices, &shape], window())
            }
        };
        if let Some(more) = more {
            let through = g.through_relu(&more, &passed.maps);
            by_maps = g.add(&by_maps, &through);
        }
        g.op_with("ConvTranspose", &[&by_maps, &self.filters], vec![padding()])
    }
}

/// Zeros around the image, so that its size stays.
fn padding() -> AttributeProto {
    ints("pads", &[1, 1, 1, 1])
}

/// Windows of 2×2, side by side.
fn window() -> Vec<AttributeProto> {
    vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])]
}
