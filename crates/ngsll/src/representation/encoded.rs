//! Samples in compact form, and the tensors of a batch cut from them.

use super::{Active, Batch, Columns, Grid, Representation, Words, X};
use burn::tensor::{Device, Int, Tensor, TensorData};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Encoded samples: x in its smallest form; z is derived from it when a batch is cut.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The number of samples.
    pub len: usize,
    /// The original representation.
    pub x: EncodedX,
}

/// x of many samples, side by side.
#[derive(Debug, Clone)]
pub enum EncodedX {
    /// Pixels 0–255, channels × height × width per image.
    Images(Vec<u8>),
    /// Token ids of all texts, and where each text ends.
    Tokens {
        /// The ids, see [`X::Tokens`].
        ids: Vec<u32>,
        /// End of each text in `ids`.
        ends: Vec<usize>,
    },
    /// One number per column: the standardised value or the level's number; NaN = missing.
    Columns(Vec<f32>),
}

/// The active features of one sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseRow {
    /// Feature numbers j.
    pub indices: Vec<u32>,
    /// z_j of each; a zero is masked.
    pub values: Vec<f32>,
}

impl SparseRow {
    /// Adds feature `j`.
    pub fn push(&mut self, j: usize, value: f32) {
        self.indices.push(j as u32);
        self.values.push(value);
    }
}

impl Encoded {
    /// Tokens of a text; the same for all samples of other kinds.
    pub(crate) fn length(&self, row: usize) -> usize {
        if matches!(self.x, EncodedX::Tokens { .. }) { self.tokens(row).len() } else { 1 }
    }

    /// The token ids of a batch of texts, padding included; none for samples of other kinds.
    pub(crate) fn words(&self, rows: &[usize]) -> Vec<u32> {
        match self.x {
            EncodedX::Tokens { .. } => {
                let ids = rows.iter().flat_map(|&r| self.tokens(r)).copied();
                ids.chain([0]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Feeds the samples to a hash.
    pub(crate) fn digest(&self, hash: &mut Sha256) {
        match &self.x {
            EncodedX::Images(pixels) => hash.update(pixels),
            EncodedX::Tokens { ids, ends } => {
                ids.iter().for_each(|id| hash.update(id.to_le_bytes()));
                ends.iter().for_each(|end| hash.update(end.to_le_bytes()));
            }
            EncodedX::Columns(values) => values.iter().for_each(|v| hash.update(v.to_le_bytes())),
        }
    }

    /// The token ids of one text.
    pub(super) fn tokens(&self, row: usize) -> &[u32] {
        let EncodedX::Tokens { ids, ends } = &self.x else { unreachable!("text rows hold tokens") };
        let start = if row == 0 { 0 } else { ends[row - 1] };
        &ids[start..ends[row]]
    }

    /// The numbers of one table row of `width` columns.
    pub(super) fn columns(&self, row: usize, width: usize) -> &[f32] {
        let EncodedX::Columns(values) = &self.x else { unreachable!("table rows hold columns") };
        &values[row * width..(row + 1) * width]
    }

    /// The pixels of one image of `size` bytes.
    pub(super) fn pixels(&self, row: usize, size: usize) -> &[u8] {
        let EncodedX::Images(pixels) = &self.x else { unreachable!("image rows hold pixels") };
        &pixels[row * size..(row + 1) * size]
    }
}

impl Representation {
    /// The active features of one sample.
    pub fn z(&self, encoded: &Encoded, row: usize) -> SparseRow {
        match self {
            Self::Grid(grid) => grid.z(encoded.pixels(row, grid.size())),
            Self::Words(_) => Words::z(encoded.tokens(row)),
            Self::Columns(columns) => columns.z(encoded.columns(row, columns.encodings().len())),
        }
    }

    /// Cuts the given rows into a batch on `device`.
    pub fn batch(&self, encoded: &Encoded, rows: &[usize], device: &Device) -> Batch {
        let sparse: Vec<SparseRow> = rows.iter().map(|&r| self.z(encoded, r)).collect();
        // At least one slot, so that a batch without any feature still has a shape.
        let slots = sparse.iter().map(|r| r.indices.len()).max().unwrap_or(0).max(1);
        let size = rows.len() * slots;
        let (mut z, mut mask) = (vec![0.0_f32; size], vec![1.0_f32; size]);
        for (b, row) in sparse.iter().enumerate() {
            for (slot, &value) in row.values.iter().enumerate() {
                z[b * slots + slot] = value;
                mask[b * slots + slot] = if value == 0.0 { 1.0 } else { 0.0 };
            }
        }
        let dense = matches!(self, Self::Grid(_));
        let indices = (!dense).then(|| padded_indices(&sparse, slots, device));
        let (x, places) = match self {
            Self::Grid(grid) => (grid_x(grid, encoded, rows, device), None),
            Self::Words(_) => {
                let (ids, places) = token_x(encoded, rows, &sparse, slots, device);
                (X::Tokens(ids), Some(places))
            }
            Self::Columns(columns) => (columns_x(columns, encoded, rows, device), None),
        };
        let shape = [rows.len(), slots];
        Batch {
            x,
            active: Active { slots, indices, places },
            z: Tensor::from_data(TensorData::new(z, shape), device),
            mask: Tensor::from_data(TensorData::new(mask, shape), device),
            rows: sparse,
        }
    }
}

fn padded_indices(rows: &[SparseRow], slots: usize, device: &Device) -> Tensor<2, Int> {
    let mut indices = vec![0_i64; rows.len() * slots];
    for (b, row) in rows.iter().enumerate() {
        for (slot, &j) in row.indices.iter().enumerate() {
            indices[b * slots + slot] = i64::from(j);
        }
    }
    Tensor::from_data(TensorData::new(indices, [rows.len(), slots]), device)
}

fn grid_x(grid: &Grid, encoded: &Encoded, rows: &[usize], device: &Device) -> X {
    let mut pixels = Vec::with_capacity(rows.len() * grid.size());
    for &row in rows {
        pixels.extend(encoded.pixels(row, grid.size()).iter().map(|&p| f32::from(p) / 255.0));
    }
    let shape = [rows.len(), grid.channels, grid.height, grid.width];
    X::Images(Tensor::from_data(TensorData::new(pixels, shape), device))
}

fn columns_x(columns: &Columns, encoded: &Encoded, rows: &[usize], device: &Device) -> X {
    let width = columns.width();
    let mut x = vec![0.0; rows.len() * width];
    for (&row, x) in rows.iter().zip(x.chunks_exact_mut(width)) {
        columns.write_x(encoded.columns(row, columns.encodings().len()), x);
    }
    X::Columns(Tensor::from_data(TensorData::new(x, [rows.len(), width]), device))
}

/// ids: [batch, time], places: [batch, time]
fn token_x(
    encoded: &Encoded,
    rows: &[usize],
    sparse: &[SparseRow],
    slots: usize,
    device: &Device,
) -> (Tensor<2, Int>, Tensor<2, Int>) {
    let texts: Vec<&[u32]> = rows.iter().map(|&r| encoded.tokens(r)).collect();
    let time = texts.iter().map(|t| t.len()).max().unwrap_or(0).max(1);
    let mut ids = vec![0_i64; rows.len() * time];
    let mut places = vec![slots as i64; rows.len() * time];
    for (b, (text, row)) in texts.iter().zip(sparse).enumerate() {
        let slot_of: HashMap<u32, usize> =
            row.indices.iter().enumerate().map(|(slot, &j)| (j, slot)).collect();
        for (t, &id) in text.iter().enumerate() {
            ids[b * time + t] = i64::from(id);
            if let Some(j) = Words::feature(id) {
                places[b * time + t] = slot_of[&j] as i64;
            }
        }
    }
    let tensor = |values| Tensor::from_data(TensorData::new(values, [rows.len(), time]), device);
    (tensor(ids), tensor(places))
}
