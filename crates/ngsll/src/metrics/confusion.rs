//! Which classes are mistaken for which.

use std::collections::BTreeMap;

/// The number of times each class was predicted for each true class; only pairs that occur are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confusion {
    counts: BTreeMap<(usize, usize), u64>,
}

/// The counts of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassCounts {
    /// Samples of the class.
    pub truths: u64,
    /// Samples that were predicted to be of the class.
    pub predictions: u64,
    /// Samples that were both.
    pub right: u64,
}

impl Confusion {
    /// Counts a sample.
    pub fn add(&mut self, truth: usize, predicted: usize) {
        *self.counts.entry((truth, predicted)).or_default() += 1;
    }

    /// Samples of class `truth` that were predicted to be `predicted`.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts.get(&(truth, predicted)).copied().unwrap_or(0)
    }

    /// The counts of each of `classes` classes, one that never occurred included.
    pub fn by_class(&self, classes: usize) -> Vec<ClassCounts> {
        let mut all = vec![ClassCounts::default(); classes];
        for (&(truth, predicted), &count) in &self.counts {
            all[truth].truths += count;
            all[predicted].predictions += count;
            all[truth].right += if truth == predicted { count } else { 0 };
        }
        all
    }

    /// The mistakes as (truth, predicted, count), the most frequent first, equal ones in the classes' order.
    pub fn mistakes(&self) -> Vec<(usize, usize, u64)> {
        let wrong = self.counts.iter().filter(|((truth, predicted), _)| truth != predicted);
        let mut wrong: Vec<_> = wrong.map(|(&(t, p), &count)| (t, p, count)).collect();
        wrong.sort_by_key(|&(_, _, count)| std::cmp::Reverse(count));
        wrong
    }
}

impl ClassCounts {
    /// Share of the class's samples that were found; `None` without samples.
    pub fn recall(&self) -> Option<f64> {
        (self.truths > 0).then(|| self.right as f64 / self.truths as f64)
    }

    /// Share of the class's predictions that were right; `None` where it was never predicted.
    pub fn precision(&self) -> Option<f64> {
        (self.predictions > 0).then(|| self.right as f64 / self.predictions as f64)
    }

    /// F1, the harmonic mean of recall and precision: 2 right / (samples + predictions), 0 if none is
    /// right; `None` if the class is neither true nor predicted anywhere.
    pub fn f1(&self) -> Option<f64> {
        let sum = self.truths + self.predictions;
        (sum > 0).then(|| 2.0 * self.right as f64 / sum as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_class_that_never_occurs_has_no_shares() {
        let mut confusion = Confusion::default();
        confusion.add(0, 1);
        let classes = confusion.by_class(3);
        assert_eq!((classes[0].recall(), classes[0].precision()), (Some(0.0), None));
        assert_eq!((classes[1].recall(), classes[1].precision()), (None, Some(0.0)));
        assert_eq!(
            (classes[0].f1(), classes[1].f1(), classes[2].f1()),
            (Some(0.0), Some(0.0), None)
        );
        assert_eq!(classes[2], ClassCounts::default());
        assert_eq!(confusion.mistakes(), [(0, 1, 1)]);
    }

    proptest! {
        /// Against lists that are filtered and counted.
        #[test]
        fn counts_are_those_of_the_plain_lists(
            pairs in prop::collection::vec((0_usize..5, 0_usize..5), 0..200)
        ) {
            let mut confusion = Confusion::default();
            pairs.iter().for_each(|&(t, p)| confusion.add(t, p));
            let count = |test: &dyn Fn(&(usize, usize)) -> bool| {
                pairs.iter().filter(|pair| test(pair)).count() as u64
            };
            let classes = confusion.by_class(5);
            for (c, class) in classes.iter().enumerate() {
                prop_assert_eq!(class.truths, count(&|&(t, _)| t == c));
                prop_assert_eq!(class.predictions, count(&|&(_, p)| p == c));
                prop_assert_eq!(class.right, count(&|&pair| pair == (c, c)));
                if let (Some(p), Some(r), Some(f1)) = (class.precision(), class.recall(), class.f1())
                    && p + r > 0.0
                {
                    prop_assert!((f1 - 2.0 * p * r / (p + r)).abs() < 1e-12);
                }
                for p in 0..5 {
                    prop_assert_eq!(confusion.count(c, p), count(&|&pair| pair == (c, p)));
                }
            }
            let mistakes = confusion.mistakes();
            prop_assert!(mistakes.is_sorted_by(|a, b| (b.2, a.0, a.1) <= (a.2, b.0, b.1)));
            let sum: u64 = mistakes.iter().map(|m| m.2).sum();
            prop_assert_eq!(sum, count(&|(t, p)| t != p));
        }
    }
}
