//! The division of a table row's score among its columns.
//!
//! The generator's weights add up to the score, but they are written by a network that sees all chosen
//! columns: the term of one could carry information of another. The explainer, a separate network that sees
//! what the generator sees, gives each column's contribution (FastSHAP, Jethani et al. 2022) and the slope of
//! the score in each number. The difference between its terms and the score is shared equally by all columns, so
//! that the sum stays exact whatever it predicts; it does not affect the score.

use super::{LinearPart, MonotonePart};
use crate::generator::layers::Init;
use crate::generator::{Active, ColumnRows, Dropout, Generator, TabularEnsemble};
use crate::representation::Batch;
use burn::module::Module;
use burn::tensor::Tensor;

/// A network that predicts the contribution of each column and the slope of the score in it.
#[derive(Module, Debug)]
pub(crate) struct Explainer {
    network: TabularEnsemble,
}

impl Explainer {
    /// One that predicts zero at first, for these columns and scores.
    pub fn new(columns: &[ColumnRows], outputs: usize, init: &mut Init<'_>) -> Self {
        Self { network: TabularEnsemble::of_columns(columns, 2, outputs, init) }
    }

    /// The weights with the same sums, divided anew. On top of a linear model it predicts an addition to that
    /// model's terms; for a monotone column, an addition to its own term, which is a level that does not depend
    /// on its value, so that the term moves as the score does.
    ///
    /// kept: [batch, columns], weights: [batch, outputs, 2 · columns], 0 where a column is not kept → the same
    pub fn divided(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        weights: Tensor<3>,
        (linear, monotone): (Option<&LinearPart>, Option<&MonotonePart>),
        dropout: &mut Dropout,
    ) -> Tensor<3> {
        let [samples, outputs, slots] = weights.dims();
        let columns = slots / 2;
        let x = batch.erased(kept);
        let all = Active::all(slots);
        // A column's contribution, and the slope of the score in it: the level is the part without the slope.
        let pairs = [samples, outputs, columns, 2];
        let predicted = self.network.forward(&x, &all, dropout).reshape(pairs);
        let (added, mut slopes) = (predicted.clone().narrow(3, 0, 1), predicted.narrow(3, 1, 1));
        let own = monotone.map(|monotone| monotone.slots(slots, &weights.device()));
        let others = own.clone().map(|own| own.neg().add_scalar(1.0));
        if let Some(others) = &others {
            slopes = slopes * others.clone().reshape([1, 1, columns, 2]).narrow(3, 1, 1);
        }
        let numbers = batch.z.clone().reshape([samples, 1, columns, 2]).narrow(3, 1, 1);
        let predicted = Tensor::cat(vec![added - slopes.clone() * numbers, slopes], 3);
        let mut predicted = predicted.reshape([samples, outputs, slots]);
        if let Some(linear) = linear {
            let linear = linear.weights(&x);
            predicted = predicted + others.clone().map_or(linear.clone(), |others| linear * others);
        }
        let predicted = predicted * batch.slot_marks(kept).unsqueeze_dim(1);
        let z = batch.z.clone().unsqueeze_dim(1);
        let divided = others.map_or(weights.clone(), |others| weights.clone() * others);
        let lacking = ((divided - predicted.clone()) * z).sum_dim(2);
        let shares = kept.clone() / kept.clone().sum_dim(1).clamp_min(1.0);
        let levels = (lacking * shares.unsqueeze_dim(1)).unsqueeze_dim::<4>(3);
        let none = Tensor::zeros_like(&levels);
        let predicted =
            predicted + Tensor::cat(vec![levels, none], 3).reshape([samples, outputs, slots]);
        own.map_or(predicted.clone(), |own| predicted + weights * own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Evidence, subsets};
    use crate::generator::BuiltIn;
    use crate::network::{MembersForward, Network};
    use crate::random::{Purpose, normal, stream};
    use crate::test_support::Small;
    use crate::train::{param_gradients, weights_of, with_weights};
    use burn::module::{ModuleMapper, Param};
    use rand::RngExt;
    use std::path::Path;

    /// A small table and its network with an explainer of random weights; gradients are on.
    fn explained(outputs: usize) -> (Small, Network<BuiltIn>) {
        let small = Small::table(outputs);
        let dims = small.representation.dims(1, Evidence::Chosen);
        let columns = dims.x.columns().expect("it is a table");
        let mut rng = stream(4, Purpose::Initialize, 0, 1);
        let mut init = Init::new(&mut rng, &small.device);
        let explainer = Explainer::new(columns, outputs, &mut init);
        let mut weights = weights_of(&explainer);
        for array in weights.values_mut() {
            array.values = normal(&mut rng, array.values.len());
            array.values.iter_mut().for_each(|value| *value *= 0.3);
        }
        let explainer = with_weights(explainer, weights, Path::new("made")).unwrap();
        let network = small.network.clone().with_explainer(explainer);
        (small, network.map(&mut WithGradients))
    }

    /// Random columns kept; for the first row none.
    fn marks(batch: &Batch, small: &Small) -> Tensor<2> {
        let mut rng = stream(8, Purpose::Sample, 0, 0);
        let features = batch.features();
        let mark = |i: usize| f32::from(u8::from(i >= features && rng.random::<bool>()));
        let marks = (0..batch.rows.len() * features).map(mark).collect();
        subsets::tensor(marks, features, &small.device)
    }

    fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
        tensor.into_data().iter::<f64>().collect()
    }

    #[test]
    fn whatever_an_explainer_says_the_scores_stay_and_erased_columns_have_no_term() {
        for outputs in [1, 3] {
            let (small, network) = explained(outputs);
            let batch = small.batch();
            let kept = marks(&batch, &small);
            let off = &mut Dropout::off();
            let before = network.generated(&batch, &kept, off).unwrap();
            let after = network.explained(&batch, &kept, before.clone(), off);
            let scores = [&before, &after].map(|w| numbers(network.scores(&batch, w.clone())));
            for (before, after) in scores[0].iter().zip(&scores[1]) {
                assert!((before - after).abs() < 1e-4, "{after} instead of {before}");
            }
            let erased = batch.slot_marks(&kept).neg().add_scalar(1.0).unsqueeze_dim(1);
            assert!(numbers(after.clone() * erased).iter().all(|&weight| weight == 0.0));
            let moved = numbers(after - before).iter().filter(|d| d.abs() > 0.01).count();
            assert!(moved > batch.rows.len() * outputs, "only {moved} weights are others");
        }
    }

    /// The loss of the scores does not reach the explainer, and that of the terms does not reach the
    /// generator.
    #[test]
    fn scores_and_their_division_learn_apart() {
        let (small, network) = explained(1);
        let batch = small.batch();
        let kept = marks(&batch, &small);
        let explainer = network.explainer.as_ref().expect("it was put there");
        let learn = |loss_of: fn(MembersForward) -> Tensor<1>| {
            // A graph can be traversed once.
            let gradients = || {
                let all = network.forward_members(&batch, &kept, &mut Dropout::off()).unwrap();
                loss_of(all).backward()
            };
            let generator = param_gradients(network.generator(), gradients());
            [generator, param_gradients(explainer, gradients())].map(|found| !found.is_empty())
        };
        assert_eq!(learn(|all| all.scores.powi_scalar(2).sum()), [true, false]);
        assert_eq!(learn(|all| all.mean.sparse_weights.powi_scalar(2).sum()), [false, true]);
    }

    struct WithGradients;

    impl ModuleMapper for WithGradients {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            param.set_require_grad(true)
        }
    }
}
