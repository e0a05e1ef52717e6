//! What an optimiser remembers of one parameter.

use super::{Array, Rule, Weights};
use crate::ops::embedding::{join, rows, split};
use rayon::prelude::*;

/// Weights that one thread updates at least.
const BLOCK: usize = 16_384;

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
        let touched: Vec<u32> = rows(gradient, self.width).map(|(row, _)| row as u32).collect();
        self.catch_up(rule, weights, &touched);
        self.time += 1;
        let last = self.last.as_mut();
        let last = last.expect("a table's gradient is sparse in every step or in none");
        let size = self.width * rule.moments();
        for (row, gradient) in rows(gradient, self.width) {
            let weights = &mut weights[row * self.width..][..self.width];
            let moments = &mut self.moments[row * size..][..size];
            rule.update(self.time, weights, moments, gradient);
            last[row] = self.time;
        }
    }

    /// Makes good what the rows have missed.
    pub fn catch_up(&mut self, rule: &dyn Rule, weights: &mut [f32], rows: &[u32]) {
        let Some(last) = &mut self.last else { return };
        let size = self.width * rule.moments();
        for row in rows.iter().map(|&row| row as usize) {
            if (1..self.time).contains(&last[row]) {
                let weights = &mut weights[row * self.width..][..self.width];
                let moments = &mut self.moments[row * size..][..size];
                rule.rest(last[row], self.time, weights, moments);
                last[row] = self.time;
            }
        }
    }

    /// Makes good what all rows have missed.
    pub fn flush(&mut self, rule: &dyn Rule, weights: &mut [f32]) {
        let Some(last) = &mut self.last else { return };
        let (time, width) = (self.time, self.width);
        weights
            .par_chunks_exact_mut(width)
            .zip(self.moments.par_chunks_exact_mut(width * rule.moments()))
            .zip(last)
            .with_min_len(BLOCK.div_ceil(width))
            .filter(|(_, last)| (1..time).contains(*last))
            .for_each(|((weights, moments), last)| {
                rule.rest(*last, time, weights, moments);
                *last = time;
            });
    }

    /// Adds the slot to a checkpoint under `key`.
    pub fn save(&self, key: &str, saved: &mut Weights) {
        let mut add = |name: &str, array| saved.insert(format!("{key}.{name}"), array);
        add("sizes", whole_numbers(&[self.time, self.width as u32]));
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
        let &[time, width] = sizes.as_slice() else {
            return Err(format!("{key}.sizes holds {} numbers, expected 2", sizes.len()));
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
        Ok(Some(Self { time, width: width as usize, moments: values, last }))
    }
}

fn whole_numbers(numbers: &[u32]) -> Array {
    let values = numbers.iter().flat_map(|&number| split(number)).collect();
    Array { shape: vec![numbers.len(), 2], values }
}

fn from_whole_numbers(array: Array, name: &str) -> Result<Vec<u32>, String> {
    let whole = |part: &f32| part.fract() == 0.0 && (0.0..65_536.0).contains(part);
    if array.values.len() % 2 != 0 || !array.values.iter().all(whole) {
        return Err(format!("{name} does not hold whole numbers"));
    }
    Ok(array.values.chunks_exact(2).map(|pair| join([pair[0], pair[1]])).collect())
}
