//! The effect on a score of moving, removing or disturbing a feature.

use super::{Removal, WhatIf, share};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::explanation::{Explanation, Term};
use crate::generator::Generator;
use crate::model::Model;
use crate::random::{Purpose, stream};
use crate::representation::{Change, Encoded};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Moves of a number, in standard deviations.
const SPREADS: [f64; 2] = [0.1, 0.5];

/// The size of disturbances of numbers, in standard deviations.
const DISTURBANCE: f64 = 0.05;

/// The results.
pub(super) struct Changes {
    pub what_if: Vec<WhatIf>,
    pub removal: Removal,
    pub stability: Option<f64>,
}

/// A changed sample, the features that the model may see of it (`None`: it sees all, and its gate
/// decides), and the score that is read.
struct PerturbedSample {
    sample: Encoded,
    kept: Option<Vec<usize>>,
    output: usize,
}

pub(super) fn measure<G: Generator>(
    model: &Model<G>,
    data: &Dataset,
    explanations: &[Explanation],
    k: usize,
) -> Result<Changes> {
    let tests =
        PerturbationTests { model, encoded: model.representation().encode(data.samples())?, k };
    Ok(Changes {
        what_if: tests.what_if(explanations)?,
        removal: tests.removal(explanations)?,
        stability: tests.stability(explanations)?,
    })
}

struct PerturbationTests<'a, G: Generator> {
    model: &'a Model<G>,
    encoded: Encoded,
    k: usize,
}

impl<G: Generator> PerturbationTests<'_, G> {
    /// The score of each perturbed sample, in the user's units.
    fn scores(&self, perturbed: Vec<PerturbedSample>) -> Result<Vec<f64>> {
        let outputs: Vec<usize> = perturbed.iter().map(|sample| sample.output).collect();
        let kept: Option<Vec<Vec<usize>>> =
            perturbed.iter().map(|sample| sample.kept.clone()).collect();
        let samples = Encoded::concat(perturbed.into_iter().map(|sample| sample.sample));
        let scores = self.model.score_encoded(&samples, kept.as_deref(), self.k)?;
        Ok(scores.into_iter().zip(outputs).map(|(scores, output)| scores[output]).collect())
    }

    /// The features that the model saw of a sample; `None` if it saw all.
    fn seen(&self, terms: &[Term]) -> Option<Vec<usize>> {
        self.model.sees_chosen_only().then(|| terms.iter().map(|term| term.feature).collect())
    }

    fn what_if(&self, explanations: &[Explanation]) -> Result<Vec<WhatIf>> {
        let mut found = Vec::new();
        for spread in SPREADS {
            let (mut perturbed, mut predicted) = (Vec::new(), Vec::new());
            for (row, explanation) in explanations.iter().enumerate() {
                let (output, score) = explained_score(explanation);
                for term in &score.terms {
                    for by in [spread, -spread] {
                        let change = Change::Add { feature: term.feature, by };
                        let changed =
                            self.model.representation().changed(&self.encoded, row, change);
                        let Some(sample) = changed else { continue };
                        perturbed.push(PerturbedSample {
                            sample,
                            kept: self.seen(&score.terms),
                            output,
                        });
                        predicted.push((score.score, term.weight * by));
                    }
                }
            }
            if perturbed.is_empty() {
                continue;
            }
            let scores = self.scores(perturbed)?;
            let pairs: Vec<(f64, f64)> = scores
                .iter()
                .zip(predicted)
                .map(|(after, (before, predicted))| (after - before, predicted))
                .collect();
            let mean = pairs.iter().map(|(change, _)| change).sum::<f64>() / pairs.len() as f64;
            let total: f64 = pairs.iter().map(|(change, _)| (change - mean).powi(2)).sum();
            let missed: f64 =
                pairs.iter().map(|(change, predicted)| (change - predicted).powi(2)).sum();
            let moved = pairs.iter().filter(|(change, _)| *change != 0.0);
            found.push(WhatIf {
                spread,
                r2: (total > 0.0).then(|| 1.0 - missed / total),
                sign: share(moved.map(|(change, predicted)| change * predicted > 0.0)),
            });
        }
        Ok(found)
    }

    fn removal(&self, explanations: &[Explanation]) -> Result<Removal> {
        let representation = self.model.representation();
        let (mut perturbed, mut of) = (Vec::new(), Vec::new());
        for (row, explanation) in explanations.iter().enumerate() {
            let (output, score) = explained_score(explanation);
            let all = representation.listed(&self.encoded, row);
            let own = representation.sample(&self.encoded, row);
            // Each term's feature, removed from the chosen ones.
            for term in &score.terms {
                let without = match self.seen(&score.terms) {
                    Some(seen) => {
                        let kept = seen.into_iter().filter(|&j| j != term.feature).collect();
                        PerturbedSample { sample: own.clone(), kept: Some(kept), output }
                    }
                    None => self.without(row, term.feature, output),
                };
                perturbed.push(without);
                of.push((row, term.feature, Part::Term));
            }
            // Every feature, removed from all, and no feature at all.
            let whole = self.model.sees_chosen_only().then(|| all.clone());
            perturbed.push(PerturbedSample { sample: own.clone(), kept: whole, output });
            of.push((row, 0, Part::Everything));
            for &j in &all {
                let without = if self.model.sees_chosen_only() {
                    let kept = all.iter().copied().filter(|&other| other != j).collect();
                    PerturbedSample { sample: own.clone(), kept: Some(kept), output }
                } else {
                    self.without(row, j, output)
                };
                perturbed.push(without);
                of.push((row, j, Part::Feature));
            }
        }
        let after = self.scores(perturbed)?;
        let mut by_row: Vec<Effects> = explanations.iter().map(|_| Effects::default()).collect();
        for ((row, feature, part), after) in of.into_iter().zip(after) {
            let effects = &mut by_row[row];
            match part {
                Part::Term => {
                    effects.terms.push(explained_score(&explanations[row]).1.score - after)
                }
                Part::Everything => effects.everything = after,
                Part::Feature => {
                    effects.features.push((feature, (effects.everything - after).abs()));
                }
            }
        }
        let terms = |row: usize| &explained_score(&explanations[row]).1.terms;
        let rank = |(row, effects): (usize, &Effects)| {
            let own: Vec<f64> = terms(row).iter().map(|term| term.contribution).collect();
            spearman(&own, &effects.terms)
        };
        let ranks: Vec<f64> = by_row.iter().enumerate().filter_map(rank).collect();
        let signs = by_row.iter().enumerate().flat_map(|(row, effects)| {
            let pairs = terms(row).iter().zip(&effects.terms);
            pairs.filter(|(_, e)| **e != 0.0).map(|(t, e)| t.contribution * e > 0.0)
        });
        let most = |(row, effects): (usize, &Effects)| {
            let top = effects.features.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(terms(row).iter().any(|term| term.feature == top.0))
        };
        Ok(Removal {
            rank_correlation: (!ranks.is_empty())
                .then(|| ranks.iter().sum::<f64>() / ranks.len() as f64),
            sign: share(signs),
            most_influential: share(by_row.iter().enumerate().filter_map(most)),
        })
    }

    fn without(&self, row: usize, feature: usize, output: usize) -> PerturbedSample {
        let change = Change::Remove { feature };
        let changed = self.model.representation().changed(&self.encoded, row, change);
        let sample = changed.expect("every feature can be removed");
        PerturbedSample { sample, kept: None, output }
    }

    fn stability(&self, explanations: &[Explanation]) -> Result<Option<f64>> {
        let mut rng = stream(self.model.config().seed, Purpose::Sample, 0, 3);
        let mut samples = Vec::new();
        for (row, explanation) in explanations.iter().enumerate() {
            samples.push(self.disturbed(row, explanation, &mut rng));
        }
        let again = self.model.chosen_features(&Encoded::concat(samples.into_iter()), self.k)?;
        let kept = |(explanation, again): (&Explanation, Vec<usize>)| {
            let before: HashSet<usize> =
                explanation.outputs.iter().flat_map(|o| &o.terms).map(|t| t.feature).collect();
            let stayed = before.iter().filter(|j| again.contains(j)).count();
            (!before.is_empty()).then(|| stayed as f64 / before.len() as f64)
        };
        let shares: Vec<f64> = explanations.iter().zip(again).filter_map(kept).collect();
        Ok((!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64))
    }

    /// Numbers moved a little; of words and cells, one in ten of the others removed.
    fn disturbed(&self, row: usize, explanation: &Explanation, rng: &mut ChaCha8Rng) -> Encoded {
        let representation = self.model.representation();
        let mut sample = representation.sample(&self.encoded, row);
        let listed = representation.listed(&self.encoded, row);
        let mut moved = false;
        for &feature in &listed {
            // Uniform, of the wanted standard deviation.
            let by = (rng.random::<f64>() - 0.5) * 12_f64.sqrt() * DISTURBANCE;
            if let Some(changed) = representation.changed(&sample, 0, Change::Add { feature, by }) {
                (sample, moved) = (changed, true);
            }
        }
        if moved {
            return sample;
        }
        let terms = || explanation.outputs.iter().flat_map(|output| &output.terms);
        let mut others: Vec<usize> =
            listed.into_iter().filter(|&j| terms().all(|term| term.feature != j)).collect();
        others.shuffle(rng);
        for &feature in others.iter().take(others.len().div_ceil(10)) {
            sample =
                representation.changed(&sample, 0, Change::Remove { feature }).unwrap_or(sample);
        }
        sample
    }
}

enum Part {
    Term,
    Everything,
    Feature,
}

/// The fall of the score.
#[derive(Default)]
struct Effects {
    /// When a term's feature is removed from the chosen ones.
    terms: Vec<f64>,
    /// The score from all features.
    everything: f64,
    /// When a feature is removed from all, in size.
    features: Vec<(usize, f64)>,
}

/// The score that an explanation is about: with several classes, the predicted one's.
fn explained_score(explanation: &Explanation) -> (usize, &crate::explanation::ScoreExplanation) {
    let output = match explanation.outputs.len() {
        1 => 0,
        _ => explanation.prediction.class().map_or(0, |class| class.index()),
    };
    (output, &explanation.outputs[output])
}

/// Spearman's rank correlation; `None` for fewer than two numbers or if one side does not vary.
fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let n = a.len() as f64;
    let mean = (n + 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let size = (product(&a, &a) * product(&b, &b)).sqrt();
    (size > 0.0).then(|| product(&a, &b) / size)
}

/// The rank of each number, equal ones sharing theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for ties in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = start as f64 + (ties.len() as f64 + 1.0) / 2.0;
        ties.iter().for_each(|&i| ranks[i] = rank);
        start += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_of_known_lists() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 25.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(spearman(&[1.0, 2.0], &[5.0, 5.0]), None);
        assert_eq!(spearman(&[1.0], &[5.0]), None);
        // Two of four share ranks 2 and 3.
        let found = spearman(&[1.0, 2.0, 2.0, 4.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((found - 4.5 / (4.5_f64 * 5.0).sqrt()).abs() < 1e-12);
    }
}
