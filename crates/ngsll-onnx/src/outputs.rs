//! The outputs of the graph: scores, predictions, and the terms that add up to the scores.

use crate::graph::{Dim, Graph, Kind, Value, int};
use ngsll::objective::{Objective, ValueScale};

/// The names of the outputs; no input has one of them.
pub(crate) const NAMES: [&str; 7] =
    ["label", "probabilities", "value", "scores", "intercept", "indices", "contributions"];

/// The features of every sample, and their contributions to its scores.
pub(crate) struct Terms {
    /// The contribution of each feature in the network's units, as factors whose products are summed up in double
    /// precision: [batch, outputs, features] each
    pub products: Vec<(Value, Option<Value>)>,
    /// 1 where a feature is one of the K: [batch, groups, features], `groups` being 1 or, if each score
    /// has its own features, their number.
    pub kept: Value,
    pub groups: usize,
    /// The number of each feature: [batch, features]; without it, its index.
    pub numbers: Option<Value>,
}

const BATCH: Dim = Dim::Named("batch");

/// Adds the outputs.
pub(crate) fn write(
    g: &mut Graph,
    objective: &Objective,
    intercepts: &[f64],
    k: usize,
    terms: Terms,
) {
    let outputs = intercepts.len();
    let (factor, offset) = objective.units();
    let contributions = contributions(g, &terms.products, factor);
    let intercepts: Vec<f64> = intercepts.iter().map(|i| i * factor + offset).collect();
    let intercept = g.doubles(&[outputs], &intercepts);
    let axis = g.list(&[2]);
    let inner = g.op_with("ReduceSum", &[&contributions, &axis], vec![int("keepdims", 0)]);
    let scores = g.add(&inner, &intercept);
    predictions(g, objective, &scores);
    g.output("scores", &scores, Kind::Double, &[BATCH, Dim::Fixed(outputs)]);
    g.output("intercept", &intercept, Kind::Double, &[Dim::Fixed(outputs)]);
    // Largest first; with several scores, by the sum over them.
    let mut size = g.op("Abs", &[&contributions]);
    if terms.groups == 1 && outputs > 1 {
        size = g.sum(&size, 1);
    }
    let zero = g.float(0.0);
    let is_kept = g.op("Greater", &[&terms.kept, &zero]);
    let last = g.doubles(&[], &[-1.0]);
    let size = g.select(&is_kept, &size, &last);
    let count = g.list(&[k as i64]);
    let [sizes, slots] = g.ops("TopK", &[&size, &count], vec![]);
    let indices = indices(g, &terms, &slots, &sizes);
    let shape = g.list(&[1, outputs as i64, 1]);
    let slots = g.op("Expand", &[&slots, &shape]);
    let contributions = g.gather_elements(&contributions, &slots, 2);
    let k = Dim::Fixed(k);
    if terms.groups == 1 {
        let indices = g.squeeze(&indices, 1);
        g.output("indices", &indices, Kind::Int64, &[BATCH, k]);
    } else {
        g.output("indices", &indices, Kind::Int64, &[BATCH, Dim::Fixed(outputs), k]);
    }
    let shape = [BATCH, Dim::Fixed(outputs), k];
    g.output("contributions", &contributions, Kind::Double, &shape);
}

/// The contribution of each feature, in the user's units: [batch, outputs, features]
fn contributions(g: &mut Graph, products: &[(Value, Option<Value>)], factor: f64) -> Value {
    let mut sum: Option<Value> = None;
    for (weight, value) in products {
        let mut product = g.cast(weight, Kind::Double);
        if let Some(value) = value {
            let value = g.cast(value, Kind::Double);
            product = g.mul(&product, &value);
        }
        sum = Some(match sum {
            Some(sum) => g.add(&sum, &product),
            None => product,
        });
    }
    let sum = sum.expect("a term is made of something");
    let factor = g.doubles(&[], &[factor]);
    g.mul(&sum, &factor)
}

/// The numbers of the features at these indices, −1 if a sample has fewer than K.
fn indices(g: &mut Graph, terms: &Terms, slots: &Value, sizes: &Value) -> Value {
    let numbers = match &terms.numbers {
        None => slots.clone(),
        Some(numbers) => {
            let numbers = g.unsqueeze(numbers, 1);
            let shape = g.list(&[1, terms.groups as i64, 1]);
            let numbers = g.op("Expand", &[&numbers, &shape]);
            g.gather_elements(&numbers, slots, 2)
        }
    };
    let (zero, none) = (g.doubles(&[], &[0.0]), g.ints(&[], &[-1]));
    let is_none = g.op("Less", &[sizes, &zero]);
    g.select(&is_none, &none, &numbers)
}

/// label and probabilities of classes, value of a number; scores: [batch, outputs]
fn predictions(g: &mut Graph, objective: &Objective, scores: &Value) {
    let (probabilities, class) = match objective {
        Objective::Binary { threshold, .. } => {
            let negative = g.op("Neg", &[scores]);
            let both = g.concat(&[&negative, scores], 1);
            let probabilities = g.op("Sigmoid", &[&both]);
            let bound = threshold.map_or(0.0, |p| (p / (1.0 - p)).ln());
            let bound = g.doubles(&[], &[bound]);
            let second = g.op("Greater", &[scores, &bound]);
            let second = g.cast(&second, Kind::Int64);
            (probabilities, g.squeeze(&second, 1))
        }
        Objective::Classes { .. } => {
            let probabilities = g.op_with("Softmax", &[scores], vec![int("axis", 1)]);
            let attributes = vec![int("axis", 1), int("keepdims", 0)];
            (probabilities, g.op_with("ArgMax", &[scores], attributes))
        }
        _ => {
            let value = g.squeeze(scores, 1);
            let value = match objective.value_scale() {
                Some(ValueScale::Log { .. } | ValueScale::Count) => g.op("Exp", &[&value]),
                _ => value,
            };
            g.output("value", &value, Kind::Double, &[BATCH]);
            return;
        }
    };
    let classes = objective.classes();
    let names = g.strings(classes);
    let label = g.gather(&names, &class, 0);
    g.output("label", &label, Kind::String, &[BATCH]);
    let shape = [BATCH, Dim::Fixed(classes.len())];
    g.output("probabilities", &probabilities, Kind::Double, &shape);
}
