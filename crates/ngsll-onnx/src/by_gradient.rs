//! Evidence `chosen` of texts and images: the importance of a feature is the gradient of the support of the first
//! answer by the feature's mark. ONNX has no automatic differentiation, so every network writes its backward pass.

use crate::choice::{answers, check_rule, search, step, support, support_gradient, unfinished};
use crate::graph::{Graph, Kind, Value};
use crate::outputs::Terms;
use crate::weights::Weights;
use ngsll::evidence::choice::{Rule, Side};
use ngsll::{Model, Result};

/// A network that reads a sample of which some features are erased.
pub(crate) trait MarkedNetwork {
    /// Values of a forward pass that the backward pass needs.
    type Passed;

    /// kept: [batch, features] → weights: [batch, outputs, features]
    fn forward(&self, g: &mut Graph, kept: &Value) -> (Value, Self::Passed);

    /// by_weights: [batch, outputs, features] → by_kept: [batch, features]
    fn backward(&self, g: &mut Graph, by_weights: &Value, passed: &Self::Passed) -> Value;
}

/// The state of the features before the networks run.
pub(crate) struct Features {
    /// [batch, features]
    pub z: Value,
    /// 1 where a feature can be chosen: [batch, features]
    pub available: Value,
    /// See [`Terms`].
    pub numbers: Option<Value>,
}

/// The terms of the K features that are chosen in halves, and tried out at the end.
pub(crate) fn chosen(
    g: &mut Graph,
    weights: &mut Weights,
    model: &Model,
    network: &impl MarkedNetwork,
    features: Features,
    k: usize,
) -> Result<Terms> {
    let choice = model.choice();
    check_rule(model, &[Rule::Search, Rule::Halving])?;
    let candidates = choice.candidates(k);
    let Features { z, available, numbers } = features;
    let outputs = model.objective().outputs();
    let scale = weights.find("scale").map_or(1.0, |scale| scale.values[0]);
    let intercepts: Vec<f32> =
        model.network().intercepts().iter().map(|&intercept| intercept as f32).collect();
    let intercept = g.floats(&[1, outputs], &intercepts);
    let scaled = g.times(&z, scale);
    let scaled = g.unsqueeze(&scaled, 1);
    let scores_of = |g: &mut Graph, weights: &Value, kept_factor: &Value| {
        let terms = g.mul(weights, kept_factor);
        let scores = g.sum(&terms, 2);
        let scores = g.squeeze(&scores, 2);
        g.add(&scores, &intercept)
    };
    let going = unfinished(g, &available, candidates);
    let batch = g.size(&available, 0);
    let width = g.list(&[outputs as i64]);
    let shape = g.concat(&[&batch, &width], 0);
    let none = g.op("ConstantOfShape", &[&shape]);
    let state = [(&available, Kind::Float), (&none, Kind::Float)];
    let [mut kept, _] = g.repeat(&going, state, |g, pass, [kept, first]| {
        let (weights, passed) = network.forward(g, kept);
        // The factor of a feature's weight if it is kept, and whether it is.
        let (marks, factor) = (g.unsqueeze(kept, 1), &scaled);
        let kept_factor = g.mul(factor, &marks);
        let scores = scores_of(g, &weights, &kept_factor);
        let first = answers(g, pass, &scores, first, outputs);
        let by_scores = support_gradient(g, &scores, &first, outputs);
        let by_scores = g.unsqueeze(&by_scores, 2);
        let by_weights = g.mul(&by_scores, &kept_factor);
        let by_sample = network.backward(g, &by_weights, &passed);
        // The mark is also a factor of the feature's own term.
        let own = g.mul(&weights, factor);
        let own = g.mul(&own, &by_scores);
        let own = g.sum(&own, 1);
        let own = g.squeeze(&own, 1);
        let mut importance = g.add(&own, &by_sample);
        if choice.side == Side::Both {
            importance = g.op("Abs", &[&importance]);
        }
        let kept = step(g, kept, &importance, candidates, choice.side == Side::Answer);
        let going = unfinished(g, &kept, candidates);
        ([kept, first], going)
    });
    if candidates > k {
        let scores_from = |g: &mut Graph, kept: &Value| {
            let (weights, _) = network.forward(g, kept);
            let marks = g.unsqueeze(kept, 1);
            let kept_factor = g.mul(&scaled, &marks);
            scores_of(g, &weights, &kept_factor)
        };
        // Nothing was dropped on the way if there are no more than the candidates.
        let scores = scores_from(g, &available);
        let first_pass = g.ints(&[], &[0]);
        let first = answers(g, &first_pass, &scores, &none, outputs);
        kept = search(g, &kept, k, |g, kept| {
            let scores = scores_from(g, kept);
            support(g, &scores, &first, outputs)
        });
    }
    let (weights, _) = network.forward(g, &kept);
    let marks = g.unsqueeze(&kept, 1);
    let weights = g.mul(&weights, &marks);
    let weights = g.times(&weights, scale);
    let z = g.unsqueeze(&z, 1);
    Ok(Terms { products: vec![(weights, Some(z))], kept: marks, groups: 1, numbers })
}
