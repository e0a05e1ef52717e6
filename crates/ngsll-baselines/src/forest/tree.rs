//! One tree: grown on a bootstrap sample, kept as a flat list of nodes.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::levels::Levels;
use ngsll::random::{Purpose, stream};

/// Marks a leaf in `Node::feature`.
const LEAF: u32 = u32::MAX;

/// A split, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// The feature that decides, or `LEAF`.
    feature: u32,
    /// Up to here to the left.
    threshold: f32,
    /// The left child, which the right one follows; of a leaf its place in the shares.
    next: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree {
    n_classes: usize,
    nodes: Vec<Node>,
    /// Class shares of leaves: `[.., n_classes]`. The first n_classes lines are those of pure
    /// leaves, which is what nearly all leaves are.
    shares: Vec<f64>,
}

impl Tree {
    /// The class shares of the leaf that each row falls into. Every step down waits for memory;
    /// with several rows at once the waits overlap.
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

    /// The feature that decides first.
    #[cfg(test)]
    pub(super) fn root(&self) -> u32 {
        self.nodes[0].feature
    }

    /// Grows tree number `tree` of the forest with this seed until its leaves are pure, or their
    /// rows equal.
    pub(super) fn grow(
        levels: &[Levels],
        classes: &[usize],
        n_classes: usize,
        seed: u64,
        tree: u64,
    ) -> Self {
        let mut rng = stream(seed, Purpose::Sample, tree, 0);
        let mut samples = bootstrap(classes, &mut rng);
        let mut finder = Finder::new(levels, n_classes);
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
            let feature = &levels[split.feature];
            let left = partition(samples, |s| feature.of_row[s.row as usize] <= split.left);
            let next = grown.nodes.len();
            grown.nodes[node] = Node {
                feature: split.feature as u32,
                threshold: feature.between(split.left, split.right),
                next: next as u32,
            };
            grown.nodes.extend([Node { feature: LEAF, threshold: 0.0, next: 0 }; 2]);
            let middle = range.start + left;
            open.push((next + 1, middle..range.end));
            open.push((next, range.start..middle));
        }
        grown
    }

    /// The place of a leaf's shares.
    fn leaf(&mut self, counts: &[u64]) -> u32 {
        let total: u64 = counts.iter().sum();
        if let Some(class) = counts.iter().position(|&count| count == total) {
            return class as u32;
        }
        let place = self.shares.len() / self.n_classes;
        self.shares.extend(counts.iter().map(|&count| count as f64 / total as f64));
        place as u32
    }
}

/// A row of the bootstrap sample.
#[derive(Debug, Clone, Copy)]
struct Sample {
    row: u32,
    class: u32,
    /// How often it was drawn.
    times: u32,
}

/// As many draws as there are rows, with replacement.
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

fn count(samples: &[Sample], n_classes: usize) -> Vec<u64> {
    let mut counts = vec![0; n_classes];
    samples.iter().for_each(|s| counts[s.class as usize] += u64::from(s.times));
    counts
}

/// Brings the samples of which `goes_left` is true to the front, and says how many they are.
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

/// Rows whose level of `feature` is at most `left` go left; `right` is the next level up that
/// occurs.
#[derive(Debug, Clone, Copy)]
struct Split {
    feature: usize,
    left: u32,
    right: u32,
}

/// Searches for splits; keeps its memory from node to node.
struct Finder<'a> {
    levels: &'a [Levels],
    n_classes: usize,
    /// All features, in the order left by the last draws.
    features: Vec<usize>,
    /// Draws by level and class, all zero between searches.
    histogram: Vec<u32>,
    keys: Vec<u64>,
}

impl<'a> Finder<'a> {
    fn new(levels: &'a [Levels], n_classes: usize) -> Self {
        let most = levels.iter().map(|levels| levels.values.len()).max().unwrap_or(0);
        Self {
            levels,
            n_classes,
            features: (0..levels.len()).collect(),
            histogram: vec![0; most * n_classes],
            keys: Vec::new(),
        }
    }

    /// The best split by one of √d features drawn at random; more are drawn while all of them are
    /// constant. None where the samples do not differ.
    fn best(&mut self, samples: &[Sample], counts: &[u64], rng: &mut ChaCha8Rng) -> Option<Split> {
        let d = self.features.len();
        let (mut best, mut quality) = (None, f64::NEG_INFINITY);
        for drawn in 0..d {
            if drawn >= d.isqrt() && best.is_some() {
                break;
            }
            let pick = rng.random_range(drawn..d);
            self.features.swap(drawn, pick);
            let feature = self.features[drawn];
            let mut sweep = Sweep::new(counts);
            let mut tell = |left: u32, right: u32, found: f64| {
                if found > quality {
                    quality = found;
                    best = Some(Split { feature, left, right });
                }
            };
            // Counting walks over all levels of the feature, sorting only over these samples'.
            if samples.len() * 8 > self.levels[feature].values.len() {
                self.by_counting(samples, feature, &mut sweep, &mut tell);
            } else {
                self.by_sorting(samples, feature, &mut sweep, &mut tell);
            }
        }
        best
    }

    fn by_counting(
        &mut self,
        samples: &[Sample],
        feature: usize,
        sweep: &mut Sweep,
        tell: &mut impl FnMut(u32, u32, f64),
    ) {
        let of_row = &self.levels[feature].of_row;
        let (mut low, mut high) = (u32::MAX, 0);
        for sample in samples {
            let level = of_row[sample.row as usize];
            (low, high) = (low.min(level), high.max(level));
            self.histogram[level as usize * self.n_classes + sample.class as usize] += sample.times;
        }
        let mut before = low;
        for level in low..=high {
            let cells = &mut self.histogram[level as usize * self.n_classes..][..self.n_classes];
            if cells.iter().all(|&times| times == 0) {
                continue;
            }
            if level > low {
                tell(before, level, sweep.quality());
            }
            for (class, times) in cells.iter_mut().enumerate() {
                sweep.go_left(class, u64::from(std::mem::take(times)));
            }
            before = level;
        }
    }

    fn by_sorting(
        &mut self,
        samples: &[Sample],
        feature: usize,
        sweep: &mut Sweep,
        tell: &mut impl FnMut(u32, u32, f64),
    ) {
        let of_row = &self.levels[feature].of_row;
        let key = |(at, s): (usize, &Sample)| u64::from(of_row[s.row as usize]) << 32 | at as u64;
        self.keys.clear();
        self.keys.extend(samples.iter().enumerate().map(key));
        self.keys.sort_unstable();
        let mut before = (self.keys[0] >> 32) as u32;
        for key in &self.keys {
            let (level, sample) = ((key >> 32) as u32, samples[*key as u32 as usize]);
            if level > before {
                tell(before, level, sweep.quality());
                before = level;
            }
            sweep.go_left(sample.class as usize, u64::from(sample.times));
        }
    }
}

/// Draws of each class on both sides while a threshold moves up, with what Gini impurity needs.
struct Sweep {
    left: Vec<u64>,
    right: Vec<u64>,
    left_total: u64,
    right_total: u64,
    /// Σ of the squared counts of each side.
    left_squares: u64,
    right_squares: u64,
}

impl Sweep {
    fn new(counts: &[u64]) -> Self {
        Self {
            left: vec![0; counts.len()],
            right: counts.to_vec(),
            left_total: 0,
            right_total: counts.iter().sum(),
            left_squares: 0,
            right_squares: counts.iter().map(|count| count * count).sum(),
        }
    }

    fn go_left(&mut self, class: usize, times: u64) {
        let (left, right) = (&mut self.left[class], &mut self.right[class]);
        self.left_squares += times * (2 * *left + times);
        self.right_squares -= times * (2 * *right - times);
        *left += times;
        *right -= times;
        self.left_total += times;
        self.right_total -= times;
    }

    /// Higher is better: what the weighted Gini impurity of the two sides takes off a constant.
    fn quality(&self) -> f64 {
        self.left_squares as f64 / self.left_total as f64
            + self.right_squares as f64 / self.right_total as f64
    }
}
