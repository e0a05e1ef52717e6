//! Rows of a table as a generator reads them.

use super::embedding_spans::EmbeddingSpans;
use super::{ColumnEncoding, FARTHEST, Monotone};
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::sync::Arc;

/// Rows of a table, of which some columns may be erased. Custom generators can read them as numbers
/// ([`TableRows::numbers`]); the library's default reads them by their spans in an embedding table.
#[derive(Debug, Clone)]
pub struct TableRows {
    /// The standardised value or the level's number, NaN where it is missing: [batch, columns]
    values: Arc<[f32]>,
    encodings: Arc<[ColumnEncoding]>,
    /// The factor of each column's input: [batch, columns]
    factors: Option<Tensor<2>>,
    /// Whether the factors are marks, 1 where a column is kept and 0 where it is erased, which are also
    /// inputs.
    marked: bool,
    device: Device,
}

impl TableRows {
    pub(super) fn new(values: Vec<f32>, encodings: Arc<[ColumnEncoding]>, device: &Device) -> Self {
        Self {
            values: values.into(),
            encodings,
            factors: None,
            marked: false,
            device: device.clone(),
        }
    }

    /// Returns the rows without gradients.
    pub(crate) fn inner(self) -> Self {
        let (factors, device) = (self.factors.map(Tensor::inner), self.device.inner());
        Self { factors, device, ..self }
    }

    /// Keeps only some columns of the rows.
    pub(crate) fn erased(&self, kept: Tensor<2>) -> Self {
        Self { factors: Some(kept), marked: true, ..self.clone() }
    }

    /// Multiplies the input from each column by its factor.
    pub(crate) fn scaled(&self, factors: Tensor<2>) -> Self {
        Self { factors: Some(factors), marked: false, ..self.clone() }
    }

    /// The standardised value or the level's number, NaN where it is missing: [batch, columns]
    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    /// The number of rows.
    pub fn batch(&self) -> usize {
        self.values.len() / self.encodings.len()
    }

    /// The factor of each column's input: [batch, columns]
    pub(crate) fn factors(&self) -> Tensor<2> {
        self.factors.clone().unwrap_or_else(|| self.ones())
    }

    /// The number of columns that each row keeps: [batch, 1]
    pub(crate) fn kept(&self) -> Tensor<2> {
        let marks = self.factors.clone().filter(|_| self.marked);
        marks.unwrap_or_else(|| self.ones()).sum_dim(1)
    }

    fn ones(&self) -> Tensor<2> {
        Tensor::ones([self.batch(), self.encodings.len()], &self.device)
    }

    /// The span of each value in an embedding table. If columns may be erased, the numbers of monotone
    /// columns are hidden.
    pub(crate) fn spans(&self) -> EmbeddingSpans {
        let encodings: Vec<&ColumnEncoding> = self.encodings.iter().collect();
        match self.marked {
            true => EmbeddingSpans::hidden(&encodings, &self.values),
            false => EmbeddingSpans::new(&encodings, &self.values),
        }
    }

    /// The numbers of the monotone columns, moved by some standard deviations, as slopes read them, and their
    /// spans in an embedding table of these columns: [batch, monotone columns]. Missing ones are replaced by the
    /// mean.
    pub(crate) fn monotone(&self, by: f32) -> (Tensor<2>, EmbeddingSpans) {
        let is_monotone = |encoding: &ColumnEncoding| encoding.monotone().is_some();
        let columns: Vec<&ColumnEncoding> =
            self.encodings.iter().filter(|encoding| is_monotone(encoding)).collect();
        let rows = self.values.chunks_exact(self.encodings.len());
        let numbers = rows.flat_map(|row| {
            let own = row.iter().zip(&*self.encodings).filter(|(_, e)| is_monotone(e));
            own.map(|(&value, _)| match value.is_nan() {
                true => 0.0,
                false => (value + by).clamp(-FARTHEST, FARTHEST),
            })
        });
        let numbers: Vec<f32> = numbers.collect();
        let spans = EmbeddingSpans::new(&columns, &numbers);
        let shape = [self.batch(), columns.len()];
        (Tensor::from_data(TensorData::new(numbers, shape), &self.device), spans)
    }

    /// The span of the mean of each monotone column in that table: one row.
    pub(crate) fn monotone_means(&self) -> EmbeddingSpans {
        let is_monotone = |encoding: &&ColumnEncoding| encoding.monotone().is_some();
        let columns: Vec<&ColumnEncoding> = self.encodings.iter().filter(is_monotone).collect();
        EmbeddingSpans::new(&columns, &vec![0.0; columns.len()])
    }

    /// The direction in which the score may move with each column.
    pub(crate) fn directions(&self) -> impl Iterator<Item = Option<Monotone>> {
        self.encodings.iter().map(ColumnEncoding::monotone)
    }

    /// For each column whether it is missing, its value and one number per bin, or one per level; if
    /// columns may be erased, also a number per column that is 1 if it is kept: [batch, width]
    pub fn numbers(&self) -> Tensor<2> {
        let width = self.encodings.iter().map(ColumnEncoding::width).sum();
        let mut x = vec![0.0; self.batch() * width];
        let rows = self.values.chunks_exact(self.encodings.len());
        for (row, mut x) in rows.zip(x.chunks_exact_mut(width)) {
            for (encoding, &value) in self.encodings.iter().zip(row) {
                let (own, rest) = x.split_at_mut(encoding.width());
                let hidden = self.marked && encoding.monotone().is_some() && !value.is_nan();
                if !hidden {
                    encoding.write_x(value, own);
                }
                x = rest;
            }
        }
        let x = Tensor::from_data(TensorData::new(x, [self.batch(), width]), &self.device);
        let Some(factors) = &self.factors else { return x };
        let columns = self.encodings.iter().enumerate();
        let owners: Vec<i64> =
            columns.flat_map(|(c, e)| std::iter::repeat_n(c as i64, e.width())).collect();
        let owners = Tensor::<1, Int>::from_data(TensorData::new(owners, [width]), &self.device);
        let x = x * factors.clone().select(1, owners);
        if self.marked { Tensor::cat(vec![x, factors.clone()], 1) } else { x }
    }
}
