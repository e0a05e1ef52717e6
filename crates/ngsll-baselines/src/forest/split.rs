//! The search for the best split of a node.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::levels::Levels;

/// A row of the bootstrap sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) row: u32,
    pub(super) class: u32,
    /// The number of times it was drawn.
    pub(super) times: u32,
}

/// Rows whose level of a feature is at most `left` go left; `right` is the next higher level that
/// occurs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threshold {
    pub(super) left: u32,
    pub(super) right: u32,
    /// Higher is better.
    quality: f64,
}

/// A threshold on a feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) feature: usize,
    pub(super) threshold: Threshold,
}

/// Searches for splits, with buffers that are reused from node to node.
pub(super) struct SplitFinder<'a> {
    levels: &'a [Levels],
    n_classes: usize,
    /// All features, in the order the last draws left them.
    features: Vec<usize>,
    /// Draws per level and class, all zero between searches: `[levels, n_classes]`.
    histogram: Vec<u32>,
    /// Levels and positions of the samples, packed for sorting.
    keys: Vec<u64>,
}

impl<'a> SplitFinder<'a> {
    pub(super) fn new(levels: &'a [Levels], n_classes: usize) -> Self {
        let max_levels = levels.iter().map(|levels| levels.values.len()).max().unwrap_or(0);
        Self {
            levels,
            n_classes,
            features: (0..levels.len()).collect(),
            histogram: vec![0; max_levels * n_classes],
            keys: Vec::new(),
        }
    }

    /// The best split on one of √d features drawn at random; more are drawn while all of them are
    /// constant. None if the samples do not differ.
    pub(super) fn best(
        &mut self,
        samples: &[Sample],
        counts: &[u64],
        rng: &mut ChaCha8Rng,
    ) -> Option<Split> {
        let d = self.features.len();
        let mut best: Option<Split> = None;
        for drawn in 0..d {
            if drawn >= d.isqrt() && best.is_some() {
                break;
            }
            let pick = rng.random_range(drawn..d);
            self.features.swap(drawn, pick);
            let feature = self.features[drawn];
            // Counting visits all levels of the feature, sorting only those of these samples.
            let threshold = match samples.len() * 8 > self.levels[feature].values.len() {
                true => self.by_counting(samples, feature, counts),
                false => self.by_sorting(samples, feature, counts),
            };
            if let Some(threshold) = threshold
                && best.is_none_or(|best| threshold.quality > best.threshold.quality)
            {
                best = Some(Split { feature, threshold });
            }
        }
        best
    }

    /// The best threshold, by counting the draws of each level.
    fn by_counting(&mut self, samples: &[Sample], j: usize, counts: &[u64]) -> Option<Threshold> {
        let of_row = &self.levels[j].of_row;
        let (mut low, mut high) = (u32::MAX, 0);
        for sample in samples {
            let level = of_row[sample.row as usize];
            (low, high) = (low.min(level), high.max(level));
            self.histogram[level as usize * self.n_classes + sample.class as usize] += sample.times;
        }
        let mut sweep = GiniSweep::new(counts, low);
        for level in low..=high {
            let draws = &mut self.histogram[level as usize * self.n_classes..][..self.n_classes];
            if draws.iter().all(|&times| times == 0) {
                continue;
            }
            sweep.rise_to(level);
            for (class, times) in draws.iter_mut().enumerate() {
                sweep.move_left(class, u64::from(std::mem::take(times)));
            }
        }
        sweep.best
    }

    /// The best threshold, by sorting the samples.
    fn by_sorting(&mut self, samples: &[Sample], j: usize, counts: &[u64]) -> Option<Threshold> {
        let of_row = &self.levels[j].of_row;
        let key = |(at, s): (usize, &Sample)| u64::from(of_row[s.row as usize]) << 32 | at as u64;
        self.keys.clear();
        self.keys.extend(samples.iter().enumerate().map(key));
        self.keys.sort_unstable();
        let mut sweep = GiniSweep::new(counts, (self.keys[0] >> 32) as u32);
        for key in &self.keys {
            let (level, sample) = ((key >> 32) as u32, samples[*key as u32 as usize]);
            sweep.rise_to(level);
            sweep.move_left(sample.class as usize, u64::from(sample.times));
        }
        sweep.best
    }
}

/// Draws per class on both sides of a rising threshold, and the sums that Gini impurity needs.
struct GiniSweep {
    left: Vec<u64>,
    right: Vec<u64>,
    left_total: u64,
    right_total: u64,
    /// Σ of the squared counts of each side.
    left_squares: u64,
    right_squares: u64,
    /// The highest level that is on the left.
    level: u32,
    /// The best threshold so far.
    best: Option<Threshold>,
}

impl GiniSweep {
    /// All draws are on the right; `level` is the lowest level that occurs.
    fn new(counts: &[u64], level: u32) -> Self {
        Self {
            left: vec![0; counts.len()],
            right: counts.to_vec(),
            left_total: 0,
            right_total: counts.iter().sum(),
            left_squares: 0,
            right_squares: counts.iter().map(|count| count * count).sum(),
            level,
            best: None,
        }
    }

    /// Considers the threshold between the current level, if it is lower, and `level`.
    fn rise_to(&mut self, level: u32) {
        if level == self.level {
            return;
        }
        let quality = self.quality();
        if self.best.is_none_or(|best| quality > best.quality) {
            self.best = Some(Threshold { left: self.level, right: level, quality });
        }
        self.level = level;
    }

    /// Moves `times` draws of a class from the right side to the left.
    fn move_left(&mut self, class: usize, times: u64) {
        let (left, right) = (&mut self.left[class], &mut self.right[class]);
        self.left_squares += times * (2 * *left + times);
        self.right_squares -= times * (2 * *right - times);
        *left += times;
        *right -= times;
        self.left_total += times;
        self.right_total -= times;
    }

    /// Higher is better: a constant minus the weighted Gini impurity of both sides.
    fn quality(&self) -> f64 {
        self.left_squares as f64 / self.left_total as f64
            + self.right_squares as f64 / self.right_total as f64
    }
}
