//! The strength of regularisation of a linear model, by cross-validation.

use super::LinearData;
use crate::random::{Purpose, stream};
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// Parts of which each is predicted from the others once, and how often all rows are split: few rows
/// twice, as a single split would depend much on chance.
pub(crate) const FOLDS: usize = 5;
const FEW_ROWS: usize = 2000;
const REPEATS: u64 = 2;

/// More rows than this add no information about the strength.
const MOST_ROWS: usize = 6000;

/// Penalties to try, from the strongest on: half the sum of squares times this, beside the mean loss.
const PENALTIES: [f64; 9] = [3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003];

/// How easily the functions of numbers may bend, relative to being steep; with the first they are lines.
const BENDS: [f64; 4] = [0.0, 0.3, 1.0, 3.0];

/// The share of the loss that functions that bend must gain.
const WORTHWHILE: f64 = 0.002;

/// The freedom of the weights of a linear model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Strength {
    /// Number of penalties on the path.
    penalties: usize,
    /// How easily functions of numbers bend; 0 keeps them linear.
    pub bends: f64,
}

impl Strength {
    /// The first `penalties` penalties, with this bend.
    pub fn new(penalties: usize, bends: f64) -> Self {
        Self { penalties, bends }
    }

    pub(super) fn path(self) -> &'static [f64] {
        &PENALTIES[..self.penalties]
    }
}

impl LinearData<'_> {
    /// The strength with the least loss on held-out rows.
    pub fn best_strength(&self, seed: u64) -> Strength {
        self.best_of(seed, &BENDS)
    }

    /// The strength with the least loss among linear functions.
    pub fn best_straight(&self, seed: u64) -> Strength {
        self.best_of(seed, &BENDS[..1])
    }

    fn best_of(&self, seed: u64, bends: &[f64]) -> Strength {
        let mut all: Vec<usize> = (0..self.targets.len()).collect();
        let repeats = if all.len() < FEW_ROWS { REPEATS } else { 1 };
        if all.len() > MOST_ROWS {
            all.shuffle(&mut stream(seed, Purpose::Split, 3, 0));
            all.truncate(MOST_ROWS);
        }
        let folds: Vec<Fold> =
            (0..repeats).flat_map(|repeat| folds(&all, FOLDS, seed, repeat)).collect();
        let tried: Vec<(f64, &Fold)> =
            bends.iter().flat_map(|&bends| folds.iter().map(move |fold| (bends, fold))).collect();
        let losses = |&(bends, (train, held)): &(f64, &Fold)| -> Vec<f64> {
            let path = self.fit_path(train, Strength::new(PENALTIES.len(), bends));
            path.iter().map(|model| self.loss(model, held, None)).collect()
        };
        let losses: Vec<Vec<f64>> = tried.par_iter().map(losses).collect();
        // For each way to bend, the best penalty and its loss, summed over the folds.
        let best_penalty = |losses: &[Vec<f64>]| {
            let sum = |i: usize| losses.iter().map(|losses| losses[i]).sum::<f64>();
            let best = (0..PENALTIES.len()).map(|i| (i, sum(i)));
            best.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are penalties")
        };
        let of_bends: Vec<(usize, f64)> = losses.chunks(folds.len()).map(best_penalty).collect();
        let straight = of_bends[0].1;
        let better =
            (1..bends.len()).filter(|&i| of_bends[i].1 < straight - WORTHWHILE * straight.abs());
        let best = better.min_by(|&a, &b| of_bends[a].1.total_cmp(&of_bends[b].1)).unwrap_or(0);
        Strength::new(1 + of_bends[best].0, bends[best])
    }
}

/// The rows to fit and those held out.
type Fold = (Vec<usize>, Vec<usize>);

/// The rows in random parts of about the same size: for each part, the others and itself.
pub(crate) fn folds(rows: &[usize], parts: usize, seed: u64, repeat: u64) -> Vec<Fold> {
    let mut order = rows.to_vec();
    order.shuffle(&mut stream(seed, Purpose::Split, 1, repeat));
    let folds = parts.min(order.len());
    let of = |fold: usize| {
        let (held, others): (Vec<_>, Vec<_>) =
            order.iter().enumerate().partition(|(i, _)| i % folds == fold);
        let rows = |part: Vec<(usize, &usize)>| part.into_iter().map(|(_, &row)| row).collect();
        (rows(others), rows(held))
    };
    (0..folds).map(of).collect()
}
