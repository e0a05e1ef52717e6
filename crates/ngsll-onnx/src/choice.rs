//! The choice of the K features within the graph: half are dropped at a time, as
//! `ngsll::evidence::choice` does it.

use crate::graph::{Graph, Kind, Value, int};
use ngsll::evidence::choice::{AGAINST, Rule};
use ngsll::{Error, Model, Result};

/// Refuses a model whose features are chosen by another rule.
pub(crate) fn check_rule(model: &Model, rule: Rule) -> Result<()> {
    let found = model.choice().rule;
    if found == rule {
        return Ok(());
    }
    let name = |rule: Rule| serde_json::json!(rule).as_str().unwrap_or_default().to_string();
    let expected = format!("such a model is exported with the rule {} only", name(rule));
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
