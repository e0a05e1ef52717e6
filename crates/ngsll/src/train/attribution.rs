//! Terms that equal the contributions of their columns: without this, the level of one column could carry information of
//! another column, as all levels are written by a network that sees all chosen columns.
//!
//! For a random column j of the chosen set S and a random T ⊆ S without j, the target for the term of j is
//! score(T ∪ j) − score(T). On average over T that is j's Shapley value in S; those values add up to
//! score(S) − intercept, so the targets can be met.

use super::loss::huber;
use crate::error::Result;
use crate::evidence::subsets;
use crate::generator::{Dropout, Generator};
use crate::network::{Forward, Network};
use crate::representation::Batch;
use burn::tensor::Tensor;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// One column of each sample, and its contribution to some of the others: constants, without gradients.
pub(super) struct Marginals {
    /// 1 at the column: [batch, features]
    pub column: Tensor<2>,
    /// T ∪ j: [batch, features]
    pub with: Tensor<2>,
    /// score(T ∪ j): [batch, outputs]
    pub scores: Tensor<2>,
    /// score(T ∪ j) − score(T): [batch, outputs]
    pub added: Tensor<2>,
}

impl Marginals {
    /// Draws a kept column of each sample and some of the other kept ones; network and batch are without
    /// gradients.
    ///
    /// kept: [batch, features]
    pub fn draw<G: Generator>(
        network: &Network<G>,
        batch: &Batch,
        kept: &[f32],
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let features = batch.features();
        let [mut column, mut without] = [(); 2].map(|()| vec![0.0_f32; kept.len()]);
        for (b, kept) in kept.chunks_exact(features).enumerate() {
            let mut open: Vec<usize> = (0..features).filter(|&j| kept[j] != 0.0).collect();
            open.shuffle(rng);
            let Some(j) = open.pop() else { continue };
            column[b * features + j] = 1.0;
            let others = rng.random_range(0..=open.len());
            open[..others].iter().for_each(|&other| without[b * features + other] = 1.0);
        }
        let with = without.iter().zip(&column).map(|(others, own)| others + own);
        let with: Vec<f32> = with.collect();
        let marks = |marks: Vec<f32>| subsets::tensor(marks, features, &batch.z.device());
        let with = marks(with);
        let scores_of =
            |kept: &Tensor<2>| network.evidence_scores(batch, kept, &mut Dropout::off());
        let scores = scores_of(&with)?;
        let added = scores.clone() - scores_of(&marks(without))?;
        Ok(Self { column: marks(column), with, scores, added })
    }

    /// The mean [`huber`] loss of the difference between the columns' terms and their contributions: `[1]`. With
    /// squares a few rows with large scores would outweigh the others.
    pub fn error(&self, batch: &Batch, forward: &Forward) -> Tensor<1> {
        let column = Tensor::from_inner(self.column.clone());
        let slots = batch.slot_marks(&column) * batch.z.clone();
        let terms = (forward.sparse_weights.clone() * slots.unsqueeze_dim(1)).sum_dim(2);
        let terms: Tensor<2> = terms.squeeze_dim(2);
        huber(terms - Tensor::from_inner(self.added.clone())).mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::test_support::Small;
    use burn::module::Module;

    const FEATURES: usize = 4;

    fn bits(set: usize) -> impl Iterator<Item = f32> {
        (0..FEATURES).map(move |j| if set >> j & 1 == 1 { 1.0 } else { 0.0 })
    }

    /// The scores of every subset of the columns, for every row: [subset][row · outputs + output]
    fn all_scores(small: &Small, batch: &Batch) -> Vec<Vec<f64>> {
        let marks =
            |set: usize| (0..batch.rows.len()).flat_map(|_| bits(set)).collect::<Vec<f32>>();
        (0..1 << FEATURES).map(|set| small.scores(batch, &marks(set))).collect()
    }

    fn numbers(tensor: &Tensor<2>) -> Vec<f64> {
        tensor.clone().into_data().iter::<f64>().collect()
    }

    /// The same on the host, from the scores of all subsets.
    #[test]
    fn the_error_is_between_a_column_s_term_and_what_it_adds() {
        for outputs in [1, 3] {
            let small = Small::table(outputs);
            let batch = small.batch();
            assert_eq!(batch.features(), FEATURES);
            let scores = all_scores(&small, &batch);
            // Row b keeps the columns that are the bits of b: row 0 none.
            let kept: Vec<f32> = (0..batch.rows.len()).flat_map(|b| bits(b % 16)).collect();
            let mut rng = stream(3, Purpose::Subset, 0, 0);
            let (network, inner) = (small.network.valid(), batch.clone().inner());
            let marginals = Marginals::draw(&network, &inner, &kept, &mut rng).unwrap();
            let forward = small.forward(&batch, &kept);
            let found: f64 = marginals.error(&batch, &forward).into_scalar();
            let (column, added) = (numbers(&marginals.column), numbers(&marginals.added));
            let weights: Vec<f64> = forward.sparse_weights.into_data().iter::<f64>().collect();
            let mut sum = 0.0;
            for b in 0..batch.rows.len() {
                let column = &column[b * FEATURES..(b + 1) * FEATURES];
                let added = &added[b * outputs..(b + 1) * outputs];
                let Some(j) = column.iter().position(|&mark| mark == 1.0) else {
                    assert!(b % 16 == 0 && added.iter().all(|&added| added == 0.0));
                    continue;
                };
                assert_eq!((column.iter().sum::<f64>(), ((b % 16) >> j) & 1), (1.0, 1));
                // Its contribution to some T of the other kept columns, the same for all outputs.
                let others = (b % 16) & !(1 << j);
                let adds = |t: usize, c: usize| {
                    scores[t | 1 << j][b * outputs + c] - scores[t][b * outputs + c]
                };
                let is_t = |t: &usize| {
                    t & !others == 0 && (0..outputs).all(|c| (adds(*t, c) - added[c]).abs() < 1e-5)
                };
                assert!((0..16).any(|t| is_t(&t)), "row {b}, column {j}: {added:?}");
                for (c, added) in added.iter().enumerate() {
                    let slot = |n: usize| {
                        let at = ((b * outputs + c) * FEATURES + j) * 2 + n;
                        weights[at] * f64::from(batch.rows[b].values[2 * j + n])
                    };
                    let error = (slot(0) + slot(1) - added).abs();
                    sum += if error < 1.0 { error * error } else { 2.0 * error - 1.0 };
                }
            }
            let expected = sum / (batch.rows.len() * outputs) as f64;
            assert!((found - expected).abs() < 1e-4 * expected, "{found} instead of {expected}");
        }
    }

    /// On average over draws, a column's contribution is its Shapley value among the kept ones.
    #[test]
    fn contributions_of_columns_are_shapley_values_on_average() {
        let mut small = Small::table(1);
        let row = 3;
        small.samples = small.samples.select(&vec![row; 6000]);
        let batch = small.batch();
        let one = |set: usize| -> f64 {
            let small = Small::table(1);
            small.scores(&small.batch(), &(0..24).flat_map(|_| bits(set)).collect::<Vec<_>>())[row]
        };
        let scores: Vec<f64> = (0..16).map(one).collect();
        let kept = vec![1.0; 6000 * FEATURES];
        let mut rng = stream(5, Purpose::Subset, 0, 0);
        let (network, batch) = (small.network.valid(), batch.inner());
        let marginals = Marginals::draw(&network, &batch, &kept, &mut rng).unwrap();
        let (column, added) = (numbers(&marginals.column), numbers(&marginals.added));
        let factorial = |n: usize| (1..=n).product::<usize>() as f64;
        let mut total = 0.0;
        for j in 0..FEATURES {
            let own: Vec<f64> =
                (0..6000).filter(|b| column[b * FEATURES + j] == 1.0).map(|b| added[b]).collect();
            let n = own.len() as f64;
            let mean = own.iter().sum::<f64>() / n;
            let spread = (own.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / n).sqrt();
            let shapley: f64 = (0..16_usize)
                .filter(|t| t >> j & 1 == 0)
                .map(|t| {
                    let size = t.count_ones() as usize;
                    let weight = factorial(size) * factorial(FEATURES - 1 - size);
                    weight / factorial(FEATURES) * (scores[t | 1 << j] - scores[t])
                })
                .sum();
            total += shapley;
            // Four standard errors.
            let near = 4.0 * spread / n.sqrt() + 1e-6;
            assert!((mean - shapley).abs() < near, "column {j}: {mean} instead of {shapley}");
        }
        assert!((total - (scores[15] - scores[0])).abs() < 1e-6);
    }
}
