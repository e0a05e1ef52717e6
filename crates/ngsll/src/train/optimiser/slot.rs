//! What an optimiser remembers of one parameter.

use super::{Array, Rule, Weights};
use crate::ops::embedding::{join, rows, split};
use rayon::prelude::*;

/// Weights that one thread updates at least.
const BLOCK: usize = 16_384;

/// Rows of a table that one thread updates at least, in the same pass.
const SHARE: usize = 64;

/// The moments of one parameter, block by block: of a table with sparse gradients a block is a row,
/// so that what an update reads lies together.
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
    /// Rows were read that nobody had named before: the table is not read by the batch's tokens, and
    /// from then on all its rows are made good before each step.
    unnamed: bool,
}

impl Slot {
    /// For `len` weights; `row` is the length of a table's row if its gradients are sparse.
    pub fn new(len: usize, row: Option<usize>, moments: usize) -> Self {
        Self {
            time: 0,
            width: row.unwrap_or(BLOCK),
            // Zeroed pages cost no memory before a row in them is touched.
            moments: vec![0.0; len * moments],
            last: row.map(|width| vec![0; len / width]),
            unnamed: false,
        }
    }

    pub fn is_sparse(&self) -> bool {
        self.last.is_some()
    }

    /// An update of all weights.
    pub fn update(&mut self, rule: &dyn Rule, weights: &mut [f32], gradient: &[f32]) {
        assert!(!self.is_sparse(), "a table's gradient is sparse in every step or in none");
        self.time += 1;
        let time = self.time;
        if weights.len() <= BLOCK {
            return rule.update(time, weights, &mut self.moments, gradient);
        }
        weights
            .par_chunks_mut(BLOCK)
            .zip(self.moments.par_chunks_mut(BLOCK * rule.moments()))
            .zip(gradient.par_chunks(BLOCK))
            .for_each(|((w, m), g)| rule.update(time, w, m, g));
    }

    /// An update of the rows in a sparse gradient.
    pub fn update_rows(&mut self, rule: &dyn Rule, weights: &mut [f32], gradient: &[f32]) {
        assert!(self.is_sparse(), "a table's gradient is sparse in every step or in none");
        let touched: Vec<(usize, &[f32])> = rows(gradient, self.width).collect();
        let last = self.last.as_deref().unwrap_or_default();
        self.unnamed |= touched.iter().any(|(row, _)| (1..self.time).contains(&last[*row]));
        self.time += 1;
        let time = self.time;
        each_row(self.rows(rule, weights), &touched, &|row, gradient| {
            if *row.last == 0 {
                // Written before they are read, pages of zeros are made once instead of twice.
                row.moments.fill(0.0);
            }
            row.catch_up(rule, time - 1);
            rule.update(time, row.weights, row.moments, gradient);
            *row.last = time;
        });
    }

    /// Makes good what these rows have missed.
    pub fn catch_up(&mut self, rule: &dyn Rule, weights: &mut [f32], rows: &[u32]) {
        if self.unnamed {
            return self.flush(rule, weights);
        }
        // A table that is read by other numbers than the batch's tokens may be shorter.
        let count = weights.len() / self.width;
        let rows = rows.iter().map(|&row| row as usize).filter(|row| *row < count);
        let mut rows: Vec<(usize, ())> = rows.map(|row| (row, ())).collect();
        rows.sort_unstable();
        rows.dedup();
        let time = self.time;
        each_row(self.rows(rule, weights), &rows, &|row, ()| row.catch_up(rule, time));
    }

    /// Makes good what all rows have missed.
    pub fn flush(&mut self, rule: &dyn Rule, weights: &mut [f32]) {
        let all: Vec<(usize, ())> = (0..weights.len() / self.width).map(|row| (row, ())).collect();
        let time = self.time;
        each_row(self.rows(rule, weights), &all, &|row, ()| row.catch_up(rule, time));
    }

    fn rows<'a>(&'a mut self, rule: &dyn Rule, weights: &'a mut [f32]) -> Rows<'a> {
        Rows {
            first: 0,
            width: self.width,
            size: self.width * rule.moments(),
            weights,
            moments: &mut self.moments,
            last: self.last.as_deref_mut().unwrap_or_default(),
        }
    }

    /// Adds the slot to a checkpoint under `key`.
    pub fn save(&self, key: &str, saved: &mut Weights) {
        let mut add = |name: &str, array| saved.insert(format!("{key}.{name}"), array);
        add("sizes", whole_numbers(&[self.time, self.width as u32, self.unnamed.into()]));
        let moments = Array { shape: vec![self.moments.len()], values: self.moments.clone() };
        add("moments", moments);
        if let Some(last) = &self.last {
            add("last", whole_numbers(last));
        }
    }

    /// Takes the slot of a parameter of `len` weights out of a checkpoint, if there is one; what is
    /// wrong with it, if it does not fit.
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
        let &[time, width, unnamed] = sizes.as_slice() else {
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
        Ok(Some(Self { time, width: width as usize, moments: values, last, unnamed: unnamed != 0 }))
    }
}

/// Neighbouring rows of a table.
struct Rows<'a> {
    /// The number of the first.
    first: usize,
    /// Weights and moments per row.
    width: usize,
    size: usize,
    weights: &'a mut [f32],
    moments: &'a mut [f32],
    last: &'a mut [u32],
}

/// One row of a table.
struct Row<'a> {
    weights: &'a mut [f32],
    moments: &'a mut [f32],
    last: &'a mut u32,
}

impl Rows<'_> {
    /// Those before row `at`, and the others.
    fn split_at(self, at: usize) -> (Self, Self) {
        let Self { first, width, size, .. } = self;
        let (weights, weights_after) = self.weights.split_at_mut((at - first) * width);
        let (moments, moments_after) = self.moments.split_at_mut((at - first) * size);
        let (last, last_after) = self.last.split_at_mut(at - first);
        let before = Self { first, width, size, weights, moments, last };
        let (weights, moments, last) = (weights_after, moments_after, last_after);
        (before, Self { first: at, width, size, weights, moments, last })
    }

    fn row(&mut self, row: usize) -> Row<'_> {
        let at = row - self.first;
        Row {
            weights: &mut self.weights[at * self.width..][..self.width],
            moments: &mut self.moments[at * self.size..][..self.size],
            last: &mut self.last[at],
        }
    }
}

impl Row<'_> {
    /// Makes good what the row has missed up to update `time`.
    fn catch_up(&mut self, rule: &dyn Rule, time: u32) {
        if (1..time).contains(self.last) {
            rule.rest(*self.last, time, self.weights, self.moments);
            *self.last = time;
        }
    }
}

/// Runs `work` on the listed rows, in ascending order of their numbers, on several threads.
fn each_row<T: Sync>(
    mut table: Rows<'_>,
    listed: &[(usize, T)],
    work: &(impl Fn(&mut Row<'_>, &T) + Sync),
) {
    if listed.len() <= SHARE {
        listed.iter().for_each(|(row, with)| work(&mut table.row(*row), with));
        return;
    }
    let (left, right) = listed.split_at(listed.len() / 2);
    let (before, after) = table.split_at(right[0].0);
    rayon::join(|| each_row(before, left, work), || each_row(after, right, work));
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
