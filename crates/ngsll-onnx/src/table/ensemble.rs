//! The ensemble of networks for tables: `ngsll::generator::TabularEnsemble`, and the two small networks that
//! have the same form.

use super::columns::TableInput;
use crate::graph::{Graph, Value};
use crate::weights::Weights;
use ngsll::Result;
use ngsll::generator::TabularEnsemble;
use ngsll::train::Array;

/// Its numbers as constants of the graph.
pub(crate) struct Ensemble {
    /// The part of each column in the first layer, the same for all members: [batch, columns, units]
    parts: Value,
    columns: usize,
    reads: Value,
    layers: Vec<Layer>,
    /// From the units of all members to the mean of their outputs: [members · units, numbers] and `[numbers]`
    head: [Value; 2],
    members: usize,
    units: usize,
}

/// The factors before the layer's matrix, the matrix, and the factors and biases after it. The first layer has no matrix
/// of its own: the columns' parts are in its place.
struct Layer {
    before: Option<[Value; 2]>,
    scales: Value,
    biases: Value,
}

impl Ensemble {
    /// The network below `name`, reading these rows.
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        name: &str,
        rows: &TableInput,
    ) -> Result<Self> {
        let at = |part: &str| format!("{name}.{part}");
        let embedding = weights.take(&at("embedding.weight"))?;
        let first = weights.take(&at("first"))?;
        let [columns, width, units] = first.shape[..] else { unreachable!("it has three axes") };
        // [columns, batch, width] · [columns, width, units]
        let vectors = rows.embedded(g, &embedding.values, width);
        let vectors = g.transpose(&vectors, &[1, 0, 2]);
        let first = g.floats(&first.shape, &first.values);
        let parts = g.matmul(&vectors, &first);
        let parts = g.transpose(&parts, &[1, 0, 2]);
        let reads = weights.take(&at("reads"))?;
        let members = reads.shape[0];
        let reads = g.floats(&[1, members, columns], &reads.values);
        let scaled = |g: &mut Graph, weights: &mut Weights, name: String| {
            let mut constant = |what: &str| -> Result<Value> {
                let array = weights.take(&format!("{name}.{what}"))?;
                Ok(g.floats(&[1, members, units], &array.values))
            };
            Ok::<_, ngsll::Error>([constant("scales")?, constant("biases")?])
        };
        let [scales, biases] = scaled(g, weights, at("first_scales"))?;
        let mut layers = vec![Layer { before: None, scales, biases }];
        while weights.has(&at(&format!("layers.{}.", layers.len() - 1))) {
            let layer = at(&format!("layers.{}", layers.len() - 1));
            let reads = weights.take(&format!("{layer}.reads"))?;
            let reads = g.floats(&[1, members, units], &reads.values);
            let matrix = weights.constant(g, &format!("{layer}.weight"))?;
            let [scales, biases] = scaled(g, weights, format!("{layer}.scales"))?;
            layers.push(Layer { before: Some([reads, matrix]), scales, biases });
        }
        let head = head(g, weights.take(&at("vectors"))?, weights.take(&at("biases"))?);
        Ok(Self { parts, columns, reads, layers, head, members, units })
    }

    /// The mean output of the members from the kept columns alone.
    ///
    /// kept: [batch, columns] → [batch, numbers]
    pub fn forward(&self, g: &mut Graph, kept: &Value) -> Value {
        let marks = g.unsqueeze(kept, 1);
        let reads = g.mul(&self.reads, &marks);
        let mut h = g.matmul(&reads, &self.parts);
        let count = g.sum(kept, 1);
        let few = g.float(TabularEnsemble::FEW as f32);
        let count = g.add(&count, &few);
        let all = g.float(self.columns as f32);
        let scale = g.op("Div", &[&all, &count]);
        let scale = g.op("Sqrt", &[&scale]);
        let scale = g.unsqueeze(&scale, 2);
        h = g.mul(&h, &scale);
        for layer in &self.layers {
            if let Some([reads, matrix]) = &layer.before {
                let read = g.mul(&h, reads);
                h = g.matmul(&read, matrix);
            }
            let scaled = g.mul(&h, &layer.scales);
            let moved = g.add(&scaled, &layer.biases);
            h = g.relu(&moved);
        }
        let h = g.reshape(&h, &[-1, (self.members * self.units) as i64]);
        let output = g.matmul(&h, &self.head[0]);
        g.add(&output, &self.head[1])
    }
}

/// The heads of all members as one whose output is their mean.
fn head(g: &mut Graph, vectors: Array, biases: Array) -> [Value; 2] {
    let [members, units, numbers] = vectors.shape[..] else { unreachable!("it has three axes") };
    let share = 1.0 / members as f32;
    let vectors: Vec<f32> = vectors.values.iter().map(|value| value * share).collect();
    let mean = |at: usize| {
        (0..members).map(|member| biases.values[member * numbers + at]).sum::<f32>() * share
    };
    let biases: Vec<f32> = (0..numbers).map(mean).collect();
    [g.floats(&[members * units, numbers], &vectors), g.floats(&[numbers], &biases)]
}
