//! The choice against finite differences and against a network whose terms are known.

use super::*;
use crate::gate::GateScope;
use crate::generator::{Active, X};
use crate::network::Intercept;
use crate::random::{Purpose, stream};
use crate::test_support::{Small, assert_same_on_any_threads};
use burn::module::{Module, Param};
use rand::RngExt;

const RULES: [Rule; 4] = [Rule::Halving, Rule::Gradient, Rule::TwoPass, Rule::TermHalving];
const SIDES: [Side; 2] = [Side::Answer, Side::Both];

/// Central differences at ± 0.001 of each mark, equal within 0.001. Where a ReLU or a maximum has a kink in
/// between, the gradient is the slope on one side of it.
#[test]
fn the_gradient_of_the_marks_is_that_of_finite_differences() {
    let (step, tolerance) = (1e-3_f32, 1e-3);
    for small in Small::all() {
        let batch = small.batch();
        let (marks, features) = (batch.available.clone(), batch.features());
        let mut answers = SupportedClasses::default();
        let choice = Choice::new(Rule::Halving, Side::Answer);
        let found = importance(&small.network, &batch, &marks, choice, &mut answers).unwrap();
        let support = |marks: &[f32]| -> Vec<f64> {
            let scores = small.forward(&batch, marks).scores;
            answers.support(scores).into_data().iter::<f64>().collect()
        };
        let here = support(&marks);
        let (mut compared, mut kinks, mut apart, mut size) = (0, 0, Vec::new(), 0.0_f64);
        for slot in 0..features {
            // Samples do not mix, so that all are moved at once.
            let moved = |by: f32| {
                let mut marks = marks.clone();
                marks.iter_mut().skip(slot).step_by(features).for_each(|mark| *mark += by);
                support(&marks)
            };
            let (up, down) = (moved(step), moved(-step));
            for (b, (up, down)) in up.iter().zip(down).enumerate() {
                let at = b * features + slot;
                if marks[at] == 0.0 {
                    continue;
                }
                let step = f64::from(step);
                let sides = [(up - here[b]) / step, (here[b] - down) / step];
                let central = (up - down) / (2.0 * step);
                let near = |expected: f64| (found[at] - expected).abs() < tolerance;
                compared += 1;
                size = size.max(central.abs());
                if near(central) {
                    continue;
                }
                kinks += 1;
                if !sides.into_iter().any(near) {
                    apart.push((b, slot, found[at], sides));
                }
            }
        }
        let kind = small.samples.kind();
        assert!(size > 50.0 * tolerance, "{kind}: gradients of {size} show nothing");
        assert!(apart.is_empty(), "{kind}: {apart:?} of {compared}");
        assert!(kinks * 10 <= compared, "{kind}: {kinks} kinks of {compared}");
    }
}

#[test]
fn k_features_are_kept_or_all_there_are_and_only_available_ones() {
    for small in Small::all() {
        let batch = small.batch();
        let features = batch.features();
        for (rule, side) in RULES.into_iter().flat_map(|rule| SIDES.map(|side| (rule, side))) {
            for k in 1..=features {
                let kept = choose(&small.network, &batch, k, Choice::new(rule, side)).unwrap();
                let rows = kept.chunks_exact(features).zip(batch.available.chunks_exact(features));
                for (kept, available) in rows {
                    assert!(
                        kept.iter().zip(available).all(|(k, a)| [0.0, 1.0].contains(k) && k <= a)
                    );
                    let count = |marks: &[f32]| marks.iter().filter(|mark| **mark == 1.0).count();
                    assert_eq!(count(kept), k.min(count(available)), "{rule:?}, {side:?}");
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_choice() {
    for small in Small::all() {
        let batch = small.batch();
        for rule in RULES {
            let choice = Choice::new(rule, Side::Answer);
            assert_same_on_any_threads(|| choose(&small.network, &batch, 2, choice).unwrap());
        }
    }
}

/// The features that count against an answer are not among the masked ones.
#[test]
fn what_speaks_against_a_class_is_chosen_from_the_given_features() {
    for small in Small::all() {
        let batch = small.batch();
        let features = batch.features();
        let own =
            choose(&small.network, &batch, 2, Choice::new(Rule::Halving, Side::Both)).unwrap();
        let open: Vec<f32> =
            batch.available.iter().zip(&own).map(|(open, own)| open * (1.0 - own)).collect();
        let classes = vec![0; batch.rows.len()];
        let found = choose_against(&small.network, &batch, open.clone(), 2, classes).unwrap();
        assert!(found.iter().zip(&open).all(|(found, open)| found <= open));
        let count = |marks: &[f32]| marks.iter().filter(|mark| **mark == 1.0).count();
        for (found, open) in found.chunks_exact(features).zip(open.chunks_exact(features)) {
            assert_eq!(count(found), count(open).min(2));
        }
    }
}

/// Weights that are the same for every sample, whatever is visible of it: terms never change.
#[derive(Module, Debug)]
struct SameWeights {
    /// [outputs, features]
    weights: Param<Tensor<2>>,
}

impl Generator for SameWeights {
    fn forward(&self, _x: &X, active: &Active, _dropout: &mut Dropout) -> Tensor<3> {
        let batch = active.indices.as_ref().map_or(BATCH, |indices| indices.dims()[0]);
        let [outputs, slots] = self.weights.dims();
        self.weights.val().unsqueeze::<3>().expand([batch, outputs, slots])
    }
}

/// Images of [`Small::images`].
const BATCH: usize = 6;

fn same_weights(outputs: usize, features: usize) -> (Network<SameWeights>, Vec<f64>) {
    let device = burn::tensor::Device::default().autodiff();
    let mut rng = stream(4, Purpose::Sample, 0, 0);
    let weights: Vec<f32> = (0..outputs * features).map(|_| rng.random_range(-2.0..2.0)).collect();
    let data = TensorData::new(weights.clone(), [outputs, features]);
    let generator = SameWeights { weights: Param::from_data(data, &device) };
    let network = Network::new(generator, outputs, GateScope::Shared, Intercept::None, &device);
    (network.no_grad(), weights.into_iter().map(f64::from).collect())
}

/// With one score every rule ranks by w z, towards the answer or by size.
#[test]
fn of_terms_that_never_change_every_rule_keeps_the_largest() {
    let small = Small::images(1);
    let batch = small.batch();
    let features = batch.features();
    let (network, weights) = same_weights(1, features);
    for (rule, side) in RULES.into_iter().flat_map(|rule| SIDES.map(|side| (rule, side))) {
        for k in 1..=features {
            let kept = choose(&network, &batch, k, Choice::new(rule, side)).unwrap();
            for (b, kept) in kept.chunks_exact(features).enumerate() {
                let z = &batch.rows[b].values;
                let terms: Vec<f64> =
                    weights.iter().zip(z).map(|(w, z)| w * f64::from(*z)).collect();
                let sign = if terms.iter().sum::<f64>() > 0.0 { 1.0 } else { -1.0 };
                let count = |j: usize| match side {
                    Side::Answer => sign * terms[j],
                    Side::Both => terms[j].abs(),
                };
                let mut order: Vec<usize> = (0..features).filter(|&j| z[j] != 0.0).collect();
                order.sort_by(|&a, &b| count(b).total_cmp(&count(a)));
                let mut expected = vec![0.0; features];
                order.into_iter().take(k).for_each(|j| expected[j] = 1.0);
                assert_eq!(kept, expected, "{rule:?}, {side:?}, {k} of image {b}");
            }
        }
    }
}

/// With several scores the gradient is that of the answer's log probability, and a term is measured against the mean
/// of all classes.
#[test]
fn of_several_scores_a_feature_counts_as_far_as_it_tells_the_answer_apart() {
    let small = Small::images(3);
    let batch = small.batch();
    let features = batch.features();
    let (network, weights) = same_weights(3, features);
    let count = |rule: Rule| {
        let choice = Choice::new(rule, Side::Answer);
        importance(&network, &batch, &batch.available, choice, &mut SupportedClasses::default())
            .unwrap()
    };
    let (gradient, term) = (count(Rule::Gradient), count(Rule::TwoPass));
    for b in 0..BATCH {
        let z = |j: usize| f64::from(batch.rows[b].values[j]);
        let w = |c: usize, j: usize| weights[c * features + j];
        let scores: Vec<f64> =
            (0..3).map(|c| (0..features).map(|j| w(c, j) * z(j)).sum::<f64>()).collect();
        let answer = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        for j in 0..features {
            let mean: f64 = (0..3).map(|c| scores[c].exp() / total * w(c, j)).sum();
            let expected = (w(answer, j) - mean) * z(j);
            let found = gradient[b * features + j];
            assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
            let mean: f64 = (0..3).map(|c| w(c, j)).sum::<f64>() / 3.0;
            let expected = (w(answer, j) - mean) * z(j);
            let found = term[b * features + j];
            assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
        }
    }
}
