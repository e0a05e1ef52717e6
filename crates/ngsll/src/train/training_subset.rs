//! The subset of a sample's features that the network sees in training.

use super::Trainer;
use crate::evidence::subsets;
use crate::gate::hard::top_k;
use crate::generator::{Dropout, Generator};
use crate::network::Network;
use crate::representation::Batch;
use burn::tensor::Tensor;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

impl Trainer<'_> {
    /// A subset of each sample's features to learn from: a random one or, for half of the rows of a table,
    /// the columns that would be chosen for another row. Both are independent of the sample's content, and
    /// the second are the columns that matter: of many, the few that would be chosen are hardly ever
    /// drawn together. Network and batch are without gradients.
    ///
    /// → [batch, features]
    pub(super) fn training_subset<G: Generator>(
        &self,
        network: &Network<G>,
        batch: &Batch,
        rng: &mut ChaCha8Rng,
    ) -> Vec<f32> {
        let features = batch.features();
        let mut kept = subsets::draw(self.subset_sizes, &batch.available, features, rng);
        let all = batch.all_available();
        if let Some(importance) = network.importance(batch, &all, &mut Dropout::off()) {
            let importance: Vec<f64> = importance.into_data().iter::<f64>().collect();
            let samples = batch.rows.len();
            let shift = rng.random_range(0..samples.max(2) - 1) + 1;
            for b in (0..samples).filter(|_| samples > 1) {
                if rng.random::<bool>() {
                    continue;
                }
                let (own, other) = (b * features..(b + 1) * features, (b + shift) % samples);
                let size = kept[own.clone()].iter().filter(|&&mark| mark != 0.0).count();
                let closed: Vec<f32> =
                    batch.available[own.clone()].iter().map(|open| 1.0 - open).collect();
                let top = top_k(&importance[other * features..][..features], &closed, size);
                kept[own.clone()].fill(0.0);
                top.into_iter().for_each(|j| kept[own.start + j] = 1.0);
            }
        }
        kept
    }

    /// A random subset of each sample's features.
    pub(super) fn subset(&self, batch: &Batch, rng: &mut ChaCha8Rng) -> Tensor<2> {
        let kept = subsets::draw(self.subset_sizes, &batch.available, batch.features(), rng);
        subsets::tensor(kept, batch.features(), &batch.z.device())
    }
}
