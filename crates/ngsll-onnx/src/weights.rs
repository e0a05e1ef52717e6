//! The network's numbers by name, each to be taken once: an array that is left over is a part of the network that
//! the graph would lack.

use crate::graph::{Graph, Value};
use ngsll::train::{Array, weights_of};
use ngsll::{Error, Model, Result};
use std::collections::BTreeMap;

/// The arrays that have not been taken yet.
pub(crate) struct Weights(BTreeMap<String, Array>);

impl Weights {
    /// All numbers of a model's network.
    pub fn of(model: &Model) -> Self {
        Self(weights_of(model.network()))
    }

    /// The array of this name.
    pub fn take(&mut self, name: &str) -> Result<Array> {
        self.find(name).ok_or_else(|| unknown(name))
    }

    /// The array of this name, if there is one.
    pub fn find(&mut self, name: &str) -> Option<Array> {
        self.0.remove(name)
    }

    /// The array as a constant of the graph, in its own shape.
    pub fn constant(&mut self, g: &mut Graph, name: &str) -> Result<Value> {
        let Array { shape, values, .. } = self.take(name)?;
        Ok(g.floats(&shape, &values))
    }

    /// Whether an array of this name or below it is left.
    pub fn has(&self, name: &str) -> bool {
        self.0.keys().any(|key| key.starts_with(name))
    }

    /// Refuses a network with arrays left over.
    pub fn finish(self) -> Result<()> {
        self.0.into_keys().next().map_or(Ok(()), |name| Err(unknown(&name)))
    }
}

/// Kept general: it concerns networks unknown to this version.
fn unknown(name: &str) -> Error {
    Error::setting("network", name, "this part of the network cannot be written as ONNX")
}

/// A matrix transposed: [rows, columns] → [columns, rows]
pub(crate) fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    let rows = values.len() / columns.max(1);
    (0..values.len()).map(|at| values[at % rows * columns + at / rows]).collect()
}
