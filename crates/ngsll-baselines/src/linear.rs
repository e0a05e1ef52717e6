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

    /// The score of each output. `Some(k)` keeps the k weights largest in |w| of each output and
    /// leaves out the intercept, as the paper's comparison does; `None` uses all features and the
    /// intercept.
    pub fn scores_at(&self, row: Row<'_>, k: Option<usize>) -> Vec<f64> {
        let score = |output: usize| {
            let (weights, ranks) = (&self.weights[output], &self.ranks[output]);
            match k {
                Some(k) => {
                    let kept = row.iter().filter(|&(j, _)| (ranks[j] as usize) < k);
                    kept.map(|(j, value)| weights[j] * value).sum()
                }
                None => {
                    let terms = row.iter().map(|(j, value)| weights[j] * value);
                    terms.sum::<f64>() + self.intercepts[output]
                }
            }
        };
        (0..self.weights.len()).map(score).collect()
    }

    /// The class of a row, by sign for two classes, else by the largest score, ties to the lower
    /// class.
    pub fn class_at(&self, row: Row<'_>, k: Option<usize>) -> usize {
        match self.scores_at(row, k)[..] {
            [score] => usize::from(score > 0.0),
            ref scores => largest(scores),
        }
    }

    /// The share of the rows whose class is found. NaN where there are no rows.
    pub fn accuracy_at(&self, rows: &SparseRows, classes: &[usize], k: Option<usize>) -> f64 {
        let right = rows.iter().zip(classes).filter(|(row, c)| self.class_at(*row, k) == **c);
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
    fn k_keeps_the_largest_weights_and_drops_the_intercept() {
        let model = LinearModel::new(1.0, vec![vec![1.0, -3.0, 2.0, -2.0]], vec![10.0]);
        let z = [1.0, 1.0, 2.0, 0.5];
        let rows = SparseRows::from_dense(&[z, z].concat(), 4).unwrap();
        let score = |k| model.scores_at(rows.row(0), k)[0];
        let scores = [Some(0), Some(1), Some(2), Some(3), Some(4), Some(9), None].map(score);
        assert_eq!(scores, [0.0, -3.0, 1.0, 0.0, 1.0, 1.0, 11.0]);
        assert_eq!([Some(0), Some(1), Some(2)].map(|k| model.class_at(rows.row(0), k)), [0, 0, 1]);
        assert_eq!(model.accuracy_at(&rows, &[1, 0], None), 0.5);
    }

    #[test]
    fn of_several_classes_the_largest_score_wins() {
        let weights = vec![vec![1.0, 0.0], vec![0.5, 2.0], vec![0.5, 2.0]];
        let model = LinearModel::new(1.0, weights, vec![0.0, 0.0, 0.1]);
        let rows = SparseRows::from_dense(&[1.0, 0.0, 1.0, 1.0], 2).unwrap();
        let classes = |k| [0, 1].map(|row| model.class_at(rows.row(row), k));
        assert_eq!(classes(None), [0, 2]);
        assert_eq!(classes(Some(2)), [0, 1]);
    }
}
