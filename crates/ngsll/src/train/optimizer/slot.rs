//! The state that an optimiser keeps for one parameter.

use super::gradients::Gradient;
use super::row_block::{RowBlock, each_row};
use super::{Array, UpdateRule, Weights};
use crate::ops::sparse_gradient::SparseGradient;
use crate::ops::u32_pair::{join, split};
use rayon::prelude::*;

/// The fewest weights that one thread updates.
const BLOCK: usize = 16_384;

/// The moments of one parameter, block by block: for tables with sparse gradients a block is a row,
/// so that an update reads contiguous memory.
#[derive(Debug, PartialEq)]
pub(super) struct Slot {
    /// Updates made.
    time: u32,
    /// Weights per block.
    width: usize,
    moments: Vec<f32>,
    /// For sparse gradients: the update that each row is up to date with, or 0 where its moments
    /// are still zero and it has nothing to miss.
    last: Option<Vec<u32>>,
    /// Whether rows were read that were not among those to catch up: the table is then not read by the
    /// batch's tokens, and from now on all its rows catch up before each step.
    reads_untracked: bool,
}

impl Slot {
    /// For a parameter of this shape whose first gradient is this one.
    pub fn new(gradient: &Gradient, shape: &[usize], moments: usize) -> Self {
        let len = shape.iter().product::<usize>();
        let row = match gradient {
            Gradient::Dense(_) => None,
            Gradient::Sparse(_) => Some(shape[1]),
        };
        Self {
            time: 0,
            width: row.unwrap_or(BLOCK),
            // Zeroed pages cost no memory before a row in them is touched.
            moments: vec![0.0; len * moments],
            last: row.map(|width| vec![0; len / width]),
            reads_untracked: false,
        }
    }

    pub fn is_sparse(&self) -> bool {
        self.last.is_some()
    }

    /// One update by the sum of the shards' gradients, before which weights are multiplied by `keep`, except
    /// those of tables with sparse gradients, most of whose rows are not visited.
    ///
    /// # Panics
    /// If the gradients are not all sparse or all dense, like those before them.
    pub fn update(
        &mut self,
        rule: &dyn UpdateRule,
        keep: f32,
        weights: &mut [f32],
        shards: Vec<Gradient>,
    ) {
        let (mut dense, mut sparse) = (Vec::new(), Vec::new());
        for shard in shards {
            match shard {
                Gradient::Dense(values) => dense.push(values),
                Gradient::Sparse(rows) => sparse.push(rows),
            }
        }
        let fits = if self.is_sparse() { dense.is_empty() } else { sparse.is_empty() };
        assert!(fits, "a table's gradient is sparse in every shard and step or in none");
        match self.is_sparse() {
            true => self.update_rows(rule, weights, &SparseGradient::sum(sparse)),
            false => self.update_all(rule, keep, weights, dense),
        }
    }

    /// An update of all weights. Each block's gradients are added up where the update reads them, in the
    /// order of the shards: the bits do not depend on the number of threads.
    fn update_all(
        &mut self,
        rule: &dyn UpdateRule,
        keep: f32,
        weights: &mut [f32],
        mut shards: Vec<Vec<f32>>,
    ) {
        self.time += 1;
        let time = self.time;
        let mut sum = shards.remove(0);
        weights
            .par_chunks_mut(BLOCK)
            .zip(self.moments.par_chunks_mut(BLOCK * rule.moments()))
            .zip(sum.par_chunks_mut(BLOCK))
            .enumerate()
            .for_each(|(block, ((weights, moments), sum))| {
                for shard in &shards {
                    let part = &shard[block * BLOCK..][..sum.len()];
                    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
                }
                if keep != 1.0 {
                    weights.iter_mut().for_each(|weight| *weight *= keep);
                }
                rule.update(time, weights, moments, sum);
            });
    }

    /// An update of the rows in a sparse gradient.
    fn update_rows(
        &mut self,
        rule: &dyn UpdateRule,
        weights: &mut [f32],
        gradient: &SparseGradient,
    ) {
        let touched: Vec<(usize, &[f32])> = gradient.iter().collect();
        let last = self.last.as_deref().unwrap_or_default();
        let waits = |(row, _): &(usize, &[f32])| (1..self.time).contains(&last[*row]);
        self.reads_untracked |= touched.iter().any(waits);
        self.time += 1;
        let time = self.time;
        each_row(self.rows(rule, weights), &touched, &|row, gradient| {
            if *row.last == 0 {
                // Written before they are read, pages of zeros are allocated once instead of twice.
                row.moments.fill(0.0);
            }
            row.catch_up(rule, time - 1);
            rule.update(time, row.weights, row.moments, gradient);
            *row.last = time;
        });
    }

    /// Applies the updates that these rows have missed.
    pub fn catch_up(&mut self, rule: &dyn UpdateRule, weights: &mut [f32], rows: &[u32]) {
        if self.reads_untracked {
            return self.flush(rule, weights);
        }
        // A table that is read by other ids than the batch's tokens may be shorter.
        let count = weights.len() / self.width;
        let rows = rows.iter().map(|&row| row as usize).filter(|row| *row < count);
        let mut rows: Vec<(usize, ())> = rows.map(|row| (row, ())).collect();
        rows.sort_unstable();
        rows.dedup();
        let time = self.time;
        each_row(self.rows(rule, weights), &rows, &|row, ()| row.catch_up(rule, time));
    }

    /// Applies the updates that any row has missed.
    pub fn flush(&mut self, rule: &dyn UpdateRule, weights: &mut [f32]) {
        let all: Vec<(usize, ())> = (0..weights.len() / self.width).map(|row| (row, ())).collect();
        let time = self.time;
        each_row(self.rows(rule, weights), &all, &|row, ()| row.catch_up(rule, time));
    }

    fn rows<'a>(&'a mut self, rule: &dyn UpdateRule, weights: &'a mut [f32]) -> RowBlock<'a> {
        RowBlock {
            first: 0,
            width: self.width,
            moments_width: self.width * rule.moments(),
            weights,
            moments: &mut self.moments,
            last: self.last.as_deref_mut().unwrap_or_default(),
        }
    }

    /// Adds the slot to a checkpoint under `key`.
    pub fn save(&self, key: &str, saved: &mut Weights) {
        let mut add = |name: &str, array| saved.insert(format!("{key}.{name}"), array);
        add("sizes", whole_numbers(&[self.time, self.width as u32, self.reads_untracked.into()]));
        let moments = Array { shape: vec![self.moments.len()], values: self.moments.clone() };
        add("moments", moments);
        if let Some(last) = &self.last {
            add("last", whole_numbers(last));
        }
    }

    /// Takes the slot of a parameter of `len` weights out of a checkpoint, if there is one.
    ///
    /// # Errors
    /// A message, if it does not match.
    pub fn restore(
        key: &str,
        saved: &mut Weights,
        len: usize,
        moments: usize,
    ) -> Result<Option<Self>, String> {
        let mut take = |name: &str| saved.remove(&format!("{key}.{name}"));
        let (sizes, values, last) = (take("sizes"), take("moments"), take("last"));
        let (sizes, values) = match (sizes, values) {
            (None, None) => return Ok(None),
            (Some(sizes), Some(values)) => (sizes, values.values),
            _ => return Err(format!("{key}.sizes or {key}.moments is missing")),
        };
        let sizes = from_whole_numbers(sizes, &format!("{key}.sizes"))?;
        let &[time, width, reads_untracked] = sizes.as_slice() else {
            return Err(format!("{key}.sizes holds {} numbers, expected 3", sizes.len()));
        };
        if values.len() != len * moments {
            let (found, expected) = (values.len(), len * moments);
            return Err(format!("{key}.moments holds {found} numbers, expected {expected}"));
        }
        let last = last.map(|last| from_whole_numbers(last, &format!("{key}.last"))).transpose()?;
        let fits = match &last {
            Some(last) => {
                last.len() * width as usize == len && last.iter().all(|&last| last <= time)
            }
            None => width as usize == BLOCK,
        };
        if !fits {
            return Err(format!("{key}.last does not fit {key}.sizes"));
        }
        let (width, reads_untracked) = (width as usize, reads_untracked != 0);
        Ok(Some(Self { time, width, moments: values, last, reads_untracked }))
    }
}

fn whole_numbers(numbers: &[u32]) -> Array {
    let values = numbers.iter().flat_map(|&number| split(number)).collect();
    Array { shape: vec![numbers.len(), 2], values }
}

fn from_whole_numbers(array: Array, name: &str) -> Result<Vec<u32>, String> {
    let whole = |part: &f32| part.fract() == 0.0 && (0.0..65_536.0).contains(part);
    if !array.values.len().is_multiple_of(2) || !array.values.iter().all(whole) {
        return Err(format!("{name} does not hold whole numbers"));
    }
    Ok(array.values.chunks_exact(2).map(|pair| join([pair[0], pair[1]])).collect())
}
