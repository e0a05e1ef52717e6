//! A decision tree, grown on a bootstrap sample and stored as a flat list of nodes.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::levels::Levels;
use super::split::{Sample, SplitFinder};
use ngsll::random::{Purpose, stream};

/// Marks a leaf in `Node::feature`.
const LEAF: u32 = u32::MAX;

/// A split, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// The feature that is compared, or `LEAF`.
    feature: u32,
    /// Values up to this one go left.
    threshold: f32,
    /// The left child, with the right one behind it; for a leaf the position of its shares.
    next: u32,
}

/// A fitted tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    n_classes: usize,
    nodes: Vec<Node>,
    /// Class shares of leaves: `[.., n_classes]`. The first `n_classes` rows are those of pure
    /// leaves, which nearly all leaves share.
    shares: Vec<f64>,
}

impl Tree {
    /// The class shares of the leaf each row falls into. Every step down waits for memory; with
    /// several rows at a time the waits overlap.
    pub(super) fn shares<const N: usize>(&self, rows: [&[f32]; N]) -> [&[f64]; N] {
        let mut nodes = [self.nodes[0]; N];
        while nodes.iter().any(|node| node.feature != LEAF) {
            for (node, row) in nodes.iter_mut().zip(rows) {
                if node.feature != LEAF {
                    let right = row[node.feature as usize] > node.threshold;
                    *node = self.nodes[node.next as usize + usize::from(right)];
                }
            }
        }
        nodes.map(|node| &self.shares[node.next as usize * self.n_classes..][..self.n_classes])
    }

    /// The feature of the root.
    #[cfg(test)]
    pub(super) fn root(&self) -> u32 {
        self.nodes[0].feature
    }

    /// Grows tree number `tree` of the forest with this seed, until each leaf is pure or all its rows
    /// are equal.
    pub(super) fn grow(
        levels: &[Levels],
        classes: &[usize],
        n_classes: usize,
        seed: u64,
        tree: u64,
    ) -> Self {
        let mut rng = stream(seed, Purpose::Sample, tree, 0);
        let mut samples = bootstrap(classes, &mut rng);
        let mut finder = SplitFinder::new(levels, n_classes);
        let pure = (0..n_classes * n_classes).map(|at| at / n_classes == at % n_classes);
        let mut grown = Self {
            n_classes,
            nodes: vec![Node { feature: LEAF, threshold: 0.0, next: 0 }],
            shares: pure.map(|is| f64::from(u8::from(is))).collect(),
        };
        let mut open = vec![(0, 0..samples.len())];
        while let Some((node, range)) = open.pop() {
            let samples = &mut samples[range.clone()];
            let counts = count(samples, n_classes);
            let split = match counts.iter().filter(|count| **count > 0).count() {
                1 => None,
                _ => finder.best(samples, &counts, &mut rng),
            };
            let Some(split) = split else {
                grown.nodes[node].next = grown.leaf(&counts);
                continue;
            };
            let (feature, threshold) = (&levels[split.feature], split.threshold);
            let left = partition(samples, |s| feature.of_row[s.row as usize] <= threshold.left);
            let next = grown.nodes.len();
            grown.nodes[node] = Node {
                feature: split.feature as u32,
                threshold: feature.between(threshold.left, threshold.right),
                next: next as u32,
            };
            grown.nodes.extend([Node { feature: LEAF, threshold: 0.0, next: 0 }; 2]);
            let middle = range.start + left;
            open.push((next + 1, middle..range.end));
            open.push((next, range.start..middle));
        }
        grown
    }

    /// The position of a leaf's shares, which are added unless it is pure.
    fn leaf(&mut self, counts: &[u64]) -> u32 {
        let total: u64 = counts.iter().sum();
        if let Some(class) = counts.iter().position(|&count| count == total) {
            return class as u32;
        }
        let position = self.shares.len() / self.n_classes;
        self.shares.extend(counts.iter().map(|&count| count as f64 / total as f64));
        position as u32
    }
}

/// Draws as many rows as there are, with replacement.
fn bootstrap(classes: &[usize], rng: &mut ChaCha8Rng) -> Vec<Sample> {
    let mut times = vec![0; classes.len()];
    for _ in 0..classes.len() {
        times[rng.random_range(0..classes.len())] += 1;
    }
    let sample = |(row, times): (usize, u32)| {
        (times > 0).then_some(Sample { row: row as u32, class: classes[row] as u32, times })
    };
    times.into_iter().enumerate().filter_map(sample).collect()
}

/// Draws per class.
fn count(samples: &[Sample], n_classes: usize) -> Vec<u64> {
    let mut counts = vec![0; n_classes];
    samples.iter().for_each(|s| counts[s.class as usize] += u64::from(s.times));
    counts
}

/// Moves the samples that go left to the front, and returns their number.
fn partition(samples: &mut [Sample], goes_left: impl Fn(&Sample) -> bool) -> usize {
    let mut left = 0;
    for at in 0..samples.len() {
        if goes_left(&samples[at]) {
            samples.swap(left, at);
            left += 1;
        }
    }
    left
}
