//! Evidence `whole`: one pass, and a gate that keeps the K largest weights.

use crate::choice::open_ranks;
use crate::graph::{Graph, Kind, Value};
use crate::outputs::Terms;
use ngsll::Model;
use ngsll::gate::GateScope;

/// The terms under the hard gate.
///
/// weights: [batch, outputs, features], z: [batch, features], numbers: see [`Terms`]
pub(crate) fn gated(
    g: &mut Graph,
    model: &Model,
    weights: &Value,
    z: &Value,
    k: usize,
    numbers: Option<Value>,
) -> Terms {
    let outputs = model.objective().outputs();
    let z = g.unsqueeze(z, 1);
    let zero = g.float(0.0);
    let is_zero = g.op("Equal", &[&z, &zero]);
    let masked = g.cast(&is_zero, Kind::Float);
    let one = g.float(1.0);
    let mut open = g.sub(&one, &masked);
    let mut squares = g.mul(weights, weights);
    let groups = match model.network().gate_scope() {
        GateScope::Shared if outputs > 1 => {
            squares = g.sum(&squares, 1);
            1
        }
        _ => {
            let shape = g.list(&[1, outputs as i64, 1]);
            open = g.op("Expand", &[&open, &shape]);
            outputs
        }
    };
    let ranks = open_ranks(g, &squares, &open);
    let k = g.float(k as f32);
    let first = g.op("Less", &[&ranks, &k]);
    let first = g.cast(&first, Kind::Float);
    let gate = g.mul(&first, &open);
    let weights = g.mul(weights, &gate);
    // A weight of zero is not a term.
    let any = g.positive(&squares);
    let kept = g.mul(&gate, &any);
    Terms { products: vec![(weights, Some(z))], kept, groups, numbers }
}
