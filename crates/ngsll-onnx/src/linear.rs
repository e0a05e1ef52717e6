//! x·W + b.

use crate::graph::{Graph, Value};
use crate::weights::{Weights, transposed};
use ngsll::Result;

/// x·W + b, and W transposed for the backward pass.
pub(crate) struct LinearLayer {
    matrix: Value,
    bias: Value,
    back: Value,
}

impl LinearLayer {
    /// The layer below `name`.
    pub fn new(g: &mut Graph, weights: &mut Weights, name: &str) -> Result<Self> {
        let matrix = weights.take(&format!("{name}.weight"))?;
        let [inputs, outputs] = matrix.shape[..] else { unreachable!("it is a matrix") };
        Ok(Self {
            bias: weights.constant(g, &format!("{name}.bias"))?,
            back: g.floats(&[outputs, inputs], &transposed(&matrix.values, outputs)),
            matrix: g.floats(&matrix.shape, &matrix.values),
        })
    }

    /// x: [.., in] → [.., out]
    pub fn forward(&self, g: &mut Graph, x: &Value) -> Value {
        let product = g.matmul(x, &self.matrix);
        g.add(&product, &self.bias)
    }

    /// W transposed: [out, in]
    pub fn back(&self) -> &Value {
        &self.back
    }
}
