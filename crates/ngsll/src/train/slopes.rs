//! Slopes that hold: moving a chosen number by δ should move the score by slope · δ.

use super::loss::huber;
use crate::network::Forward;
use crate::representation::{Batch, Change, Encoded, Representation};
use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The size of random changes of numbers, in standard deviations.
const SPREAD: f64 = 0.3;

/// A change that no slope predicted counts as a genuine step or bend, not as unevenness, if it
/// is larger than about this, in log-odds or standard deviations of the target.
const STEP: f64 = 0.25;

/// e² / (1 + (e / [`STEP`])²): small errors count by their squares, large ones all the same, so that
/// scores lose their small bumps and keep their steps.
fn unevenness(error: Tensor<2>) -> Tensor<2> {
    let square = error.powi_scalar(2);
    square.clone() / square.div_scalar(STEP * STEP).add_scalar(1.0)
}

/// A batch in which one kept number of each sample, if it has any, was moved.
pub(super) struct Moved {
    pub batch: Batch,
    /// δ in the slot of the moved number's slope, 0 elsewhere: [batch, slots]
    by: Tensor<2>,
}

impl Moved {
    /// Moves a random kept number of each row.
    ///
    /// kept: [batch, features]
    pub fn draw(
        representation: &Representation,
        samples: &Encoded,
        rows: &[usize],
        batch: &Batch,
        kept: &[f32],
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let (features, slots) = (batch.features(), batch.active.slots);
        let mut by = vec![0.0_f32; rows.len() * slots];
        let mut changed = Vec::with_capacity(rows.len());
        let mut open: Vec<usize> = Vec::with_capacity(features);
        for (b, &row) in rows.iter().enumerate() {
            let slope = |j: usize| batch.rows[b].values[2 * j + 1];
            open.clear();
            // A value of exactly 0 is a level, a gap or the mean; the last is no loss.
            open.extend(
                (0..features).filter(|&j| kept[b * features + j] != 0.0 && slope(j) != 0.0),
            );
            // The sum of twelve uniform numbers is close to normal.
            let delta = ((0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0) * SPREAD;
            let pick = rng.random_range(0..open.len().max(1));
            let moved = open.get(pick).and_then(|&feature| {
                let change = Change::Add { feature, by: delta };
                Some((feature, representation.changed(samples, row, change)?))
            });
            changed.push(match moved {
                Some((feature, sample)) => {
                    by[b * slots + 2 * feature + 1] = delta as f32;
                    sample
                }
                None => representation.sample(samples, row),
            });
        }
        let changed = Encoded::concat(changed.into_iter());
        let all: Vec<usize> = (0..rows.len()).collect();
        let device = batch.z.device();
        let by = Tensor::from_data(TensorData::new(by, [rows.len(), slots]), &device);
        Self { batch: representation.batch(&changed, &all, &device), by }
    }

    /// The part of the later scores that the earlier slopes did not predict: as a loss of the slopes (the mean of
    /// [`huber`]), and as one of the scores, which should be straight (the mean of [`unevenness`]): `[1]` each
    pub fn errors(&self, before: &Forward, after: Tensor<2>) -> [Tensor<1>; 2] {
        let predicted =
            (before.sparse_weights.clone() * self.by.clone().unsqueeze_dim(1)).sum_dim(2);
        let predicted: Tensor<2> = predicted.squeeze_dim(2);
        let change = after - before.scores.clone();
        let slopes = huber(change.clone().detach() - predicted.clone()).mean();
        [slopes, unevenness(change - predicted.detach()).mean()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::test_support::Small;

    /// A third of the columns kept, and of one row none.
    fn kept(batch: &Batch) -> Vec<f32> {
        let mut rng = stream(8, Purpose::Sample, 0, 0);
        let n = batch.rows.len() * batch.features();
        let mark = |i: usize| if i >= batch.features() && rng.random() { 1.0 } else { 0.0 };
        (0..n).map(mark).collect()
    }

    /// The same numbers on the host, one by one.
    #[test]
    fn the_error_is_what_slopes_do_not_predict_of_a_moved_number() {
        for outputs in [1, 3] {
            let small = Small::table(outputs);
            let batch = small.batch();
            let encoded = small.representation.encode(&small.samples).unwrap();
            let rows: Vec<usize> = (0..encoded.len()).collect();
            let (kept, features) = (kept(&batch), batch.features());
            let mut rng = stream(9, Purpose::Subset, 0, 0);
            let moved =
                Moved::draw(&small.representation, &encoded, &rows, &batch, &kept, &mut rng);
            let (before, after) =
                (small.forward(&batch, &kept), small.forward(&moved.batch, &kept));
            let found = moved.errors(&before, after.scores.clone());
            let found = found.map(|error| error.into_scalar::<f64>());
            let numbers = |t: Tensor<2>| t.into_data().iter::<f64>().collect::<Vec<_>>();
            let (scores, later) = (numbers(before.scores.clone()), numbers(after.scores));
            let weights: Vec<f64> = before.sparse_weights.into_data().iter::<f64>().collect();
            let (mut sums, mut moves) = ([0.0; 2], 0);
            for b in 0..rows.len() {
                let (own, other) = (&batch.rows[b].values, &moved.batch.rows[b].values);
                let changed: Vec<usize> =
                    (0..features).filter(|j| own[2 * j + 1] != other[2 * j + 1]).collect();
                let open = |j: &usize| kept[b * features + j] == 1.0 && own[2 * j + 1] != 0.0;
                // One kept number, wherever there is one.
                assert_eq!(changed.len(), usize::from((0..features).any(|j| open(&j))));
                assert!(changed.iter().all(open));
                moves += changed.len();
                for c in 0..outputs {
                    let at = b * outputs + c;
                    let predicted: f64 = changed
                        .iter()
                        .map(|&j| {
                            let by = other[2 * j + 1] - own[2 * j + 1];
                            weights[at * 2 * features + 2 * j + 1] * f64::from(by)
                        })
                        .sum();
                    let error = (later[at] - scores[at] - predicted).abs();
                    sums[0] += if error < 1.0 { error * error } else { 2.0 * error - 1.0 };
                    sums[1] += error * error / (1.0 + 16.0 * error * error);
                }
            }
            let expected = sums.map(|sum| sum / (rows.len() * outputs) as f64);
            assert!(moves > rows.len() / 2 && expected[1] > 1e-4, "{moves} moves, {expected:?}");
            for (found, expected) in found.into_iter().zip(expected) {
                let near = (found - expected).abs() < 1e-4 * expected;
                assert!(near, "{found} instead of {expected}");
            }
        }
    }
}
