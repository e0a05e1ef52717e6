//! The terms of an explanation.

use super::Model;
use super::scoring::ScoredBatch;
use crate::dataset::Samples;
use crate::explanation::{Explanation, ImageRegion, ScoreExplanation, Term};
use crate::generator::Generator;
use std::collections::BTreeSet;

impl<G: Generator> Model<G> {
    /// Sample `row`, which is the b-th of its batch.
    pub(super) fn explanation(
        &self,
        samples: &Samples,
        row: usize,
        intercepts: &[f64],
        scored: &ScoredBatch,
        b: usize,
    ) -> Explanation {
        let (factor, offset) = self.objective.units();
        let (outputs, slots) = (intercepts.len(), scored.batch.active.slots);
        let scores = &scored.scores[b * outputs..(b + 1) * outputs];
        let explain = |c: usize| {
            let weights = &scored.weights[(b * outputs + c) * slots..][..slots];
            ScoreExplanation {
                name: self.objective.output_name(c).to_string(),
                score: scores[c],
                intercept: intercepts[c] * factor + offset,
                terms: self.terms(samples, row, scored, b, weights),
            }
        };
        let outputs: Vec<ScoreExplanation> = (0..outputs).map(explain).collect();
        let regions = named_regions(&outputs, samples, scored, b);
        Explanation { prediction: self.objective.prediction(scores), outputs, regions }
    }

    /// The terms of the chosen features, largest contribution first.
    fn terms(
        &self,
        samples: &Samples,
        row: usize,
        scored: &ScoredBatch,
        b: usize,
        weights: &[f32],
    ) -> Vec<Term> {
        let (factor, _) = self.objective.units();
        let listed = &scored.batch.rows[b];
        let width = scored.batch.weights_per_feature;
        let is_chosen = |slot: usize| match &scored.kept {
            None => weights[slot] != 0.0,
            Some(kept) => kept[b * scored.batch.features() + slot] != 0.0,
        };
        let term = |slot: usize| {
            let number =
                |slot: usize| (f64::from(listed.values[slot]), f64::from(weights[slot]) * factor);
            // If a feature has two weights, the first is its level.
            let (first, last) = (slot * width, (slot + 1) * width - 1);
            let level = if width == 1 { 0.0 } else { number(first).0 * number(first).1 };
            let (value, slope) = number(last);
            // A level or a gap has no slope.
            let weight = if width > 1 && value == 0.0 { 0.0 } else { slope };
            let j = listed.indices[first] as usize / width;
            Term {
                feature: j,
                name: self.representation.name(j),
                value,
                observed: self.representation.observed(samples, row, j),
                weight,
                level,
                contribution: level + weight * value,
            }
        };
        let features = 0..listed.indices.len() / width;
        let mut terms: Vec<Term> = features.filter(|&slot| is_chosen(slot)).map(term).collect();
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        terms
    }
}

/// The regions that terms name, by their numbers, of an image that has its own.
fn named_regions(
    outputs: &[ScoreExplanation],
    samples: &Samples,
    scored: &ScoredBatch,
    b: usize,
) -> Vec<ImageRegion> {
    let (Some(regions), Samples::Images(images)) = (&scored.batch.active.regions, samples) else {
        return Vec::new();
    };
    let (owners, width) = (regions.of(b), images.size().width);
    let named: BTreeSet<usize> =
        outputs.iter().flat_map(|score| &score.terms).map(|term| term.feature).collect();
    named.into_iter().filter_map(|j| ImageRegion::find(j, owners, width)).collect()
}
