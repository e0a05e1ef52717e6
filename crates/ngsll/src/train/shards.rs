//! The cutting of a batch into shards that go through the network in parallel.
//!
//! Threads then meet once in a step and not in every operation. Shards are as small as pays, however many
//! threads there are, and their results are added in order: the number of threads does not change
//! a bit.

use super::{Part, Trainer};
use crate::error::Result;
use rayon::prelude::*;

/// A shard of a batch.
pub(super) struct Shard {
    pub positions: Vec<usize>,
    /// Shard and step as one number for the random streams.
    pub key: u64,
}

impl Trainer<'_> {
    /// Runs `work` on each shard of a batch; the results are in the order of the shards.
    pub(super) fn each_shard<T: Send>(
        &self,
        positions: &[usize],
        step: usize,
        work: impl Fn(Shard) -> Result<T> + Sync + Send,
    ) -> Result<Vec<T>> {
        let shards =
            shards(positions, self.train.worthwhile(positions)).into_par_iter().enumerate();
        let work =
            |(shard, positions)| work(Shard { positions, key: (shard as u64) << 48 | step as u64 });
        shards.map(work).collect()
    }
}

impl Part<'_> {
    /// The number of samples at these positions that justify a shard.
    fn worthwhile(&self, positions: &[usize]) -> usize {
        let rows: Vec<usize> = positions.iter().map(|&position| self.rows[position]).collect();
        self.samples.worthwhile(&rows)
    }
}

/// Batches of at least twice as many samples are always cut in two: batches of small tables have no more.
const FEWEST: usize = 16;

/// The shards of a batch, of at least so many positions each. They are sorted by length: dealt out in turn, the
/// shards are equally long.
fn shards(positions: &[usize], worthwhile: usize) -> Vec<Vec<usize>> {
    let two = (positions.len() / FEWEST).min(2);
    let shards = (positions.len() / worthwhile).max(two).max(1);
    (0..shards)
        .map(|shard| positions.iter().skip(shard).step_by(shards).copied().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_hold_every_place_once_and_are_equally_large() {
        for (n, worthwhile, expected) in [
            (1, 16, 1),
            (15, 16, 1),
            (47, 16, 2),
            (128, 16, 8),
            (128, 1, 128),
            (3, 1, 3),
            (31, 64, 1),
            (32, 64, 2),
            (128, 64, 2),
            (512, 64, 8),
        ] {
            let positions: Vec<usize> = (100..100 + n).collect();
            let shards = shards(&positions, worthwhile);
            assert_eq!(shards.len(), expected);
            let sizes: Vec<usize> = shards.iter().map(Vec::len).collect();
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 1 && *least > 0, "{sizes:?}");
            let mut all = shards.concat();
            all.sort_unstable();
            assert_eq!(all, positions);
        }
    }
}
