//! The form in which samples reach a generator.

use super::kind::Kind;
use super::{ColumnRows, Encoded, SparseRow, TableRows};
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::sync::Arc;

/// The original representation of a batch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum X {
    /// Pixels in [0, 1]: [batch, height, width, channels].
    Images(Tensor<4>),
    /// Token ids, 0 = padding, 1 = out of vocabulary, feature j + 2 otherwise: [batch, time].
    Tokens(Tensor<2, Int>),
    /// Rows of a table.
    Columns(TableRows),
    /// Token ids as in [`X::Tokens`], of which only some are kept; the others are all read as the
    /// same mark.
    MaskedTokens {
        /// The ids: [batch, time].
        ids: Tensor<2, Int>,
        /// 1 where the token is kept, 0 where it is erased: [batch, time].
        kept: Tensor<2>,
    },
}

/// The features of z that a generator writes weights for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Active {
    /// The number of slots: the longest sample's active features.
    pub slots: usize,
    /// The feature in each slot, [batch, slots] (padding holds 0); `None` when every sample lists
    /// all features in order.
    pub indices: Option<Tensor<2, Int>>,
    /// For token sequences: the slots of their words.
    pub token_slots: Option<TokenSlots>,
    /// For images that each have regions of their own: these.
    pub regions: Option<ImageRegions>,
}

impl Active {
    /// All features in order, so many of them.
    pub fn all(slots: usize) -> Self {
        Self { slots, indices: None, token_slots: None, regions: None }
    }
}

/// The regions of the images of a batch, each of which has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageRegions {
    owners: Arc<[u16]>,
    area: usize,
}

impl ImageRegions {
    /// The region of each pixel, row by row, of images of `area` pixels.
    pub(super) fn new(owners: Arc<[u16]>, area: usize) -> Self {
        Self { owners, area }
    }

    /// The region of each pixel of image b.
    pub fn of(&self, b: usize) -> &[u16] {
        &self.owners[b * self.area..(b + 1) * self.area]
    }
}

/// The feature that each pixel of a batch of images belongs to.
#[derive(Debug, Clone)]
pub enum PixelOwners {
    /// The cell of each pixel of every image: `[pixels]`.
    Shared(Tensor<1, Int>),
    /// The region of each pixel of each image: [batch, pixels].
    Own(Tensor<2, Int>),
}

impl PixelOwners {
    fn inner(self) -> Self {
        match self {
            Self::Shared(owners) => Self::Shared(owners.inner()),
            Self::Own(owners) => Self::Own(owners.inner()),
        }
    }
}

/// The slot of the word at each position of a text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TokenSlots {
    /// The slot, or the number of slots if the position has none: [batch, time].
    pub slots: Tensor<2, Int>,
    /// 1 / the number of occurrences of the word, if its weight is the mean over its positions; if absent, the
    /// weight is their sum: [batch, time].
    pub shares: Option<Tensor<2>>,
}

impl TokenSlots {
    fn inner(self) -> Self {
        Self { slots: self.slots.inner(), shares: self.shares.map(Tensor::inner) }
    }
}

/// The sizes that a generator must fit: those of x, z and the output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dims {
    /// The form of x.
    pub x: XShape,
    /// d, the number of features of z.
    pub features: usize,
    /// The number of scores: 1, or C for C > 2 classes.
    pub outputs: usize,
}

/// The form of x.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        /// The feature that each pixel belongs to, row by row.
        cells: Arc<[usize]>,
    },
    /// Token sequences over ids below `ids`.
    Tokens {
        /// Vocabulary size + 2.
        ids: usize,
        /// Whether tokens may be erased: x is [`X::MaskedTokens`] then.
        masked: bool,
    },
    /// Encoded table rows.
    Columns {
        /// Numbers per row, if rows are read as numbers.
        width: usize,
        /// The rows of an embedding table for each column, if columns are read through one.
        columns: Arc<[ColumnRows]>,
    },
}

impl X {
    /// The rows of a table; `None` for other samples.
    pub(crate) fn as_columns(&self) -> Option<&TableRows> {
        match self {
            X::Columns(rows) => Some(rows),
            _ => None,
        }
    }
}

impl XShape {
    /// The rows of an embedding table that the columns of a table need; `None` for other samples.
    pub(crate) fn columns(&self) -> Option<&[ColumnRows]> {
        match self {
            XShape::Columns { columns, .. } => Some(columns),
            _ => None,
        }
    }

    /// Its content, in a word.
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
#[non_exhaustive]
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
    /// 1 where a feature of the sample can be chosen: [batch, features]
    pub available: Vec<f32>,
    /// Neighbouring slots of one feature: 2 if a feature has a level and a slope.
    pub weights_per_feature: usize,
    /// The cell or region that each pixel belongs to; `None` for other samples.
    pub owners: Option<PixelOwners>,
}

impl Batch {
    /// Returns the batch without gradients, from one on a device with autodiff.
    pub(crate) fn inner(self) -> Self {
        let Active { slots, indices, token_slots, regions } = self.active;
        let token_slots = token_slots.map(TokenSlots::inner);
        Self {
            x: match self.x {
                X::Images(images) => X::Images(images.inner()),
                X::Tokens(ids) => X::Tokens(ids.inner()),
                X::Columns(rows) => X::Columns(rows.inner()),
                X::MaskedTokens { ids, kept } => {
                    X::MaskedTokens { ids: ids.inner(), kept: kept.inner() }
                }
            },
            active: Active { slots, indices: indices.map(Tensor::inner), token_slots, regions },
            z: self.z.inner(),
            mask: self.mask.inner(),
            owners: self.owners.map(PixelOwners::inner),
            ..self
        }
    }

    /// The most features that a sample lists.
    pub fn features(&self) -> usize {
        self.active.slots / self.weights_per_feature
    }

    /// Features that sample b lists.
    pub(crate) fn listed(&self, b: usize) -> usize {
        self.rows[b].indices.len() / self.weights_per_feature
    }

    /// The number of the feature in a slot of sample b, which lists it.
    pub(crate) fn feature_at(&self, b: usize, slot: usize) -> usize {
        let width = self.weights_per_feature;
        self.rows[b].indices[slot * width] as usize / width
    }

    /// Marks of the given features of each sample: [batch, features]
    pub(crate) fn marks<'a>(&self, kept: impl Iterator<Item = &'a [usize]>) -> Vec<f32> {
        let features = self.features();
        let mut marks = vec![0.0; self.rows.len() * features];
        for (b, kept) in kept.enumerate() {
            let is_kept = |slot: &usize| kept.contains(&self.feature_at(b, *slot));
            let slots = (0..self.listed(b)).filter(is_kept);
            slots.for_each(|slot| marks[b * features + slot] = 1.0);
        }
        marks
    }

    /// x with the features that are not kept erased, and marks that flag them: images and rows
    /// get the marks as a separate channel or as separate columns.
    ///
    /// kept: [batch, features], 1 = kept, 0 = erased
    pub fn erased(&self, kept: &Tensor<2>) -> X {
        if let X::Columns(rows) = &self.x {
            return X::Columns(rows.erased(kept.clone()));
        }
        // Tokens without a slot, which no term can name, are never kept.
        match self.scaled(kept, 0.0) {
            X::Images(images) => {
                let [batch, height, width, _] = images.dims();
                let marks = self.owned(kept).reshape([batch, height, width, 1]);
                X::Images(Tensor::cat(vec![images, marks], 3))
            }
            other => other,
        }
    }

    /// x with the parts of each feature multiplied by its factor, and without marks: pixels of a cell,
    /// vectors of a column or of a word. `rest` is the factor of tokens that are not features.
    ///
    /// factors: [batch, features], for rows of a table [batch, columns]
    pub fn scaled(&self, factors: &Tensor<2>, rest: f32) -> X {
        match &self.x {
            X::Images(images) => {
                let [batch, height, width, _] = images.dims();
                let factors = self.owned(factors).reshape([batch, height, width, 1]);
                X::Images(images.clone() * factors)
            }
            X::Columns(rows) => X::Columns(rows.scaled(factors.clone())),
            X::Tokens(ids) | X::MaskedTokens { ids, .. } => {
                let slots = self.active.token_slots.clone();
                let slots = slots.expect("token batches say where their features occur").slots;
                let rest = Tensor::full([factors.dims()[0], 1], rest, &factors.device());
                let kept = Tensor::cat(vec![factors.clone(), rest], 1).gather(1, slots);
                X::MaskedTokens { ids: ids.clone(), kept }
            }
        }
    }

    /// The number of its cell or region for each pixel: [batch, features] → [batch, pixels]
    fn owned(&self, by_feature: &Tensor<2>) -> Tensor<2> {
        match self.owners.clone().expect("pixels belong to cells") {
            PixelOwners::Shared(owners) => by_feature.clone().select(1, owners),
            PixelOwners::Own(owners) => by_feature.clone().gather(1, owners),
        }
    }

    /// The same samples for a network whose one weight is the score itself: z is the constant 1.
    pub fn plain(self) -> Self {
        let (n, device) = (self.rows.len(), self.z.device());
        Self {
            active: Active::all(1),
            z: Tensor::ones([n, 1], &device),
            mask: Tensor::zeros([n, 1], &device),
            ..self
        }
    }

    /// Marks that keep everything that can be chosen: [batch, features]
    pub fn all_available(&self) -> Tensor<2> {
        let shape = [self.rows.len(), self.features()];
        Tensor::from_data(TensorData::new(self.available.clone(), shape), &self.z.device())
    }

    /// Marks of features as marks of their slots: [batch, features] → [batch, slots]
    pub fn slot_marks(&self, kept: &Tensor<2>) -> Tensor<2> {
        match self.weights_per_feature {
            1 => kept.clone(),
            n => {
                let [batch, features] = kept.dims();
                kept.clone().unsqueeze_dim::<3>(2).expand([batch, features, n]).flatten(1, 2)
            }
        }
    }
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
    let weights_per_feature = kind.weights_per_feature();
    let available = match weights_per_feature {
        1 => mask.iter().map(|masked| 1.0 - masked).collect(),
        // A column also has a weight where its number is zero or, if that occurred in training, missing.
        n => {
            let open = |row, j| if kind.is_closed(encoded, row, j) { 0.0 } else { 1.0 };
            rows.iter().flat_map(|&row| (0..slots / n).map(move |j| open(row, j))).collect()
        }
    };
    let regions = kind.image_regions(encoded, rows);
    let owners = match &regions {
        Some(regions) => {
            let owners: Vec<i64> = regions.owners.iter().map(|&j| i64::from(j)).collect();
            let owners = TensorData::new(owners, [rows.len(), regions.area]);
            Some(PixelOwners::Own(Tensor::from_data(owners, device)))
        }
        None => kind.owners().map(|owners| {
            let owners: Vec<i64> = owners.into_iter().map(|j| j as i64).collect();
            let shape = [owners.len()];
            PixelOwners::Shared(Tensor::from_data(TensorData::new(owners, shape), device))
        }),
    };
    let indices = (!kind.lists_all()).then(|| padded_indices(&sparse, slots, device));
    let (x, token_slots) = kind.x(encoded, rows, &sparse, slots, device);
    let shape = [rows.len(), slots];
    Batch {
        x,
        active: Active { slots, indices, token_slots, regions },
        z: Tensor::from_data(TensorData::new(z, shape), device),
        mask: Tensor::from_data(TensorData::new(mask, shape), device),
        rows: sparse,
        available,
        weights_per_feature,
        owners,
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
