//! The choice of the K features that a prediction is based on.
//!
//! From all features of a sample, the less important half is dropped repeatedly, until K are left.
//! On texts and images, their importance is the gradient of the score with respect to the marks, which
//! flag what is erased; what counts against the first answer has half its weight on the way, and none in the last
//! step. If fewer than four are to be named, the last four are tried out. On tables, importance is the effect of
//! erasing or replacing a column, as a small network has learned it. The other rules serve comparisons.

mod search;

use super::subsets::tensor;
use crate::config::option_table;
use crate::error::Result;
use crate::gate::hard::top_k;
use crate::generator::{Dropout, Generator};
use crate::network::{Forward, Gating, Network};
use crate::representation::Batch;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
pub use search::CANDIDATES;
use serde::{Deserialize, Serialize};

/// The rule by which features are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Choice {
    /// The measure of a feature's importance.
    pub rule: Rule,
    /// Whether features that count against the first answer matter, too.
    pub side: Side,
}

option_table! {
    Choice:
    (
        "rule",
        "search; for tables effect",
        "evidence `chosen`: how the K features are found",
        "search, effect (tables), halving, gradient, term_halving or two_pass",
    ),
    (
        "side",
        "answer; for tables both",
        "`answer` looks for features that support the first answer, the one from all features (those against it count half until the last step); `both` for features on either side",
        "answer or both",
    ),
}

/// The measure of a feature's importance, and the number of steps in which the others are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// Of a table's columns, how much the score would change if the column were erased or had another
    /// value, as learned by a small network; in halves, evaluated anew each time.
    Effect,
    /// [`Halving`](Self::Halving) down to four features; of these, one after the other, the one with which
    /// the features named so far support the answer most. With K of four or more, and for pros and cons, it is
    /// `Halving`.
    Search,
    /// The gradient of the score with respect to the feature's mark, in halves with a new gradient
    /// each time.
    Halving,
    /// The gradient at the whole sample, once.
    Gradient,
    /// The feature's term in a pass with all features.
    TwoPass,
    /// The feature's term, in halves with a new pass each time.
    TermHalving,
}

/// Whether features that count against the first answer, the one from all features, matter, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Side {
    /// Only support for it; until the last step, what counts against it has half its weight.
    Answer,
    /// Support for it and evidence against it alike.
    Both,
}

impl Choice {
    /// A rule and a side.
    pub fn new(rule: Rule, side: Side) -> Self {
        Self { rule, side }
    }

    /// What this default was when models did not store their choice.
    pub(crate) fn of_older_models(self) -> Self {
        let rule = if self.rule == Rule::Search { Rule::Halving } else { self.rule };
        Self { rule, ..self }
    }

    fn halves(self) -> bool {
        matches!(self.rule, Rule::Effect | Rule::Search | Rule::Halving | Rule::TermHalving)
    }

    /// The number of features at which no more are dropped: K, or more if the last are tried out.
    pub fn candidates(self, k: usize) -> usize {
        let searches = self.rule == Rule::Search && self.side == Side::Answer;
        if searches { k.max(search::CANDIDATES) } else { k }
    }
}

/// Chooses at most `k` of the available features of each sample.
///
/// → kept: [batch, features] of 0 and 1
pub(crate) fn choose<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    k: usize,
    choice: Choice,
) -> Result<Vec<f32>> {
    choose_for(network, batch, batch.available.clone(), k, choice, SupportedClasses::default())
}

/// Chooses at most `k` of the given features of each sample that count against a class of it.
///
/// available: [batch, features] → kept: [batch, features] of 0 and 1
pub(crate) fn choose_against<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    available: Vec<f32>,
    k: usize,
    classes: Vec<usize>,
) -> Result<Vec<f32>> {
    let answers = SupportedClasses { classes, against: true };
    let choice = Choice::new(Rule::Halving, Side::Answer);
    choose_for(network, batch, available, k, choice, answers)
}

/// The weight of a feature that counts against the first answer, until the last step. With none, a
/// feature without any effect would rank before one that matters.
pub const AGAINST: f64 = 0.5;

fn choose_for<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    mut kept: Vec<f32>,
    k: usize,
    choice: Choice,
    mut answers: SupportedClasses,
) -> Result<Vec<f32>> {
    let features = batch.features();
    // A search for the evidence against a class looks for nothing else.
    let one_sided = answers.against;
    let candidates = choice.candidates(k);
    while kept.chunks_exact(features).any(|kept| count(kept) > candidates) {
        let importance = importance(network, batch, &kept, choice, &mut answers)?;
        for (kept, importance) in
            kept.chunks_exact_mut(features).zip(importance.chunks_exact(features))
        {
            let left = count(kept);
            if left <= candidates {
                continue;
            }
            let keep = if choice.halves() { candidates.max(left / 2) } else { candidates };
            let closed: Vec<f32> = kept.iter().map(|mark| 1.0 - mark).collect();
            let weighed = |&value: &f64| match choice.side {
                Side::Answer if value < 0.0 && keep > candidates && !one_sided => -AGAINST * value,
                _ => value,
            };
            let importance: Vec<f64> = importance.iter().map(weighed).collect();
            let top = top_k(&importance, &closed, keep);
            kept.fill(0.0);
            top.into_iter().for_each(|j| kept[j] = 1.0);
        }
    }
    if kept.chunks_exact(features).any(|kept| count(kept) > k) {
        return search::best(network, batch, &kept, k, &mut answers);
    }
    Ok(kept)
}

fn count(kept: &[f32]) -> usize {
    kept.iter().filter(|&&mark| mark != 0.0).count()
}

/// The importance of each kept feature: [batch, features]. Finds the answers if they are not known yet.
fn importance<G: Generator>(
    network: &Network<G>,
    batch: &Batch,
    kept: &[f32],
    choice: Choice,
    answers: &mut SupportedClasses,
) -> Result<Vec<f64>> {
    let marks = tensor(kept.to_vec(), batch.features(), &batch.z.device());
    if choice.rule == Rule::Effect {
        let importance = network.importance(batch, &marks, &mut Dropout::off());
        let importance = importance.expect("models without this rule have another");
        return Ok(importance.into_data().iter::<f64>().collect());
    }
    let by_gradient = matches!(choice.rule, Rule::Search | Rule::Halving | Rule::Gradient);
    let marks = if by_gradient { marks.require_grad() } else { marks };
    let gating = Gating::Evidence { kept: marks.clone() };
    let forward = network.forward(batch, gating, &mut Dropout::off())?;
    answers.find(&forward.scores);
    let mut importance: Vec<f64> = if by_gradient {
        let gradients = answers.support(forward.scores).sum().backward();
        let gradient = marks.grad(&gradients).expect("the score depends on the marks");
        gradient.into_data().iter::<f64>().collect()
    } else {
        answers.terms(batch, &forward)
    };
    if choice.side == Side::Both {
        importance.iter_mut().for_each(|value| *value = value.abs());
    }
    Ok(importance)
}

/// The answer of each sample in the first pass; features matter as far as they support it.
#[derive(Default)]
struct SupportedClasses {
    /// The class of the largest score; of a single score, whether it is positive, whatever threshold the
    /// model has: a threshold is chosen by the probabilities, so these must not depend on it. None before
    /// the first pass.
    classes: Vec<usize>,
    /// Whether the search is for evidence against it.
    against: bool,
}

impl SupportedClasses {
    /// Takes the answers from the scores of the first pass: [batch, outputs]
    fn find(&mut self, scores: &Tensor<2>) {
        if !self.classes.is_empty() {
            return;
        }
        let [_, outputs] = scores.dims();
        let scores: Vec<f64> = scores.clone().into_data().iter::<f64>().collect();
        let largest = |scores: &[f64]| match scores {
            [score] => usize::from(*score > 0.0),
            _ => (0..outputs).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0),
        };
        self.classes = scores.chunks_exact(outputs).map(largest).collect();
    }

    fn sign(class: usize) -> f32 {
        if class == 1 { 1.0 } else { -1.0 }
    }

    /// The support of the scores for the answer, or against it: [batch, outputs] → [batch, 1]
    fn support(&self, scores: Tensor<2>) -> Tensor<2> {
        let support = self.support_for(scores);
        if self.against { support.neg() } else { support }
    }

    fn support_for(&self, scores: Tensor<2>) -> Tensor<2> {
        let (device, n) = (scores.device(), self.classes.len());
        if scores.dims()[1] == 1 {
            let signs: Vec<f32> = self.classes.iter().map(|&class| Self::sign(class)).collect();
            return scores * Tensor::from_data(TensorData::new(signs, [n, 1]), &device);
        }
        let classes: Vec<i64> = self.classes.iter().map(|&class| class as i64).collect();
        let classes = Tensor::<2, Int>::from_data(TensorData::new(classes, [n, 1]), &device);
        log_softmax(scores, 1).gather(1, classes)
    }

    /// The support of each feature's term for the answer, against the mean of all classes:
    /// [batch, features]
    fn terms(&self, batch: &Batch, forward: &Forward) -> Vec<f64> {
        let terms = forward.sparse_weights.clone() * batch.z.clone().unsqueeze_dim(1);
        let terms: Vec<f64> = terms.into_data().iter::<f64>().collect();
        let (slots, [_, outputs]) = (batch.active.slots, forward.scores.dims());
        let mut all = Vec::with_capacity(self.classes.len() * batch.features());
        for (terms, &class) in terms.chunks_exact(outputs * slots).zip(&self.classes) {
            let support = |slot: usize| match outputs {
                1 => terms[slot] * f64::from(Self::sign(class)),
                _ => {
                    let sum: f64 = (0..outputs).map(|c| terms[c * slots + slot]).sum();
                    terms[class * slots + slot] - sum / outputs as f64
                }
            };
            let width = batch.weights_per_feature;
            let feature = |j: usize| (j * width..(j + 1) * width).map(support).sum::<f64>();
            all.extend((0..batch.features()).map(feature));
        }
        all
    }
}

#[cfg(test)]
mod tests;
