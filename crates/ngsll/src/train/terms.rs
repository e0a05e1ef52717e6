//! The importance and contributions of columns in the finished network: those learned during its training were for a
//! network that still changed.

use super::attribution::Marginals;
use super::from_subsets::SLOPES;
use super::slopes::Moved;
use super::{Event, Optimizer, ParamGradients, Progress, Trainer, effects, param_gradients};
use crate::error::{Error, Result};
use crate::evidence::subsets;
use crate::generator::{Dropout, Generator};
use crate::network::{Forward, Network};
use crate::random::{Purpose, stream};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use std::ops::ControlFlow;

/// Rows that are read, with bounds on how often each is.
const SEEN: usize = 240_000;
const TIMES: [usize; 2] = [2, 200];

/// The step size, which falls to zero.
const RATE: f64 = 2e-3;

impl Trainer<'_> {
    /// Learns the importance of columns and how scores are divided among them; the scores do not change. If interrupted,
    /// it keeps its progress if the training does: the terms add up to the scores after any step.
    pub fn learn_terms<G: Generator>(
        &self,
        mut network: Network<G>,
        progress: &mut Progress<'_>,
    ) -> Result<Network<G>> {
        if !network.explains() {
            return Ok(network);
        }
        let still = network.valid();
        let epochs = (SEEN / self.train.rows.len().max(1)).clamp(TIMES[0], TIMES[1]);
        let mut optimizer = Optimizer::adam(RATE);
        for epoch in 0..epochs as u64 {
            let at = u64::MAX - epoch;
            let batches = self.batches(&mut stream(self.seed, Purpose::Shuffle, at, 0));
            let rate = RATE * (1.0 - epoch as f64 / epochs as f64);
            network = optimizer.change_rate(network, rate);
            for (step, positions) in batches.iter().enumerate() {
                // On a thread of the pool: from outside, every parallel part would have to wake the pool.
                network = rayon::scope(|_| {
                    let gradients = self.each_shard(positions, step, |shard| {
                        let share = shard.positions.len() as f64 / positions.len() as f64;
                        self.term_gradients(
                            &network,
                            &still,
                            &shard.positions,
                            share,
                            (at, shard.key),
                        )
                    })?;
                    Ok::<_, Error>(optimizer.step(network, gradients))
                })?;
                let (step, steps) =
                    (epoch as usize * batches.len() + step + 1, epochs * batches.len());
                match progress(Event::Terms { step, steps }) {
                    ControlFlow::Continue(()) => {}
                    ControlFlow::Break(()) if self.keep_when_stopped => return Ok(network),
                    ControlFlow::Break(()) => return Err(Error::Interrupted),
                }
            }
        }
        Ok(network)
    }

    /// A shard's part of the gradients; `share` is its part of the batch, and `still` the network whose
    /// scores are divided.
    fn term_gradients<G: Generator>(
        &self,
        network: &Network<G>,
        still: &Network<G>,
        positions: &[usize],
        share: f64,
        at: (u64, u64),
    ) -> Result<ParamGradients> {
        let mut rng = stream(self.seed, Purpose::Subset, at.0, at.1);
        let off = &mut Dropout::off();
        let rows: Vec<usize> = positions.iter().map(|&i| self.train.rows[i]).collect();
        let batch = self.representation.batch(self.train.samples, &rows, &self.device);
        let inner = batch.clone().inner();
        let kept = self.training_subset(still, &inner, &mut rng);
        let marks = |device: &Device| subsets::tensor(kept.clone(), batch.features(), device);
        let inner_marks = marks(&inner.z.device());
        let marginals = Marginals::draw(still, &inner, &kept, &mut rng)?;
        let other = self.with_other_columns(&rows, &marginals, &mut rng);
        let moved =
            Moved::draw(self.representation, self.train.samples, &rows, &batch, &kept, &mut rng);
        let weights = still.generated(&inner, &inner_marks, off)?;
        let scores = Tensor::from_inner(still.scores(&inner, weights.clone()));
        let after = still.evidence_scores(&moved.batch.clone().inner(), &inner_marks, off)?;
        // Separate leaves: graphs that share any would wait for each other.
        let network = network.valid().train();
        let weights = Tensor::from_inner(weights);
        let sparse_weights = network.explained(&batch, &marks(&self.device), weights, off);
        let forward = Forward { sparse_weights, scores };
        let [slopes, _] = moved.errors(&forward, Tensor::from_inner(after));
        let effects = effects::error(&network, &batch, (still, &other), &marginals, off)?;
        let error = effects + marginals.error(&batch, &forward) + slopes.mul_scalar(SLOPES);
        Ok(param_gradients(&network, error.mul_scalar(share).backward()))
    }
}
