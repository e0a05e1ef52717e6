//! Which features the scores choose, how often, and on which side.

use crate::explanation::ScoreExplanation;
use std::collections::BTreeMap;

/// The features that many scores chose; memory grows with the features, not with the scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeatureUse {
    scores: u64,
    features: BTreeMap<usize, FeatureStats>,
}

/// The use of one feature.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct FeatureStats {
    /// Scores that chose it.
    pub chosen: u64,
    /// Those of them that it raised; it lowered the others.
    pub added: u64,
    /// Its contributions, summed.
    pub sum: f64,
    /// Their absolute values, summed.
    pub size: f64,
}

impl FeatureUse {
    /// Counts the terms of a score.
    pub fn add(&mut self, output: &ScoreExplanation) {
        self.scores += 1;
        for term in &output.terms {
            let used = self.features.entry(term.feature).or_default();
            used.chosen += 1;
            used.added += u64::from(term.contribution >= 0.0);
            used.sum += term.contribution;
            used.size += term.contribution.abs();
        }
    }

    /// The scores counted.
    pub fn scores(&self) -> u64 {
        self.scores
    }

    /// The use of a feature; zeros if it was never used.
    pub fn of(&self, feature: usize) -> FeatureStats {
        self.features.get(&feature).copied().unwrap_or_default()
    }

    /// The features by falling sum of absolute contributions, equal ones by rising number.
    pub fn ranked(&self) -> Vec<(usize, FeatureStats)> {
        let mut all: Vec<_> = self.features.iter().map(|(&j, &used)| (j, used)).collect();
        all.sort_by(|a, b| b.1.size.total_cmp(&a.1.size));
        all
    }
}

impl FeatureStats {
    /// Mean contribution where it was chosen; 0 where it never was.
    pub fn mean(&self) -> f64 {
        self.sum / self.chosen.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::Term;

    fn output(terms: &[(usize, f64)]) -> ScoreExplanation {
        let term = |&(feature, weight): &(usize, f64)| Term::new(feature, "", 1.0, weight);
        ScoreExplanation::new("", 0.0, terms.iter().map(term).collect())
    }

    #[test]
    fn uses_are_counted_by_sign_and_ranked_by_size() {
        let mut features = FeatureUse::default();
        features.add(&output(&[(7, 2.0), (3, -1.0)]));
        features.add(&output(&[(7, -4.0)]));
        features.add(&output(&[(1, 1.0)]));
        features.add(&output(&[]));
        assert_eq!(features.scores(), 4);
        assert_eq!(features.of(7), FeatureStats { chosen: 2, added: 1, sum: -2.0, size: 6.0 });
        assert_eq!((features.of(7).mean(), features.of(9).mean()), (-1.0, 0.0));
        let order: Vec<usize> = features.ranked().into_iter().map(|(j, _)| j).collect();
        assert_eq!(order, [7, 1, 3], "1 and 3 are equal: the lower number first");
    }
}
