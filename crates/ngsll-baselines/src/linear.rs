//! A fitted linear model, with either penalty.

use crate::classes::{check_classes, count_correct};
use crate::regression_data::targets;
use crate::sparse_rows::{SparseRowView, SparseRows};
use crate::weighted_least_squares::{entry, solve, weighted_gram, weighted_products};
use ngsll::error::{Error, Result};

/// A linear classifier, fitted by [`ridge`](Self::ridge) or [`lasso`](Self::lasso): one output for two
/// classes, positive for class 1, else one output per class.
#[derive(Debug, Clone)]
pub struct LinearModel {
    alpha: f64,
    /// `[outputs, features]`.
    weights: Vec<Vec<f64>>,
    /// `[outputs]`.
    intercepts: Vec<f64>,
    /// Training rows per class, which break ties between scores.
    counts: Vec<usize>,
    /// The rank of each feature by falling |weight|, ties to the lower index: `[outputs, features]`.
    ranks: Vec<Vec<u32>>,
}

/// The terms of a linear model that make up a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Terms {
    /// Those of all features, and the intercept.
    All,
    /// Those of the k weights largest in |w| of each output, as in the paper's comparison.
    Top(usize),
}

/// Added to the diagonal when a few columns are refitted, times the number of rows, so that linearly
/// dependent columns share a weight.
const JITTER: f64 = 1e-9;

impl LinearModel {
    pub(crate) fn new(
        alpha: f64,
        weights: Vec<Vec<f64>>,
        intercepts: Vec<f64>,
        counts: Vec<usize>,
    ) -> Self {
        let ranks = weights.iter().map(|weights| ranks(weights)).collect();
        Self { alpha, weights, intercepts, counts, ranks }
    }

    /// Refits the k features largest in |w| of each output, and the intercept, by least squares without
    /// the other features. Features whose weight is zero are not refitted.
    pub fn refitted(&self, rows: &SparseRows, classes: &[usize], k: usize) -> Result<Self> {
        check_classes(rows.len(), classes, self.counts.len())?;
        let features = self.weights[0].len();
        if rows.features() != features {
            let expected = format!("the model has {features}");
            return Err(Error::setting("number of features", rows.features(), expected));
        }
        let (mut weights, mut intercepts) = (Vec::new(), Vec::new());
        for (output, targets) in targets(classes, self.counts.len()).iter().enumerate() {
            let (own, ranks) = (&self.weights[output], &self.ranks[output]);
            let chosen = |j: &usize| (ranks[*j] as usize) < k && own[*j] != 0.0;
            let kept: Vec<usize> = (0..features).filter(chosen).collect();
            let solved = ordinary_least_squares(rows, targets, &kept);
            let Some((found, intercept)) = solved else {
                let expected = "its features are too large for this precision";
                return Err(Error::setting("k", k, expected));
            };
            let mut all = vec![0.0; features];
            kept.iter().zip(found).for_each(|(&j, weight)| all[j] = weight);
            weights.push(all);
            intercepts.push(intercept);
        }
        Ok(Self::new(self.alpha, weights, intercepts, self.counts.clone()))
    }

    /// The strength of the penalty, chosen by cross-validation.
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

    /// The score of each output: `[outputs]`.
    pub fn scores(&self, row: SparseRowView<'_>, terms: Terms) -> Vec<f64> {
        let (k, intercept) = match terms {
            Terms::All => (usize::MAX, true),
            Terms::Top(k) => (k, false),
        };
        let score = |output: usize| {
            let (weights, ranks) = (&self.weights[output], &self.ranks[output]);
            let kept = row.iter().filter(|&(j, _)| (ranks[j] as usize) < k);
            let sum: f64 = kept.map(|(j, value)| weights[j] * value).sum();
            if intercept { sum + self.intercepts[output] } else { sum }
        };
        (0..self.weights.len()).map(score).collect()
    }

    /// The predicted class of a row: by the sign of the score for two classes, else by the largest
    /// score. Ties go to the class with more training rows, then to the lower one.
    pub fn class(&self, row: SparseRowView<'_>, terms: Terms) -> usize {
        let scores = match self.scores(row, terms)[..] {
            [score] => vec![-score, score],
            ref scores => scores.to_vec(),
        };
        let wins = |a: usize, b: usize| {
            scores[a] > scores[b] || (scores[a] == scores[b] && self.counts[a] > self.counts[b])
        };
        (1..scores.len()).fold(0, |best, c| if wins(c, best) { c } else { best })
    }

    /// The share of rows whose class is predicted correctly; NaN without rows.
    pub fn accuracy(&self, rows: &SparseRows, classes: &[usize], terms: Terms) -> f64 {
        let predicted = rows.iter().map(|row| self.class(row, terms));
        count_correct(predicted, classes) as f64 / classes.len() as f64
    }
}

/// The weights of the given columns, and the intercept, which is the weight of a column of ones.
fn ordinary_least_squares(
    rows: &SparseRows,
    targets: &[f64],
    columns: &[usize],
) -> Option<(Vec<f64>, f64)> {
    let d = columns.len() + 1;
    let mut dense = vec![0.0; rows.len() * d];
    for (row, to) in rows.iter().zip(dense.chunks_exact_mut(d)) {
        for (j, value) in row.iter() {
            if let Ok(at) = columns.binary_search(&j) {
                to[at] = value;
            }
        }
        to[d - 1] = 1.0;
    }
    let ones = vec![1.0; rows.len()];
    let gram = weighted_gram(&dense, d, &ones);
    let jitter = JITTER * rows.len() as f64;
    let with_diagonal =
        |i: usize, j: usize| entry(&gram, d, i, j) + if i == j && i < d - 1 { jitter } else { 0.0 };
    let mut weights = solve(with_diagonal, weighted_products(&dense, d, &ones, targets))?;
    let intercept = weights.pop()?;
    Some((weights, intercept))
}

/// The rank of each weight by falling |weight|, ties to the lower index.
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
    use proptest::prelude::*;

    #[test]
    fn k_keeps_the_largest_weights_and_no_intercept() {
        let model = LinearModel::new(1.0, vec![vec![1.0, -3.0, 2.0, -2.0]], vec![10.0], vec![1, 1]);
        let z = [1.0, 1.0, 2.0, 0.5];
        let rows = SparseRows::from_dense(&[z, z].concat(), 4).unwrap();
        let score = |terms| model.scores(rows.row(0), terms)[0];
        let expected = [(0, 0.0), (1, -3.0), (2, 1.0), (3, 0.0), (4, 1.0), (9, 1.0)];
        for (k, sum) in expected {
            assert_eq!(score(Terms::Top(k)), sum, "{k}");
        }
        assert_eq!(score(Terms::All), 11.0);
        let class = |k| model.class(rows.row(0), Terms::Top(k));
        assert_eq!([0, 1, 2].map(class), [0, 0, 1]);
        assert_eq!(model.accuracy(&rows, &[1, 0], Terms::All), 0.5);
    }

    #[test]
    fn of_several_classes_the_largest_score_wins_and_of_equals_the_most_frequent() {
        let weights = vec![vec![1.0, 0.0], vec![0.5, 2.0], vec![0.5, 2.0]];
        let rows = SparseRows::from_dense(&[1.0, 0.0, 1.0, 1.0, 0.0, 0.0], 2).unwrap();
        let classes = |counts, terms| {
            let model = LinearModel::new(1.0, weights.clone(), vec![0.0, 0.0, 0.1], counts);
            [0, 1, 2].map(|row| model.class(rows.row(row), terms))
        };
        assert_eq!(classes(vec![1, 5, 5], Terms::All), [0, 2, 2]);
        assert_eq!(classes(vec![1, 5, 5], Terms::Top(2)), [0, 1, 1]);
        assert_eq!(classes(vec![1, 5, 6], Terms::Top(2)), [0, 2, 2]);
        assert_eq!(classes(vec![9, 5, 6], Terms::Top(2)), [0, 2, 0]);
        let two = |counts| {
            let model = LinearModel::new(1.0, vec![vec![1.0, -1.0]], vec![0.0], counts);
            [0, 1, 2].map(|row| model.class(rows.row(row), Terms::All))
        };
        assert_eq!(two(vec![3, 2]), [1, 0, 0]);
        assert_eq!(two(vec![2, 3]), [1, 1, 1]);
    }

    #[test]
    fn two_columns_that_are_the_same_share_a_weight() {
        let rows = SparseRows::from_dense(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], 2).unwrap();
        let model = LinearModel::new(1.0, vec![vec![3.0, 2.0]], vec![0.0], vec![2, 2]);
        let again = model.refitted(&rows, &[0, 0, 1, 1], 2).unwrap();
        let [first, second] = again.weights()[0][..] else { panic!("two weights") };
        assert!((first - 1.0).abs() < 1e-6 && (second - 1.0).abs() < 1e-6, "{first} {second}");
        assert!((again.intercepts()[0] + 1.0).abs() < 1e-6);
    }

    #[test]
    fn other_rows_than_the_model_knows_are_refused() {
        let model = LinearModel::new(1.0, vec![vec![3.0, 2.0]], vec![0.0], vec![1, 1]);
        let rows = SparseRows::from_dense(&[1.0, 2.0, 3.0], 3).unwrap();
        let error = model.refitted(&rows, &[0], 1).unwrap_err().to_string();
        assert_eq!(error, "number of features = 3: the model has 2");
    }

    proptest! {
        /// Errors over after least squares is orthogonal to every kept column and to 1.
        #[test]
        fn refitted_weights_meet_the_normal_equations(
            z in prop::collection::vec(-2.0f32..2.0, 5 * 30),
            classes in prop::collection::vec(0usize..3, 30),
            k in 1usize..6,
        ) {
            let rows = SparseRows::from_dense(&z, 5).unwrap();
            let weights = vec![
                vec![1.0, -5.0, 2.0, 0.0, 4.0],
                vec![0.1, 0.2, 0.3, 0.4, 0.5],
                vec![-1.0, 2.0, -3.0, 4.0, -5.0],
            ];
            let first = [vec![1, 4, 2, 0], vec![4, 3, 2, 1, 0], vec![4, 3, 2, 1, 0]];
            let model = LinearModel::new(1.0, weights, vec![7.0; 3], vec![1; 3]);
            let again = model.refitted(&rows, &classes, k).unwrap();
            for (output, first) in first.iter().enumerate() {
                let kept: Vec<usize> = first.iter().copied().take(k).collect();
                let left: Vec<f64> = (0..30)
                    .map(|i| {
                        let y = if classes[i] == output { 1.0 } else { -1.0 };
                        y - again.scores(rows.row(i), Terms::All)[output]
                    })
                    .collect();
                prop_assert!(left.iter().sum::<f64>().abs() < 1e-5, "{left:?}");
                for j in 0..5 {
                    let product: f64 = (0..30).map(|i| left[i] * f64::from(z[i * 5 + j])).sum();
                    if kept.contains(&j) {
                        prop_assert!(product.abs() < 1e-5, "{output} {j}: {product}");
                    } else {
                        prop_assert_eq!(again.weights()[output][j], 0.0);
                    }
                }
            }
        }
    }
}
