//! The coalitions the model is queried for, and their weights.

use ngsll::random::{Purpose, stream};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Distinct coalitions of m features, without the empty and the full one.
pub(super) struct Coalitions {
    pub(super) m: usize,
    /// 1 for members and 0 for the others: `[n, m]`.
    pub(super) members: Vec<f64>,
    /// They sum to 1: `[n]`.
    pub(super) weights: Vec<f64>,
}

impl Coalitions {
    /// Chooses at most `max` coalitions of m ≥ 2 features, all of them if there are no more.
    ///
    /// Sizes s and m − s are paired and visited from the smallest s, since the smallest and largest
    /// coalitions weigh most. A size is enumerated as long as its share of the remaining budget, by
    /// weight, covers all its coalitions; from the sizes that remain, coalitions are drawn at random,
    /// each with its complement.
    pub(super) fn choose(m: usize, max: usize, seed: u64) -> Self {
        let mut chosen = Self { m, members: Vec::new(), weights: Vec::new() };
        let sizes = size_weights(m);
        let all = if m < 63 { (1 << m) - 2 } else { usize::MAX };
        let mut left = max.min(all);
        let mut weight_left = 1.0;
        for (s, &weight) in (1..).zip(&sizes) {
            let count = binomial(m, s) * if is_paired(m, s) { 2.0 } else { 1.0 };
            // The tolerance is for the last size, whose share is 1 up to rounding.
            if left as f64 * weight / weight_left < count * (1.0 - 1e-8) {
                chosen.draw(&sizes, s, left, weight_left, seed);
                break;
            }
            chosen.enumerate(s, weight / count);
            left -= count as usize;
            weight_left -= weight;
        }
        chosen
    }

    fn push(&mut self, members: &[usize], weight: f64) {
        let start = self.members.len();
        self.members.resize(start + self.m, 0.0);
        members.iter().for_each(|&i| self.members[start + i] = 1.0);
        self.weights.push(weight);
    }

    /// Adds the complement of the last coalition.
    fn push_complement(&mut self, weight: f64) {
        let start = self.members.len() - self.m;
        for at in start..start + self.m {
            self.members.push(1.0 - self.members[at]);
        }
        self.weights.push(weight);
    }

    /// Adds all coalitions of s features, in lexicographic order, and their complements.
    fn enumerate(&mut self, s: usize, weight: f64) {
        let mut members: Vec<usize> = (0..s).collect();
        loop {
            self.push(&members, weight);
            if is_paired(self.m, s) {
                self.push_complement(weight);
            }
            // Advance the last member that can move, and reset those behind it.
            let Some(at) = (0..s).rev().find(|&at| members[at] < self.m - s + at) else { return };
            let next = members[at] + 1;
            members[at..].iter_mut().zip(next..).for_each(|(member, value)| *member = value);
        }
    }

    /// Adds `left` coalitions of size `first` to m − `first`, drawn by weight; they share
    /// `weight_left` in proportion to how often each was drawn. Repeats do not use up `left`, so the
    /// number of draws has a separate limit.
    fn draw(&mut self, sizes: &[f64], first: usize, left: usize, weight_left: f64, seed: u64) {
        let m = self.m;
        let start = self.weights.len();
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        // A draw of a paired size yields two coalitions, so it is half as likely.
        let probabilities: Vec<f64> = (first..)
            .zip(&sizes[first - 1..])
            .map(|(s, weight)| if is_paired(m, s) { weight / 2.0 } else { *weight })
            .collect();
        let mut order: Vec<usize> = (0..m).collect();
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        for _ in 0..left.saturating_mul(4) {
            if self.weights.len() - start >= left {
                break;
            }
            let s = first + pick(&probabilities, &mut rng);
            let (members, others) = order.partial_shuffle(&mut rng, s);
            self.count(members, &mut numbers);
            if is_paired(m, s) && self.weights.len() - start < left {
                self.count(others, &mut numbers);
            }
        }
        let drawn: f64 = self.weights[start..].iter().sum();
        self.weights[start..].iter_mut().for_each(|weight| *weight *= weight_left / drawn);
    }

    /// Adds a coalition with weight 1, or adds 1 to its weight if it was drawn before.
    fn count(&mut self, members: &[usize], numbers: &mut HashMap<Vec<u64>, usize>) {
        let mut bits = vec![0_u64; self.m.div_ceil(64)];
        members.iter().for_each(|&i| bits[i / 64] |= 1 << (i % 64));
        let number = *numbers.entry(bits).or_insert(self.weights.len());
        match self.weights.get_mut(number) {
            Some(weight) => *weight += 1.0,
            None => self.push(members, 1.0),
        }
    }
}

/// The weight of each size s from 1 to m/2 together with m − s; they sum to 1.
fn size_weights(m: usize) -> Vec<f64> {
    let weight = |s: usize| {
        let pair = if is_paired(m, s) { 2.0 } else { 1.0 };
        pair * (m as f64 - 1.0) / (s as f64 * (m - s) as f64)
    };
    let mut weights: Vec<f64> = (1..=m / 2).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Whether complements of coalitions of size s have another size.
fn is_paired(m: usize, s: usize) -> bool {
    2 * s != m
}

/// The binomial coefficient m over s, exact below about 2⁵³ and rounded above.
fn binomial(m: usize, s: usize) -> f64 {
    (1..=s).fold(1.0, |product, i| (product * (m - s + i) as f64 / i as f64).round())
}

/// A random index, with probability proportional to its weight.
fn pick(weights: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    let found = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    found.unwrap_or(weights.len() - 1)
}
