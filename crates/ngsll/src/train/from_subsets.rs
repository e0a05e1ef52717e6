//! The loss of predictions from random subsets of the features.

use super::attribution::Marginals;
use super::slopes::Moved;
use super::{Trainer, effects, loss};
use crate::error::Result;
use crate::evidence::subsets;
use crate::generator::Generator;
use crate::network::Network;
use crate::random::{Purpose, stream};
use crate::representation::Batch;
use burn::tensor::Tensor;

/// The weight of the slopes in the explainer's loss, beside the columns' contributions: slopes are learned from small
/// moves, whose errors are small.
pub(super) const SLOPES: f64 = 3.0;

impl Trainer<'_> {
    /// The loss of the predictions, which progress shows, and the whole loss: for tables it adds the losses
    /// of the networks that choose columns and divide scores among them. Those learn from the scores; the
    /// scores in turn are only pushed to be linear. `still` is the network without gradients.
    pub(super) fn loss_from_subsets<G: Generator>(
        &self,
        network: &Network<G>,
        still: &Network<G>,
        batch: &Batch,
        positions: &[usize],
        at: (u64, u64),
    ) -> Result<[Tensor<1>; 2]> {
        let mut rng = stream(self.seed, Purpose::Subset, at.0, at.1);
        let mut dropout = self.dropout(at);
        let rows: Vec<usize> = positions.iter().map(|&i| self.train.rows[i]).collect();
        let weights: Vec<f32> = positions.iter().map(|&i| self.train.weights[i]).collect();
        // Parts without gradients are computed on the inner backend.
        let inner = batch.clone().inner();
        let marks = self.training_subset(still, &inner, &mut rng);
        let kept = subsets::tensor(marks.clone(), batch.features(), &self.device);
        let all = network.forward_members(batch, &kept, &mut dropout)?;
        let (forward, members) = (all.mean, all.members);
        let fit = loss(
            all.scores,
            &self.train.targets.select(&positions.repeat(members)),
            &weights.repeat(members),
            self.config.loss,
        );
        if !network.explains() {
            return Ok([fit.clone(), fit]);
        }
        let marginals = Marginals::draw(still, &inner, &marks, &mut rng)?;
        let other = self.with_other_columns(&rows, &marginals, &mut rng);
        let effects = effects::error(network, batch, (still, &other), &marginals, &mut dropout)?;
        let moved =
            Moved::draw(self.representation, self.train.samples, &rows, batch, &marks, &mut rng);
        // The same units are dropped, so that only the move makes a difference.
        let after = network.evidence_scores(&moved.batch, &kept, &mut self.dropout(at))?;
        let [slopes, straight] = moved.errors(&forward, after);
        let all = fit.clone()
            + marginals.error(batch, &forward)
            + effects
            + slopes.mul_scalar(SLOPES)
            + straight.mul_scalar(self.config.slope_weight());
        Ok([fit, all])
    }
}
