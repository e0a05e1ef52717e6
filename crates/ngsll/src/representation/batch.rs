//! The form in which samples reach a generator.

use super::kind::Kind;
use super::{Encoded, SparseRow};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// The original representation of a batch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum X {
    /// Pixels in [0, 1]: [batch, height, width, channels].
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
    /// For token sequences: the slot of the word at each position of x, or `slots` where it has
    /// none, [batch, time].
    pub token_slots: Option<Tensor<2, Int>>,
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
#[non_exhaustive]
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

impl XShape {
    /// What it holds, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            XShape::Image { .. } => "images",
            XShape::Tokens { .. } => "text",
            XShape::Columns { .. } => "tables",
        }
    }
}

/// A batch as tensors: everything but the labels.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The original representation.
    pub x: X,
    /// Which features are listed.
    pub active: Active,
    /// z of the listed features, 0 in padding: [batch, slots]
    pub z: Tensor<2>,
    /// 1 where a slot may not be used (padding, zero): [batch, slots]
    pub mask: Tensor<2>,
    /// The listed features on the host, for naming them.
    pub rows: Vec<SparseRow>,
}

/// The tensors of a batch whose rows list the features in `sparse`.
pub(super) fn assemble(
    kind: &dyn Kind,
    encoded: &Encoded,
    rows: &[usize],
    sparse: Vec<SparseRow>,
    device: &Device,
) -> Batch {
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
    let indices = (!kind.lists_all()).then(|| padded_indices(&sparse, slots, device));
    let (x, token_slots) = kind.x(encoded, rows, &sparse, slots, device);
    let shape = [rows.len(), slots];
    Batch {
        x,
        active: Active { slots, indices, token_slots },
        z: Tensor::from_data(TensorData::new(z, shape), device),
        mask: Tensor::from_data(TensorData::new(mask, shape), device),
        rows: sparse,
    }
}

/// rows → indices: [batch, slots], padding holds 0
fn padded_indices(rows: &[SparseRow], slots: usize, device: &Device) -> Tensor<2, Int> {
    let mut indices = vec![0_i64; rows.len() * slots];
    for (b, row) in rows.iter().enumerate() {
        for (slot, &j) in row.indices.iter().enumerate() {
            indices[b * slots + slot] = i64::from(j);
        }
    }
    Tensor::from_data(TensorData::new(indices, [rows.len(), slots]), device)
}
