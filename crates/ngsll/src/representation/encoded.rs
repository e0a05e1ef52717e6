//! Samples in compact form, from which batches are cut.

use sha2::{Digest, Sha256};

/// The pixels, tokens and rows of a table that justify a separate pass through the network, and the number of
/// images or texts that always do. The overhead of a pass is that of two images or some fifteen rows of
/// a table.
const PIXELS: usize = 32 * 28 * 28;
const TOKENS: usize = 160;
const MOST: usize = 32;
const ROWS: usize = 64;

/// Encoded samples: x in its smallest form; z is derived from it when a batch is cut.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The number of samples.
    pub(super) len: usize,
    /// The original representation.
    pub(super) x: EncodedX,
}

/// x of many samples, side by side.
#[derive(Debug, Clone)]
pub(super) enum EncodedX {
    /// Images of one size.
    Images {
        /// Pixels 0–255, height × width × channels per image.
        pixels: Vec<u8>,
        /// The region of each pixel, height × width per image, if each image has its own.
        regions: Option<Vec<u16>>,
    },
    /// Token ids of all texts, and the end of each text.
    Tokens {
        /// The ids, see [`X::Tokens`](super::X::Tokens).
        ids: Vec<u32>,
        /// End of each text in `ids`.
        ends: Vec<usize>,
        /// The segment of each token, if segments, not words, are the features.
        segments: Option<Vec<u32>>,
    },
    /// One number per column: the standardised value or the level's number; NaN = missing.
    Columns(Vec<f32>),
}

impl EncodedX {
    /// One text.
    pub(super) fn text(ids: Vec<u32>, segments: Option<Vec<u32>>) -> Self {
        Self::Tokens { ends: vec![ids.len()], ids, segments }
    }
}

/// The range of text `row` among the tokens of all.
fn span(ends: &[usize], row: usize) -> std::ops::Range<usize> {
    let start = if row == 0 { 0 } else { ends[row - 1] };
    start..ends[row]
}

/// The active features of one sample.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
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

/// Features j and their z_j.
impl FromIterator<(u32, f32)> for SparseRow {
    fn from_iter<I: IntoIterator<Item = (u32, f32)>>(features: I) -> Self {
        let (indices, values) = features.into_iter().unzip();
        Self { indices, values }
    }
}

impl Encoded {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Tokens of a text; the same for all samples of other kinds.
    pub(crate) fn length(&self, row: usize) -> usize {
        if matches!(self.x, EncodedX::Tokens { .. }) { self.tokens(row).len() } else { 1 }
    }

    /// The number of these samples that justify a separate pass through the network. Such a pass has costs
    /// that depend on the number of weights, and the pixels of an image and the tokens of a text read the
    /// same ones.
    pub(crate) fn worthwhile(&self, rows: &[usize]) -> usize {
        match &self.x {
            EncodedX::Images { pixels, .. } => {
                (PIXELS * self.len / pixels.len().max(1)).clamp(1, MOST)
            }
            EncodedX::Tokens { .. } => {
                let tokens: usize = rows.iter().map(|&row| self.tokens(row).len()).sum();
                (TOKENS * rows.len() / tokens.max(1)).clamp(1, MOST)
            }
            EncodedX::Columns(_) => ROWS,
        }
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

    /// One sample by itself.
    pub(super) fn sample(&self, row: usize) -> Self {
        let x = match &self.x {
            EncodedX::Images { pixels, regions } => {
                let of_image = |all: usize| row * all / self.len..(row + 1) * all / self.len;
                let regions = regions.as_ref().map(|all| all[of_image(all.len())].to_vec());
                EncodedX::Images { pixels: pixels[of_image(pixels.len())].to_vec(), regions }
            }
            EncodedX::Tokens { .. } => {
                let (ids, segments) = (self.tokens(row), self.segments(row));
                EncodedX::text(ids.to_vec(), segments.map(<[u32]>::to_vec))
            }
            EncodedX::Columns(values) => {
                let width = values.len() / self.len;
                EncodedX::Columns(self.columns(row, width).to_vec())
            }
        };
        Self { len: 1, x }
    }

    /// Samples of one kind, one after the other.
    ///
    /// # Panics
    /// If there are none, or some are of another kind.
    pub(crate) fn concat(parts: impl Iterator<Item = Self>) -> Self {
        let join = |mut all: Self, part: Self| {
            all.len += part.len;
            match (&mut all.x, part.x) {
                (
                    EncodedX::Images { pixels, regions },
                    EncodedX::Images { pixels: more, regions: more_regions },
                ) => {
                    pixels.extend(more);
                    regions.iter_mut().zip(more_regions).for_each(|(all, more)| all.extend(more));
                }
                (EncodedX::Columns(all), EncodedX::Columns(more)) => all.extend(more),
                (
                    EncodedX::Tokens { ids, ends, segments },
                    EncodedX::Tokens { ids: more, ends: more_ends, segments: more_segments },
                ) => {
                    ends.extend(more_ends.into_iter().map(|end| end + ids.len()));
                    ids.extend(more);
                    segments.iter_mut().zip(more_segments).for_each(|(all, more)| all.extend(more));
                }
                _ => unreachable!("samples of one model are of one kind"),
            }
            all
        };
        parts.reduce(join).expect("there is at least one sample")
    }

    /// Feeds the samples to a hash.
    pub(crate) fn digest(&self, hash: &mut Sha256) {
        match &self.x {
            EncodedX::Images { pixels, regions } => {
                regions.iter().flatten().for_each(|region| hash.update(region.to_le_bytes()));
                hash.update(pixels);
            }
            EncodedX::Tokens { ids, ends, segments } => {
                segments.iter().flatten().for_each(|s| hash.update(s.to_le_bytes()));
                ids.iter().for_each(|id| hash.update(id.to_le_bytes()));
                ends.iter().for_each(|end| hash.update(end.to_le_bytes()));
            }
            EncodedX::Columns(values) => values.iter().for_each(|v| hash.update(v.to_le_bytes())),
        }
    }

    /// The token ids of one text.
    pub(super) fn tokens(&self, row: usize) -> &[u32] {
        let EncodedX::Tokens { ids, ends, .. } = &self.x else {
            unreachable!("text rows hold tokens")
        };
        &ids[span(ends, row)]
    }

    /// The segment of each token of one text, if segments are the features.
    pub(super) fn segments(&self, row: usize) -> Option<&[u32]> {
        let EncodedX::Tokens { ends, segments: Some(segments), .. } = &self.x else { return None };
        Some(&segments[span(ends, row)])
    }

    /// The numbers of one table row of `width` columns.
    pub(super) fn columns(&self, row: usize, width: usize) -> &[f32] {
        let EncodedX::Columns(values) = &self.x else { unreachable!("table rows hold columns") };
        &values[row * width..(row + 1) * width]
    }

    /// The pixels of one image of `size` bytes.
    pub(super) fn pixels(&self, row: usize, size: usize) -> &[u8] {
        let EncodedX::Images { pixels, .. } = &self.x else {
            unreachable!("image rows hold pixels")
        };
        &pixels[row * size..(row + 1) * size]
    }

    /// The region of each of the `area` pixels of one image, if each image has its own.
    pub(super) fn regions(&self, row: usize, area: usize) -> Option<&[u16]> {
        let EncodedX::Images { regions: Some(regions), .. } = &self.x else { return None };
        Some(&regions[row * area..(row + 1) * area])
    }
}
