//! A few of many: the largest, or a fair sample.

use ngsll::random::{Purpose, stream};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The items with the largest keys, at most `most`; among equal keys the earlier item stays.
pub(super) struct Largest<T> {
    most: usize,
    items: Vec<(f64, T)>,
}

impl<T> Largest<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, items: Vec::new() }
    }

    /// Offers an item, which is only constructed if it is kept.
    pub(super) fn offer(&mut self, key: f64, item: impl FnOnce() -> T) {
        let index = self.items.partition_point(|(other, _)| other.total_cmp(&key).is_ge());
        if index < self.most {
            self.items.truncate(self.most - 1);
            self.items.insert(index, (key, item()));
        }
    }

    /// The items, largest key first.
    pub(super) fn into_items(self) -> impl Iterator<Item = T> {
        self.items.into_iter().map(|(_, item)| item)
    }
}

/// A sample of at most `most` items in which every item offered is equally likely to be.
pub(super) struct Reservoir<T> {
    most: usize,
    offered: usize,
    items: Vec<T>,
    rng: ChaCha8Rng,
}

impl<T> Reservoir<T> {
    /// An empty sample; `number` distinguishes the samples of one seed.
    pub(super) fn new(most: usize, seed: u64, number: u64) -> Self {
        let rng = stream(seed, Purpose::Sample, number, 0);
        Self { most, offered: 0, items: Vec::new(), rng }
    }

    /// Offers an item, which is only constructed if it is kept.
    pub(super) fn offer(&mut self, item: impl FnOnce() -> T) {
        self.offered += 1;
        if self.items.len() < self.most {
            self.items.push(item());
            return;
        }
        let index = self.rng.random_range(0..self.offered);
        if let Some(kept) = self.items.get_mut(index) {
            *kept = item();
        }
    }

    /// The sample in random order, so that its first items are a sample, too.
    pub(super) fn into_items(mut self) -> Vec<T> {
        self.items.shuffle(&mut self.rng);
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stay_and_the_earlier_of_equals() {
        let mut largest = Largest::new(3);
        let mut made = 0;
        for (i, key) in [2.0, 5.0, 1.0, 5.0, 2.0, 0.5].into_iter().enumerate() {
            largest.offer(key, || {
                made += 1;
                (i, key)
            });
        }
        assert_eq!(largest.into_items().collect::<Vec<_>>(), [(1, 5.0), (3, 5.0), (0, 2.0)]);
        assert_eq!(made, 4, "what is not kept is not made");
        let mut none = Largest::new(0);
        none.offer(1.0, || panic!("nothing is kept"));
        assert_eq!(none.into_items().count(), 0);
    }

    #[test]
    fn a_reservoir_is_bounded_fair_and_the_same_for_a_seed() {
        let sample = |seed: u64| {
            let mut reservoir = Reservoir::new(10, seed, 1);
            (0..100).for_each(|i| reservoir.offer(|| i));
            reservoir.into_items()
        };
        assert_eq!(sample(3), sample(3));
        let mut counts = [0_u32; 100];
        for seed in 0..2000 {
            let items = sample(seed);
            assert_eq!(items.len(), 10);
            items.into_iter().take(5).for_each(|i: usize| counts[i] += 1);
        }
        // Of the first five, too: each is expected 100 times, standard deviation 9.7; six on either side.
        assert!(counts.iter().all(|&count| (42..158).contains(&count)), "{counts:?}");
    }
}
