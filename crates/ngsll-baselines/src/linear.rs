//! A fitted linear model, whatever penalty it was fitted with.

use crate::checks::largest;
use crate::rows::{Row, SparseRows};

/// Linear scores: one output for two classes (positive speaks for class 1), else one for each
/// class.
#[derive(Debug, Clone)]
pub struct LinearModel {
    alpha: f64,
    /// `[outputs, features]`
    weights: Vec<Vec<f64>>,
    /// `[outputs]`
    intercepts: Vec<f64>,
    /// For each output the place of each feature by falling |weight|, ties to the lower index.
    ranks: Vec<Vec<u32>>,
}

/// The terms of a linear model that make up a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terms {
    /// Those of all features, and the intercept.
    All,
    /// Those of the k weights largest in |w| of each output, as in the paper's comparison.
    Top(usize),
    /// The same and the intercept.
    TopAndIntercept(usize),
}

impl LinearModel {
    pub(crate) fn new(alpha: f64, weights: Vec<Vec<f64>>, intercepts: Vec<f64>) -> Self {
        let ranks = weights.iter().map(|weights| ranks(weights)).collect();
        Self { alpha, weights, intercepts, ranks }
    }

    /// The strength of the penalty that cross-validation chose.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The weights: `[outputs, features]`.
    pub fn weights(&self) -> &[Vec<f64>] {
        &self.weights
    }

    /// The intercepts: `[outputs]`.
    pub fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The score of each output.
    pub fn scores(&self, row: Row<'_>, terms: Terms) -> Vec<f64> {
        let (k, intercept) = match terms {
            Terms::All => (usize::MAX, true),
            Terms::Top(k) => (k, false),
            Terms::TopAndIntercept(k) => (k, true),
        };
        let score = |output: usize| {
            let (weights, ranks) = (&self.weights[output], &self.ranks[output]);
            let kept = row.iter().filter(|&(j, _)| (ranks[j] as usize) < k);
            let sum: f64 = kept.map(|(j, value)| weights[j] * value).sum();
            if intercept { sum + self.intercepts[output] } else { sum }
        };
        (0..self.weights.len()).map(score).collect()
    }

    /// The class of a row, by sign for two classes, else by the largest score, ties to the lower
    /// class.
    pub fn class(&self, row: Row<'_>, terms: Terms) -> usize {
        match self.scores(row, terms)[..] {
            [score] => usize::from(score > 0.0),
            ref scores => largest(scores),
        }
    }

    /// The share of the rows whose class is found. NaN where there are no rows.
    pub fn accuracy(&self, rows: &SparseRows, classes: &[usize], terms: Terms) -> f64 {
        let right = rows.iter().zip(classes).filter(|(row, c)| self.class(*row, terms) == **c);
        right.count() as f64 / classes.len() as f64
    }
}

fn ranks(weights: &[f64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    let mut ranks = vec![0; weights.len()];
    for (rank, feature) in order.into_iter().enumerate() {
        ranks[feature] = rank as u32;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_keeps_the_largest_weights_and_the_intercept_where_it_is_asked_for() {
        let model = LinearModel::new(1.0, vec![vec![1.0, -3.0, 2.0, -2.0]], vec![10.0]);
        let z = [1.0, 1.0, 2.0, 0.5];
        let rows = SparseRows::from_dense(&[z, z].concat(), 4).unwrap();
        let score = |terms| model.scores(rows.row(0), terms)[0];
        let expected = [(0, 0.0), (1, -3.0), (2, 1.0), (3, 0.0), (4, 1.0), (9, 1.0)];
        for (k, sum) in expected {
            assert_eq!(score(Terms::Top(k)), sum, "{k}");
            assert_eq!(score(Terms::TopAndIntercept(k)), sum + 10.0, "{k}");
        }
        assert_eq!(score(Terms::All), 11.0);
        let class = |k| model.class(rows.row(0), Terms::Top(k));
        assert_eq!([0, 1, 2].map(class), [0, 0, 1]);
        assert_eq!(model.accuracy(&rows, &[1, 0], Terms::All), 0.5);
    }

    #[test]
    fn of_several_classes_the_largest_score_wins() {
        let weights = vec![vec![1.0, 0.0], vec![0.5, 2.0], vec![0.5, 2.0]];
        let model = LinearModel::new(1.0, weights, vec![0.0, 0.0, 0.1]);
        let rows = SparseRows::from_dense(&[1.0, 0.0, 1.0, 1.0], 2).unwrap();
        let classes = |terms| [0, 1].map(|row| model.class(rows.row(row), terms));
        assert_eq!(classes(Terms::All), [0, 2]);
        assert_eq!(classes(Terms::Top(2)), [0, 1]);
    }
}
