//! The part of the cells' own maps in their weights, in `ngsll::generator::CellContext`.

use crate::graph::{Graph, Kind, Value, int};
use crate::linear::LinearLayer;
use crate::weights::Weights;
use ngsll::Result;
use ngsll::dataset::ImageSize;
use ngsll::generator::CellContext;
use ngsll::representation::Grid;

/// The network that all cells share.
pub(super) struct CellNetwork {
    from_cell: LinearLayer,
    from_summary: LinearLayer,
    weight: LinearLayer,
    /// The positions of each cell, as many as the largest has; shorter lists repeat their first one:
    /// `[cells · most]`
    listed: Value,
    /// The index of each cell's first position in that list: [1, 1, cells]
    first: Value,
    cells: i64,
    most: i64,
}

/// The values of a pass.
pub(super) struct CellsPassed {
    /// The position of each largest value: [batch · filters, cells]
    positions: Value,
    /// The maps that were read: [batch, filters, height, width]
    maps: Value,
    /// [batch, cells, units]
    hidden: Value,
}

/// The gradients by the inputs of the weights of the cells.
pub(super) struct ByCells {
    /// [batch, units]
    pub by_summary: Value,
    /// Before the backward pass of the maps' ReLU: [batch, filters, height, width]
    pub by_maps: Value,
}

impl CellNetwork {
    /// The network below `name`, behind that many blocks.
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        name: &str,
        grid: &Grid,
        blocks: usize,
    ) -> Result<Self> {
        let ImageSize { width, height, .. } = grid.size();
        let positions = CellContext::positions(blocks, (height, width), &grid.cells());
        let most = positions.iter().map(Vec::len).max().unwrap_or(1);
        let listed = |cell: &Vec<u32>| -> Vec<i64> {
            (0..most).map(|i| i64::from(*cell.get(i).unwrap_or(&cell[0]))).collect()
        };
        let listed: Vec<i64> = positions.iter().flat_map(listed).collect();
        let cells = positions.len();
        let first: Vec<i64> = (0..cells).map(|cell| (cell * most) as i64).collect();
        Ok(Self {
            from_cell: LinearLayer::new(g, weights, &format!("{name}.from_cell"))?,
            from_summary: LinearLayer::new(g, weights, &format!("{name}.from_summary"))?,
            weight: LinearLayer::new(g, weights, &format!("{name}.weight"))?,
            listed: g.list(&listed),
            first: g.ints(&[1, 1, cells], &first),
            cells: cells as i64,
            most: most as i64,
        })
    }

    /// maps: [batch, filters, height, width], summary: [batch, units] → [batch, outputs, cells]
    pub fn forward(&self, g: &mut Graph, maps: &Value, summary: &Value) -> (Value, CellsPassed) {
        let flat = g.reshape(maps, &[0, 0, -1]);
        let all = g.gather(&flat, &self.listed, 2);
        let all = g.reshape(&all, &[0, 0, self.cells, self.most]);
        let largest = g.op_with("ArgMax", &[&all], vec![int("axis", 3), int("keepdims", 0)]);
        let indices = g.add(&largest, &self.first);
        let positions = g.gather(&self.listed, &indices, 0);
        let by_cell = g.gather_elements(&flat, &positions, 2);
        let by_cell = g.transpose(&by_cell, &[0, 2, 1]);
        let own = self.from_cell.forward(g, &by_cell);
        let whole = self.from_summary.forward(g, summary);
        let whole = g.unsqueeze(&whole, 1);
        let hidden = g.add(&own, &whole);
        let hidden = g.relu(&hidden);
        let weights = self.weight.forward(g, &hidden);
        let positions = g.reshape(&positions, &[-1, self.cells]);
        let passed = CellsPassed { positions, maps: maps.clone(), hidden };
        (g.transpose(&weights, &[0, 2, 1]), passed)
    }

    /// by_weights: [batch, outputs, cells]
    pub fn backward(&self, g: &mut Graph, by_weights: &Value, passed: &CellsPassed) -> ByCells {
        let by_weights = g.transpose(by_weights, &[0, 2, 1]);
        let by_hidden = g.matmul(&by_weights, self.weight.back());
        let by_hidden = g.through_relu(&by_hidden, &passed.hidden);
        let by_all = g.sum(&by_hidden, 1);
        let by_all = g.squeeze(&by_all, 1);
        let by_summary = g.matmul(&by_all, self.from_summary.back());
        let by_cell = g.matmul(&by_hidden, self.from_cell.back());
        let by_cell = g.transpose(&by_cell, &[0, 2, 1]);
        let by_cell = g.reshape(&by_cell, &[-1, self.cells]);
        // Several cells may have their largest value at one position.
        let shape = g.op("Shape", &[&passed.maps]);
        let size = g.op_with("Shape", &[&passed.maps], vec![int("start", 2)]);
        let size = g.op_with("ReduceProd", &[&size], vec![int("keepdims", 1)]);
        let rest = g.list(&[-1]);
        let rows = g.concat(&[&rest, &size], 0);
        let like = g.op("Reshape", &[&passed.maps, &rows]);
        let by_maps = g.scatter_sums(&by_cell, &passed.positions, &like);
        let by_maps = g.op("Reshape", &[&by_maps, &shape]);
        ByCells { by_summary, by_maps: g.cast(&by_maps, Kind::Float) }
    }
}
