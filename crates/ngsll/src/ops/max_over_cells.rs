//! The largest value of each map within each cell of an image, as one operation: the maps of a cell,
//! and, with cells of 2×2 positions, a max-pool.
//!
//! On the CPU backend the gradient goes straight to the positions that the largest came from;
//! elsewhere the operation is made of Burn's own ([`max_over_cells_plain`]), which is also the
//! reference in the tests.

use super::autodiff::{CustomOp, apply1};
use super::{Primitive, dims, is_supported, slice, take_zeroed};
use burn::tensor::{Int, Tensor, TensorData};
use rayon::prelude::*;
use std::sync::Arc;

/// Minimum elements per parallel task.
const SHARE: usize = 1 << 14;

/// The positions of a map that belong to each cell. Cells may overlap; each has at least one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellPositions {
    /// Those of all images, or of image after image.
    cells: Arc<[Vec<u32>]>,
    /// The number of cells of an image.
    len: usize,
}

impl CellPositions {
    /// The positions of each cell of every image, in ascending order.
    pub fn new(cells: Vec<Vec<u32>>) -> Self {
        debug_assert!(cells.iter().all(|cell| !cell.is_empty()));
        Self { len: cells.len(), cells: cells.into() }
    }

    /// Cells of each image's own, equally many: the positions of the cells of image after image.
    pub fn by_image(images: Vec<Vec<Vec<u32>>>) -> Self {
        let len = images.first().map_or(0, Vec::len);
        debug_assert!(images.iter().all(|cells| cells.len() == len));
        Self { len, ..Self::new(images.concat()) }
    }

    /// The number of cells of an image.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether all images have the same cells.
    fn are_shared(&self) -> bool {
        self.cells.len() == self.len
    }

    /// The cells of an image.
    pub fn of(&self, image: usize) -> &[Vec<u32>] {
        let first = if self.are_shared() { 0 } else { image * self.len };
        &self.cells[first..first + self.len]
    }
}

/// The maximum over the positions of each cell; of equal values, the first counts. NaN propagates.
///
/// maps: [batch, positions, width] → [batch, cells, width]
pub(crate) fn max_over_cells(maps: Tensor<3>, cells: &CellPositions) -> Tensor<3> {
    match is_supported(&maps) {
        true => apply1(MaxOverCells(cells.clone()), maps),
        false => max_over_cells_plain(maps, cells),
    }
}

/// [`max_over_cells`] in Burn's own operations.
pub(crate) fn max_over_cells_plain(maps: Tensor<3>, cells: &CellPositions) -> Tensor<3> {
    let [batch, _, width] = maps.dims();
    let most = cells.cells.iter().map(Vec::len).max().unwrap_or(0);
    // Every cell lists as many positions as the largest one, its first one several times.
    let listed = |cell: &Vec<u32>| {
        let position = |i: usize| i64::from(*cell.get(i).unwrap_or(&cell[0]));
        (0..most).map(position).collect::<Vec<i64>>()
    };
    let listed: Vec<i64> = cells.cells.iter().flat_map(listed).collect();
    let device = maps.device();
    let by_cell = if cells.are_shared() {
        let shape = [listed.len()];
        maps.select(1, Tensor::<1, Int>::from_data(TensorData::new(listed, shape), &device))
    } else {
        let listed = TensorData::new(listed, [batch, cells.len() * most, 1]);
        let listed = Tensor::<3, Int>::from_data(listed, &device);
        maps.gather(1, listed.expand([batch, cells.len() * most, width]))
    };
    by_cell.reshape([batch, cells.len(), most, width]).max_dim(2).squeeze_dim(2)
}

#[derive(Debug)]
struct MaxOverCells(CellPositions);

impl CustomOp<1> for MaxOverCells {
    /// The position that each maximum came from, [batch, cells, width], and the sizes of the maps.
    type Saved = (Vec<u32>, [usize; 3]);

    fn forward(self, [maps]: [Primitive; 1], _: [bool; 1]) -> (Primitive, Self::Saved) {
        let sizes @ [batch, positions, width] = dims(&maps);
        let row = self.0.len() * width;
        let mut maxima = take_zeroed::<f32>(batch * row);
        let mut sources = vec![0_u32; batch * row];
        let images = slice(&maps).par_chunks_exact((positions * width).max(1));
        let found = maxima.par_chunks_exact_mut(row.max(1));
        let found = found.zip(sources.par_chunks_exact_mut(row.max(1)));
        let share = SHARE.div_ceil((positions * width).max(1));
        let each = images.zip(found).enumerate().with_min_len(share);
        each.for_each(|(image, (maps, (maxima, sources)))| {
            let found = maxima.chunks_exact_mut(width).zip(sources.chunks_exact_mut(width));
            for (cell, (maxima, sources)) in self.0.of(image).iter().zip(found) {
                maxima.copy_from_slice(&maps[cell[0] as usize * width..][..width]);
                sources.fill(cell[0]);
                for &position in &cell[1..] {
                    let values = &maps[position as usize * width..][..width];
                    for ((max, source), &value) in maxima.iter_mut().zip(&mut *sources).zip(values)
                    {
                        let larger = value > *max || value.is_nan();
                        *max = if larger { value } else { *max };
                        *source = if larger { position } else { *source };
                    }
                }
            }
        });
        (maxima.into_tensor([batch, self.0.len(), width]), (sources, sizes))
    }

    fn backward(
        (sources, [batch, positions, width]): Self::Saved,
        upstream: &[f32],
        [wanted]: [bool; 1],
    ) -> [Option<Primitive>; 1] {
        if !wanted {
            return [None];
        }
        let row = sources.len() / batch.max(1);
        let mut gradient = take_zeroed::<f32>(batch * positions * width);
        let images = gradient.par_chunks_exact_mut((positions * width).max(1));
        let found = upstream.par_chunks_exact(row.max(1));
        let found = found.zip(sources.par_chunks_exact(row.max(1)));
        let share = SHARE.div_ceil((positions * width).max(1));
        images.zip(found).with_min_len(share).for_each(|(gradient, (upstream, sources))| {
            for (upstream, sources) in upstream.chunks_exact(width).zip(sources.chunks_exact(width))
            {
                // Cells may overlap, so a position may have several.
                for (map, (value, source)) in upstream.iter().zip(sources).enumerate() {
                    gradient[*source as usize * width + map] += value;
                }
            }
        });
        [Some(gradient.into_tensor([batch, positions, width]))]
    }
}
