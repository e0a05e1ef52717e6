//! The last features, found by trying them out.
//!
//! A gradient says what a little more or less of a mark would change, not what a feature is worth by itself. Where few
//! features are to be named, those are too different to choose by it, and few enough passes say it exactly.

use super::SupportedClasses;
use crate::error::Result;
use crate::evidence::subsets::tensor;
use crate::generator::{Dropout, Generator};
use crate::network::{Gating, Network};
use crate::representation::Batch;

/// The number of features that are tried out.
pub const CANDIDATES: usize = 4;

/// Of the candidates of each sample, at most `k`: one after the other, the one with which those before it
/// support the answer most. Of equal ones the first is taken.
///
/// candidates: [batch, features] → kept: [batch, features] of 0 and 1
pub(super) fn best<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    candidates: &[f32],
    k: usize,
    answers: &mut SupportedClasses,
) -> Result<Vec<f32>> {
    let features = batch.features();
    let scores = |marks: Vec<f32>| {
        let kept = tensor(marks, features, &batch.z.device());
        Ok(network.forward(batch, Gating::Evidence { kept }, &mut Dropout::off())?.scores)
    };
    if answers.classes.is_empty() {
        answers.find(&scores(batch.available.clone())?);
    }
    let listed = |candidates: &[f32]| -> Vec<usize> {
        (0..features).filter(|&j| candidates[j] != 0.0).collect()
    };
    let mut left: Vec<Vec<usize>> = candidates.chunks_exact(features).map(listed).collect();
    let mut kept = vec![0.0; candidates.len()];
    for _ in 0..k {
        // The position among those that are left, and its support.
        let mut found: Vec<Option<(usize, f64)>> = vec![None; left.len()];
        for position in 0..left.iter().map(Vec::len).max().unwrap_or(0) {
            let mut tried = kept.clone();
            for (tried, left) in tried.chunks_exact_mut(features).zip(&left) {
                left.get(position).iter().for_each(|&&j| tried[j] = 1.0);
            }
            let support = answers.support(scores(tried)?).into_data();
            let samples = found.iter_mut().zip(&left).zip(support.iter::<f64>());
            for ((best, left), support) in samples {
                let better = best.is_none_or(|(_, most)| support > most);
                if position < left.len() && better {
                    *best = Some((position, support));
                }
            }
        }
        let samples = kept.chunks_exact_mut(features).zip(&mut left).zip(found);
        for ((kept, left), found) in samples {
            if let Some((position, _)) = found {
                kept[left.remove(position)] = 1.0;
            }
        }
    }
    Ok(kept)
}
