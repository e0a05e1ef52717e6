//! Whether one model is better than another on the same samples, or the difference is chance.

use crate::random::{Purpose, stream};
use rand::RngExt;
use serde::Serialize;

/// The most random signs drawn for one test, which bounds its time.
const SIGNS: usize = 100_000_000;
/// The number of times that signs are drawn for all samples.
const DRAWS: std::ops::RangeInclusive<usize> = 999..=9_999;
/// Half of the width of a 95 % interval, in standard errors.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Two classifiers on the same samples, by McNemar's exact test: if they are equally good, each is right on half
/// of the samples that just one of them gets right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct McNemar {
    /// Samples that only the first gets right.
    pub only_first: u64,
    /// Samples that only the second gets right.
    pub only_second: u64,
    /// The probability that chance gives a division at least as uneven.
    pub p_value: f64,
}

impl McNemar {
    /// The test for these numbers of samples that just one of the two gets right.
    ///
    /// ```
    /// use ngsll::metrics::McNemar;
    /// assert_eq!(McNemar::new(1, 3).p_value, 0.625); // 2 · (1 + 4) / 16
    /// assert_eq!(McNemar::new(0, 0).p_value, 1.0);
    /// ```
    pub fn new(only_first: u64, only_second: u64) -> Self {
        let (n, fewer) = (only_first + only_second, only_first.min(only_second));
        // Σ C(n, i) / 2^n for i up to `fewer`, by logarithms: 2^n is soon too large.
        let mut log_term = -(n as f64) * std::f64::consts::LN_2;
        let mut sum = log_term.exp();
        for i in 0..fewer {
            log_term += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
            sum += log_term.exp();
        }
        Self { only_first, only_second, p_value: (2.0 * sum).min(1.0) }
    }
}

/// The differences between two losses of the same samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairedDifference {
    /// The mean difference, first − second.
    pub mean: f64,
    /// Its 95 % interval, by the normal approximation.
    pub interval: [f64; 2],
    /// The probability of a mean at least as far from 0 if chance decides which of the two losses of a sample belongs to
    /// which model: a paired permutation test.
    pub p_value: f64,
    /// The number of draws of the signs of all differences.
    pub draws: usize,
}

impl PairedDifference {
    /// Compares losses, sample by sample; `None` without samples. The draws follow from the seed.
    pub fn new(first: &[f64], second: &[f64], seed: u64) -> Option<Self> {
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let n = differences.len();
        if n == 0 {
            return None;
        }
        let sum: f64 = differences.iter().sum();
        let mean = sum / n as f64;
        let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
        let error = (squares / (n.max(2) - 1) as f64 / n as f64).sqrt();
        let draws = (SIGNS / n).clamp(*DRAWS.start(), *DRAWS.end());
        let mut rng = stream(seed, Purpose::Sample, 0, 5);
        // Sums that are equal up to rounding count as equal.
        let bound = sum.abs() * (1.0 - 1e-12);
        let as_far = (0..draws).filter(|_| {
            let drawn: f64 = differences
                .chunks(64)
                .map(|part| {
                    let signs: u64 = rng.random();
                    let signed = part.iter().enumerate();
                    let signed = signed.map(|(i, d)| if signs >> i & 1 == 1 { *d } else { -d });
                    signed.sum::<f64>()
                })
                .sum();
            drawn.abs() >= bound
        });
        // The observed signs count as a draw.
        let p_value = (as_far.count() + 1) as f64 / (draws + 1) as f64;
        let interval = [mean - NORMAL_95 * error, mean + NORMAL_95 * error];
        Some(Self { mean, interval, p_value, draws })
    }
}

/// Pearson's correlation of pairs; `None` if one side does not vary.
///
/// ```
/// use ngsll::metrics::correlation;
/// assert_eq!(correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
/// assert_eq!(correlation(&[(1.0, 2.0), (1.0, 4.0)]), None);
/// ```
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| -> f64 { pairs.iter().map(|(x, y)| of(x - a, y - b)).sum() };
    let size = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (size > 0.0).then(|| sum(&|x, y| x * y) / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcnemar_is_the_binomial_test() {
        // 2 · Σ C(39, i) / 2^39 for i up to 9, in whole numbers.
        let found = McNemar::new(9, 30).p_value;
        assert!((found - 0.001_065_019_634_55).abs() < 1e-9, "{found}");
        assert_eq!(McNemar::new(30, 9).p_value, found);
        assert_eq!(McNemar::new(5, 5).p_value, 1.0);
        assert!(McNemar::new(4000, 5000).p_value < 1e-20);
        assert!(McNemar::new(50_000, 50_010).p_value > 0.9);
    }

    #[test]
    fn signs_of_few_samples_are_counted() {
        // Of the 2^5 signs of five equal differences two are as far out: 1/16.
        let found = PairedDifference::new(&[2.0; 5], &[1.0; 5], 0).unwrap();
        assert!((found.p_value - 1.0 / 16.0).abs() < 0.01, "{found:?}");
        assert_eq!((found.mean, found.interval), (1.0, [1.0, 1.0]));
        let same = PairedDifference::new(&[1.0, 2.0], &[1.0, 2.0], 0).unwrap();
        assert_eq!((same.mean, same.p_value), (0.0, 1.0));
        assert_eq!(PairedDifference::new(&[], &[], 0), None);
    }

    #[test]
    fn a_real_difference_is_detected() {
        let second: Vec<f64> = (0..300).map(|i| f64::from(i * 7919 % 101)).collect();
        let noise: Vec<f64> = (0..300).map(|i| f64::from(i * 6007 % 11) - 5.0).collect();
        let first: Vec<f64> = second.iter().zip(&noise).map(|(s, n)| s + n).collect();
        let chance = PairedDifference::new(&first, &second, 1).unwrap();
        assert!(chance.p_value > 0.5 && chance.interval[0] < 0.0, "{chance:?}");
        let worse: Vec<f64> = first.iter().map(|loss| loss + 1.0).collect();
        let worse = PairedDifference::new(&worse, &second, 1).unwrap();
        assert!(worse.p_value < 0.001 && worse.interval[0] > 0.0, "{worse:?}");
    }
}
