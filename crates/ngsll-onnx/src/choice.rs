//! The choice of the K features within the graph: half are dropped at a time, and the last may be tried out, as
//! `ngsll::evidence::choice` does it.

use crate::graph::{Graph, Kind, Value, int};
use ngsll::evidence::choice::{AGAINST, CANDIDATES, Rule};
use ngsll::{Error, Model, Result};

/// Refuses a model whose features are chosen by another rule.
pub(crate) fn check_rule(model: &Model, rules: &[Rule]) -> Result<()> {
    let found = model.choice().rule;
    if rules.contains(&found) {
        return Ok(());
    }
    let name = |rule: Rule| serde_json::json!(rule).as_str().unwrap_or_default().to_string();
    let names: Vec<String> = rules.iter().map(|&rule| name(rule)).collect();
    let expected = format!("such a model is exported with the rule {} only", names.join(" or "));
    Err(Error::setting("choice.rule", name(found), expected))
}

/// Whether some sample has more than K features left.
///
/// kept: [batch, features] → one yes or no
pub(crate) fn unfinished(g: &mut Graph, kept: &Value, k: usize) -> Value {
    let left = g.sum(kept, 1);
    let most = g.op_with("ReduceMax", &[&left], vec![int("keepdims", 0)]);
    let k = g.float(k as f32);
    g.op("Greater", &[&most, &k])
}

/// Drops half of the remaining features, down to K: the least important ones. Among equal ones the first stay.
/// With `one_sided`, evidence against the answer is weighted by [`AGAINST`] until the last step.
///
/// kept, importance: [batch, features] → kept
pub(crate) fn step(
    g: &mut Graph,
    kept: &Value,
    importance: &Value,
    k: usize,
    one_sided: bool,
) -> Value {
    let left = g.sum(kept, 1);
    let half = g.times(&left, 0.5);
    let half = g.op("Floor", &[&half]);
    let k = g.float(k as f32);
    let keep = g.op("Max", &[&half, &k]);
    let mut importance = importance.clone();
    if one_sided {
        let on_the_way = g.op("Greater", &[&keep, &k]);
        let zero = g.float(0.0);
        let against = g.op("Less", &[&importance, &zero]);
        let counts_half = g.op("And", &[&on_the_way, &against]);
        let half = g.times(&importance, -AGAINST as f32);
        importance = g.select(&counts_half, &half, &importance);
    }
    let ranks = open_ranks(g, &importance, kept);
    let stays = g.op("Less", &[&ranks, &keep]);
    let stays = g.cast(&stays, Kind::Float);
    g.mul(kept, &stays)
}

/// Of the candidates, at most `k`: one after the other, the one with which those before it have the most support. Of
/// equal ones the first is taken. A pass tries out one candidate.
///
/// candidates: [batch, features] → kept
pub(crate) fn search(
    g: &mut Graph,
    candidates: &Value,
    k: usize,
    support: impl FnOnce(&mut Graph, &Value) -> Value,
) -> Value {
    let none = g.zeros_like(candidates);
    let batch = g.size(candidates, 0);
    let one = g.list(&[1]);
    let shape = g.concat(&[&batch, &one], 0);
    let no_support = g.op("ConstantOfShape", &[&shape]);
    let (axis, positions) = (g.ints(&[], &[1]), g.ints(&[], &[CANDIDATES as i64]));
    let order = g.op("CumSum", &[candidates, &axis]);
    let going = g.bools(&[], &[true]);
    let state = [(&none, Kind::Float), (&none, Kind::Float), (&no_support, Kind::Float)];
    let [_, kept, _] = g.repeat(&going, state, |g, pass, [before, best, most]| {
        let position = g.op("Mod", &[pass, &positions]);
        let (zero, one) = (g.ints(&[], &[0]), g.ints(&[], &[1]));
        let is_first = g.op("Equal", &[&position, &zero]);
        let before = g.select(&is_first, best, before);
        let least = g.float(f32::NEG_INFINITY);
        let most = g.select(&is_first, &least, most);
        // The candidate at this position, unless it was taken before.
        let number = g.add(&position, &one);
        let number = g.cast(&number, Kind::Float);
        let is_next = g.op("Equal", &[&order, &number]);
        let is_next = g.cast(&is_next, Kind::Float);
        let is_next = g.mul(&is_next, candidates);
        let unit = g.float(1.0);
        let left = g.sub(&unit, &before);
        let next = g.mul(&is_next, &left);
        let tried = g.add(&before, &next);
        let found = support(g, &tried);
        let is_more = g.op("Greater", &[&found, &most]);
        let there = g.sum(&next, 1);
        let nothing = g.float(0.0);
        let is_there = g.op("Greater", &[&there, &nothing]);
        let is_better = g.op("And", &[&is_more, &is_there]);
        let best = g.select(&is_better, &tried, best);
        let most = g.select(&is_better, &found, &most);
        let last = g.ints(&[], &[(k * CANDIDATES) as i64 - 1]);
        let going = g.op("Less", &[pass, &last]);
        ([before, best, most], going)
    });
    kept
}

/// How far scores support the answers.
///
/// scores, answers: [batch, outputs] → [batch, 1]
pub(crate) fn support(g: &mut Graph, scores: &Value, answers: &Value, outputs: usize) -> Value {
    if outputs == 1 {
        return g.mul(scores, answers);
    }
    let logs = g.op_with("LogSoftmax", &[scores], vec![int("axis", 1)]);
    let own = g.mul(&logs, answers);
    g.sum(&own, 1)
}

/// The ranks of the open features by their importance; the others come after them.
///
/// importance, open: [.., features] → [.., features]
pub(crate) fn open_ranks(g: &mut Graph, importance: &Value, open: &Value) -> Value {
    let zero = g.float(0.0);
    let is_open = g.op("Greater", &[open, &zero]);
    let last = g.float(f32::NEG_INFINITY);
    let importance = g.select(&is_open, importance, &last);
    g.ranks(&importance)
}

/// The answers of the first pass, which all later passes keep: those of `scores` in pass 0, the previous
/// ones after that.
///
/// scores, answers: [batch, outputs] → [batch, outputs]: ±1 for two classes, 1 for the answer of several
pub(crate) fn answers(
    g: &mut Graph,
    pass: &Value,
    scores: &Value,
    answers: &Value,
    outputs: usize,
) -> Value {
    let first = if outputs == 1 {
        let positive = g.positive(scores);
        let two = g.times(&positive, 2.0);
        let one = g.float(1.0);
        g.sub(&two, &one)
    } else {
        let largest = g.op_with("ArgMax", &[scores], vec![int("axis", 1), int("keepdims", 1)]);
        let classes: Vec<i64> = (0..outputs as i64).collect();
        let classes = g.ints(&[1, outputs], &classes);
        let is_largest = g.op("Equal", &[&largest, &classes]);
        g.cast(&is_largest, Kind::Float)
    };
    let zero = g.ints(&[], &[0]);
    let is_first = g.op("Equal", &[pass, &zero]);
    g.select(&is_first, &first, answers)
}

/// The gradient of the support of the answers by the scores: for two classes the score with the answer's sign, for
/// several the logarithm of its probability.
///
/// scores, answers: [batch, outputs] → [batch, outputs]
pub(crate) fn support_gradient(
    g: &mut Graph,
    scores: &Value,
    answers: &Value,
    outputs: usize,
) -> Value {
    if outputs == 1 {
        return answers.clone();
    }
    let probabilities = g.op_with("Softmax", &[scores], vec![int("axis", 1)]);
    g.sub(answers, &probabilities)
}
