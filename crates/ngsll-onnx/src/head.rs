//! Fully connected layers, and from a feature vector to the weights of all features: `ngsll::generator::Head`;
//! with the backward pass, from the gradient by the weights to that by the feature vector.

use crate::graph::{Graph, Value};
use crate::weights::{Weights, transposed};
use ngsll::Result;

/// ReLU(x·W + b)
pub(crate) struct Layer {
    matrix: Value,
    bias: Value,
    /// W transposed, for the backward pass.
    back: Value,
}

impl Layer {
    /// All layers below `name`, from number `from` on.
    pub fn all(g: &mut Graph, weights: &mut Weights, name: &str, from: usize) -> Result<Vec<Self>> {
        let mut layers = Vec::new();
        while weights.has(&format!("{name}.{}.", from + layers.len())) {
            let name = format!("{name}.{}", from + layers.len());
            let array = weights.take(&format!("{name}.weight"))?;
            let [inputs, outputs] = array.shape[..] else { unreachable!("it is a matrix") };
            let back = g.floats(&[outputs, inputs], &transposed(&array.values, outputs));
            let matrix = g.floats(&array.shape, &array.values);
            let bias = weights.constant(g, &format!("{name}.bias"))?;
            layers.push(Self { matrix, bias, back });
        }
        Ok(layers)
    }

    /// x: [batch, in] → [batch, out]
    pub fn forward(&self, g: &mut Graph, x: &Value) -> Value {
        let product = g.matmul(x, &self.matrix);
        let sum = g.add(&product, &self.bias);
        g.relu(&sum)
    }

    /// by_output, output: [batch, out] → by_input: [batch, in]
    fn backward(&self, g: &mut Graph, by_output: &Value, output: &Value) -> Value {
        let through = g.through_relu(by_output, output);
        g.matmul(&through, &self.back)
    }
}

/// Layers, and a vector and a bias for each feature and output.
pub(crate) struct Head {
    layers: Vec<Layer>,
    /// V: [units, features · outputs]
    vectors: Value,
    /// V: [features · outputs, units]
    back: Value,
    /// b: `[features · outputs]`
    biases: Value,
    features: usize,
    outputs: usize,
}

/// A forward pass, with the values that the backward pass needs.
pub(crate) struct Passed {
    /// [batch, outputs, features]
    pub weights: Value,
    /// The output of each layer: [batch, units]
    hidden: Vec<Value>,
}

impl Passed {
    /// The output of the last layer: [batch, units]
    pub fn summary(&self) -> &Value {
        &self.hidden[self.hidden.len() - 1]
    }
}

impl Head {
    /// The head below `name`.
    pub fn new(g: &mut Graph, weights: &mut Weights, name: &str) -> Result<Self> {
        let layers = Layer::all(g, weights, &format!("{name}.layers.layers"), 0)?;
        let biases = weights.take(&format!("{name}.biases"))?;
        let [features, outputs] = biases.shape[..] else { unreachable!("it is a matrix") };
        let vectors = weights.take(&format!("{name}.vectors"))?.values;
        let (all, units) = (features * outputs, vectors.len() / (features * outputs));
        let back = g.floats(&[all, units], &vectors);
        let vectors = g.floats(&[units, all], &transposed(&vectors, units));
        let biases = g.floats(&[all], &biases.values);
        Ok(Self { layers, vectors, back, biases, features, outputs })
    }

    /// x: [batch, in] → weights of all features
    pub fn forward(&self, g: &mut Graph, x: &Value) -> Passed {
        let mut hidden = vec![x.clone()];
        for layer in &self.layers {
            let next = layer.forward(g, &hidden[hidden.len() - 1]);
            hidden.push(next);
        }
        let product = g.matmul(&hidden[hidden.len() - 1], &self.vectors);
        let all = g.add(&product, &self.biases);
        let all = g.reshape(&all, &[-1, self.features as i64, self.outputs as i64]);
        Passed { weights: g.transpose(&all, &[0, 2, 1]), hidden }
    }

    /// by_weights: [batch, outputs, features] → by x: [batch, in]; `by_summary` is a further gradient by
    /// [`Passed::summary`].
    pub fn backward(
        &self,
        g: &mut Graph,
        by_weights: &Value,
        passed: &Passed,
        by_summary: Option<&Value>,
    ) -> Value {
        let by_weights = g.transpose(by_weights, &[0, 2, 1]);
        let by_weights = g.reshape(&by_weights, &[-1, (self.features * self.outputs) as i64]);
        let mut by = g.matmul(&by_weights, &self.back);
        if let Some(more) = by_summary {
            by = g.add(&by, more);
        }
        for (layer, output) in self.layers.iter().zip(&passed.hidden[1..]).rev() {
            by = layer.backward(g, &by, output);
        }
        by
    }
}
