//! A distribution shift, in figures and in a sentence.

use super::distribution::{Distribution, Variable};
use serde::Serialize;

/// Below the first index a shift is not reported; from the second on it is a large one. These are the usual
/// bounds of the population stability index.
const MOVED: f64 = 0.1;
const MOVED_FAR: f64 = 0.25;
/// By chance the index is distributed as a χ² of bins − 1 degrees times (1/n + 1/m): a value this many standard
/// deviations above its mean is not chance.
const DEVIATIONS: f64 = 4.0;

/// A column, word, cell or term whose distribution differs from that at training.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Shift {
    /// The quantity that moved.
    pub of: Variable,
    /// Its population stability index: 0.1 is a movement, 0.25 a large one.
    pub psi: f64,
    /// The part of it whose share moved most.
    pub part: String,
    /// That part's share at training.
    pub before: f64,
    /// Its share now.
    pub now: f64,
    /// The movement in words.
    pub sentence: String,
}

impl Shift {
    /// Compares a distribution with the counts of now; `None` where it has not moved, or not more than chance
    /// would move it.
    pub(super) fn of(before: &Distribution, now: &[u64]) -> Option<Self> {
        let (old, new) = (shares(&before.counts)?, shares(now)?);
        let psi: f64 =
            old.smooth.iter().zip(&new.smooth).map(|(p, q)| (q - p) * (q / p).ln()).sum();
        let filled = before.counts.iter().zip(now).filter(|(a, b)| **a + **b > 0).count();
        let freedom = filled.saturating_sub(1) as f64;
        let chance = (freedom + DEVIATIONS * (2.0 * freedom).sqrt()) * (1.0 / old.n + 1.0 / new.n);
        if psi < MOVED || psi <= chance {
            return None;
        }
        let moved = |bin: usize| (new.exact[bin] - old.exact[bin]).abs();
        let bin = match before.bins {
            // "No" moves as much as "yes"; the sentence names "yes".
            super::Bins::Occurs => 1,
            _ => (0..now.len()).max_by(|&a, &b| moved(a).total_cmp(&moved(b)))?,
        };
        let (part, before_share, now_share) =
            (before.bins.name(bin), old.exact[bin], new.exact[bin]);
        // Shares that print the same would not be a movement to the reader.
        if percent(before_share) == percent(now_share) {
            return None;
        }
        let sentence = sentence(&before.of, &part, before_share, now_share, psi);
        Some(Self {
            of: before.of.clone(),
            psi,
            part,
            before: before_share,
            now: now_share,
            sentence,
        })
    }

    /// Whether the movement is a large one.
    pub fn is_large(&self) -> bool {
        self.psi >= MOVED_FAR
    }
}

struct Shares {
    n: f64,
    exact: Vec<f64>,
    /// Counts plus half a sample in every bin, so that no logarithm is infinite.
    smooth: Vec<f64>,
}

fn shares(counts: &[u64]) -> Option<Shares> {
    let n = counts.iter().sum::<u64>() as f64;
    let all = n + 0.5 * counts.len() as f64;
    (n > 0.0).then(|| Shares {
        n,
        exact: counts.iter().map(|&count| count as f64 / n).collect(),
        smooth: counts.iter().map(|&count| (count as f64 + 0.5) / all).collect(),
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn sentence(of: &Variable, part: &str, before: f64, now: f64, psi: f64) -> String {
    let (before, now) = (percent(before), percent(now));
    let text = match of {
        Variable::Column(name) => {
            format!("column {name:?}: {part} in {now} of the rows, {before} in training")
        }
        Variable::Word(word) => {
            format!("the word {word:?} is in {now} of the texts, {before} in training")
        }
        Variable::UnknownWords => {
            format!("{now} of all words are not in the vocabulary, {before} in training")
        }
        Variable::Cell(name) => {
            format!("{name}: ink {part} in {now} of the images, {before} in training")
        }
        Variable::Term(name) => {
            format!("{name:?} is named in {now} of the explanations, {before} in training")
        }
    };
    format!("{text} (PSI {psi:.2})")
}
