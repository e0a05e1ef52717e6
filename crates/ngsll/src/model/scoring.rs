//! Samples go through the network in batches.

use super::Model;
use super::passes::in_passes;
use crate::dataset::Samples;
use crate::error::Result;
use crate::evidence::choice::choose;
use crate::evidence::{Evidence, subsets};
use crate::explanation::Explanation;
use crate::generator::{Dropout, Generator};
use crate::network::Gating;
use crate::representation::{Batch, Encoded};
use burn::tensor::Tensor;

/// Samples that go through the network together: few, so that the data between its layers stay in
/// cache and each thread has its own batches.
const BATCH: usize = Model::BATCH;
/// A batch that went through the network.
pub(super) struct ScoredBatch {
    pub batch: Batch,
    /// w': [batch, outputs, slots]
    sparse_weights: Tensor<3>,
    /// The same on the host.
    pub weights: Vec<f32>,
    /// 1 where a feature was chosen: [batch, features]; `None` where the gate chose by weight.
    pub kept: Option<Vec<f32>>,
    /// intercept + Σ w'_j z_j in the user's units, summed in f64 so that the sum is exact however large
    /// the units are: [batch, outputs]
    pub scores: Vec<f64>,
}

/// Scores of many samples and their parts, for metrics; no terms are built.
pub(crate) struct Scored {
    /// The scores of each sample, in the user's units.
    pub scores: Vec<Vec<f64>>,
    /// The number of features that each score uses.
    pub features: Vec<usize>,
    /// The largest difference between a score as the sum of its terms and the network's own forward
    /// pass, in the user's units.
    pub difference: f64,
}

impl Scored {
    fn join(parts: Vec<Self>) -> Self {
        let mut all = Self { scores: Vec::new(), features: Vec::new(), difference: 0.0 };
        for part in parts {
            all.scores.extend(part.scores);
            all.features.extend(part.features);
            all.difference = all.difference.max(part.difference);
        }
        all
    }
}

impl<G: Generator> Model<G> {
    /// The scores of every sample, compared with the network's own forward pass.
    pub(crate) fn score(&self, samples: &Samples, k: Option<usize>) -> Result<Scored> {
        let parts = self.batches(samples, k, |_, _, scored| vec![self.compared(scored)])?;
        Ok(Scored::join(parts))
    }

    /// The same with the explanations, from one pass through the network.
    pub(crate) fn score_and_explain(
        &self,
        samples: &Samples,
        k: Option<usize>,
    ) -> Result<(Scored, Vec<Explanation>)> {
        let parts = self.batches(samples, k, |rows, intercepts, scored| {
            let explain = |b: usize| self.explanation(samples, rows[b], intercepts, scored, b);
            let explanations: Vec<Explanation> = (0..rows.len()).map(explain).collect();
            vec![(self.compared(scored), explanations)]
        })?;
        let (scored, explanations): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((Scored::join(scored), explanations.into_iter().flatten().collect()))
    }

    /// The scores of encoded samples, in the user's units: from the given features of each alone or,
    /// without them, as the model predicts with K = `k`.
    pub(crate) fn score_encoded(
        &self,
        encoded: &Encoded,
        kept: Option<&[Vec<usize>]>,
        k: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let outputs = self.objective.outputs();
        self.encoded_batches(encoded, kept, k, |_, _, scored| {
            Ok(scored.scores.chunks_exact(outputs).map(<[f64]>::to_vec).collect())
        })
    }

    /// The features that the scores of encoded samples use with K = `k`.
    pub(crate) fn chosen_features(&self, encoded: &Encoded, k: usize) -> Result<Vec<Vec<usize>>> {
        self.encoded_batches(encoded, None, k, |rows, _, scored| {
            let (batch, outputs) = (&scored.batch, self.objective.outputs());
            let uses = |b: usize, slot: usize| match &scored.kept {
                Some(kept) => kept[b * batch.features() + slot] != 0.0,
                None => (0..outputs)
                    .any(|c| scored.weights[(b * outputs + c) * batch.active.slots + slot] != 0.0),
            };
            let chosen = |b: usize| {
                let slots = (0..batch.listed(b)).filter(|&slot| uses(b, slot));
                slots.map(|slot| batch.feature_at(b, slot)).collect()
            };
            Ok((0..rows.len()).map(chosen).collect())
        })
    }

    /// A batch's scores, compared with the network's own forward pass.
    pub(super) fn compared(&self, scored: &ScoredBatch) -> Scored {
        let (factor, offset) = self.objective.units();
        let forward = self.network.scores(&scored.batch, scored.sparse_weights.clone()).into_data();
        let pairs = scored.scores.iter().zip(forward.iter::<f64>());
        let difference = pairs.map(|(sum, own)| (sum - (own * factor + offset)).abs());
        let used = |marks: &[f32]| marks.iter().filter(|mark| **mark != 0.0).count();
        let outputs = self.objective.outputs();
        let features = match &scored.kept {
            None => scored.weights.chunks_exact(scored.batch.active.slots).map(used).collect(),
            Some(kept) => {
                let samples = kept.chunks_exact(scored.batch.features()).map(used);
                samples.flat_map(|used| std::iter::repeat_n(used, outputs)).collect()
            }
        };
        Scored {
            scores: scored.scores.chunks_exact(outputs).map(<[f64]>::to_vec).collect(),
            features,
            difference: difference.fold(0.0, f64::max),
        }
    }

    /// Sends the samples through the network in small batches and collects the results of `read` for
    /// each, given its rows and the intercepts. Scores that are not finite are an error.
    pub(super) fn batches<T: Send>(
        &self,
        samples: &Samples,
        k: Option<usize>,
        read: impl Fn(&[usize], &[f64], &ScoredBatch) -> Vec<T> + Sync,
    ) -> Result<Vec<T>> {
        let k = self.check_k(k)?;
        let encoded = self.representation.encode(samples)?;
        self.encoded_batches(&encoded, None, k, |rows, intercepts, scored| {
            self.objective.check_scores(&scored.scores)?;
            Ok(read(rows, intercepts, scored))
        })
    }

    /// The same for encoded samples; if `kept` is given, from those features of each alone.
    fn encoded_batches<T: Send>(
        &self,
        encoded: &Encoded,
        kept: Option<&[Vec<usize>]>,
        k: usize,
        read: impl Fn(&[usize], &[f64], &ScoredBatch) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let intercepts = self.network.intercepts();
        in_passes(encoded, self.activations, BATCH, &self.device, |rows| {
            let batch = self.representation.batch(encoded, rows, &self.device);
            let kept = match (self.evidence, kept) {
                (Evidence::Whole, _) => None,
                (Evidence::Chosen, Some(kept)) => {
                    Some(batch.marks(rows.iter().map(|&r| &kept[r][..])))
                }
                (Evidence::Chosen, None) => Some(choose(&self.network, &batch, k, self.choice)?),
            };
            read(rows, &intercepts, &self.score_batch(batch, &intercepts, k, kept)?)
        })
    }

    fn score_batch(
        &self,
        batch: Batch,
        intercepts: &[f64],
        k: usize,
        kept: Option<Vec<f32>>,
    ) -> Result<ScoredBatch> {
        let gating = match &kept {
            None => Gating::Hard { k },
            Some(kept) => {
                let kept = subsets::tensor(kept.clone(), batch.features(), &self.device);
                Gating::Evidence { kept }
            }
        };
        let sparse_weights = self.network.sparse_weights(&batch, gating, &mut Dropout::off())?;
        let weights: Vec<f32> = sparse_weights.clone().into_data().iter::<f32>().collect();
        let (factor, offset) = self.objective.units();
        let mut scores = Vec::with_capacity(batch.rows.len() * intercepts.len());
        let mut by_score = weights.chunks_exact(batch.active.slots);
        for listed in &batch.rows {
            for (intercept, weights) in intercepts.iter().zip(&mut by_score) {
                let products = listed.values.iter().zip(weights);
                let inner: f64 = products.map(|(&z, &w)| f64::from(z) * f64::from(w)).sum();
                scores.push((inner + intercept) * factor + offset);
            }
        }
        Ok(ScoredBatch { batch, sparse_weights, weights, kept, scores })
    }
}
