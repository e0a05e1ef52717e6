//! The probability from which on the second of two classes is predicted, if the two errors have different
//! costs.

use super::Metrics;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The costs of the two errors in predictions of two classes, in any unit. The second class is the positive
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    false_positive: f64,
    false_negative: f64,
}

/// Right and wrong predictions of two classes; the second class is the positive one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TwoClassCounts {
    /// Positives that were found.
    pub true_positives: u64,
    /// Negatives predicted to be positive.
    pub false_positives: u64,
    /// Positives that were missed.
    pub false_negatives: u64,
    /// Negatives predicted to be negative.
    pub true_negatives: u64,
}

impl Costs {
    /// Costs of at least 0, at least one of them positive.
    pub fn new(false_positive: f64, false_negative: f64) -> Result<Self> {
        let costs =
            [("cost_false_positive", false_positive), ("cost_false_negative", false_negative)];
        for (name, cost) in costs {
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(Error::setting(name, cost, "expected a number of at least 0"));
            }
        }
        if false_positive + false_negative == 0.0 {
            let expected = "if no error costs anything, every threshold is equally good";
            return Err(Error::setting(
                "cost_false_positive + cost_false_negative",
                "0 + 0",
                expected,
            ));
        }
        Ok(Self { false_positive, false_negative })
    }

    /// The cost of a false positive.
    pub fn false_positive(&self) -> f64 {
        self.false_positive
    }

    /// The cost of a false negative.
    pub fn false_negative(&self) -> f64 {
        self.false_negative
    }

    /// The total cost of these errors.
    pub fn of(&self, counts: &TwoClassCounts) -> f64 {
        self.false_positive * counts.false_positives as f64
            + self.false_negative * counts.false_negatives as f64
    }

    /// The threshold with the least cost on samples whose second class has these probabilities and which
    /// belong to it or not. Among several of the same cost, the one closest to the optimum for true
    /// probabilities, cost of a false positive / sum of the costs; a round number if one is as good.
    ///
    /// ```
    /// use ngsll::metrics::Costs;
    /// let costs = Costs::new(1.0, 3.0)?;
    /// let threshold = costs.best_threshold(&[0.1, 0.3, 0.4, 0.7], &[false, true, false, true]);
    /// assert_eq!(threshold, 0.25);
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn best_threshold(&self, probabilities: &[f64], positive: &[bool]) -> f64 {
        let ideal = self.false_positive / (self.false_positive + self.false_negative);
        let mut order: Vec<usize> = (0..probabilities.len()).collect();
        order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
        // From "all are positive" upwards: each step removes the samples of one probability.
        let mut counts = TwoClassCounts::default();
        positive.iter().for_each(|&positive| counts.add(positive, true));
        let mut low = 0.0;
        let mut best: Option<(f64, f64, f64)> = None;
        let mut offer = |counts: &TwoClassCounts, low: f64, high: f64| {
            let threshold = within(low, high, ideal);
            let (cost, distance) = (self.of(counts), (threshold - ideal).abs());
            if best.is_none_or(|(least, next, _)| (cost, distance) < (least, next)) {
                best = Some((cost, distance, threshold));
            }
        };
        for ties in order.chunk_by(|&a, &b| probabilities[a] == probabilities[b]) {
            let high = probabilities[ties[0]];
            if low < high {
                offer(&counts, low, high);
            }
            for &i in ties {
                counts.remove(positive[i], true);
                counts.add(positive[i], false);
            }
            low = high;
        }
        offer(&counts, low, 1.0_f64.next_up());
        best.map_or(ideal, |(_, _, threshold)| threshold)
    }
}

impl TwoClassCounts {
    /// Those of an evaluation; `None` unless there are two classes.
    pub fn of(metrics: &Metrics) -> Option<Self> {
        let [first, second] = metrics.by_class.as_slice() else { return None };
        Some(Self {
            true_positives: second.right,
            false_positives: first.n - first.right,
            false_negatives: second.n - second.right,
            true_negatives: first.right,
        })
    }

    /// Counts a sample.
    pub fn add(&mut self, positive: bool, predicted: bool) {
        *self.count_mut(positive, predicted) += 1;
    }

    fn remove(&mut self, positive: bool, predicted: bool) {
        *self.count_mut(positive, predicted) -= 1;
    }

    fn count_mut(&mut self, positive: bool, predicted: bool) -> &mut u64 {
        match (positive, predicted) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        }
    }

    /// Samples counted.
    pub fn n(&self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }
}

/// A threshold in `low..high`: the ideal one, or the roundest number next to the middle.
fn within(low: f64, high: f64, ideal: f64) -> f64 {
    let fits = |threshold: f64| threshold >= low && threshold < high;
    if fits(ideal) {
        return ideal;
    }
    let middle = f64::midpoint(low, high.min(1.0));
    let round = |digits: i32| (middle * 10_f64.powi(digits)).round() / 10_f64.powi(digits);
    // 0 and 1 mean always and never, which new samples should not get without need.
    let open = |threshold: &f64| fits(*threshold) && *threshold > 0.0 && *threshold < 1.0;
    (1..=12).map(round).find(open).unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(probabilities: &[f64], positive: &[bool], threshold: f64) -> TwoClassCounts {
        let mut counts = TwoClassCounts::default();
        let samples = probabilities.iter().zip(positive);
        samples.for_each(|(p, &positive)| counts.add(positive, *p > threshold));
        counts
    }

    #[test]
    fn costs_must_mean_something() {
        for (costs, expected) in [
            ((-1.0, 1.0), "cost_false_positive = -1: expected a number of at least 0"),
            ((1.0, f64::NAN), "cost_false_negative = NaN: expected a number of at least 0"),
            ((0.0, 0.0), "if no error costs anything, every threshold is equally good"),
        ] {
            let error = Costs::new(costs.0, costs.1).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn extremes_predict_always_or_never() {
        let (probabilities, positive) = ([0.0, 0.4, 1.0], [true, false, true]);
        let always = Costs::new(0.0, 1.0).unwrap().best_threshold(&probabilities, &positive);
        assert_eq!(
            counts(&probabilities, &positive, always).false_negatives,
            1,
            "p = 0 is never above"
        );
        let never = Costs::new(1.0, 0.0).unwrap().best_threshold(&probabilities, &positive);
        assert_eq!(counts(&probabilities, &positive, never).false_positives, 0);
        assert_eq!(Costs::new(1.0, 4.0).unwrap().best_threshold(&[], &[]), 0.2);
    }

    proptest! {
        /// No threshold at all, tried one by one, costs less.
        #[test]
        fn no_threshold_costs_less(
            list in prop::collection::vec((0_u8..=20, any::<bool>()), 0..40),
            false_positive in 0_u8..6,
            false_negative in 1_u8..6,
        ) {
            let probabilities: Vec<f64> = list.iter().map(|(p, _)| f64::from(*p) / 20.0).collect();
            let positive: Vec<bool> = list.iter().map(|(_, t)| *t).collect();
            let costs = Costs::new(false_positive.into(), false_negative.into()).unwrap();
            let cost = |t: f64| costs.of(&counts(&probabilities, &positive, t));
            let found = costs.best_threshold(&probabilities, &positive);
            prop_assert!((0.0..=1.0).contains(&found));
            for try_at in 0..=80 {
                prop_assert!(cost(found) <= cost(f64::from(try_at) / 80.0));
            }
        }
    }
}
