//! The plain network for tables: `ngsll::generator::TabularMlp` with its head.

use super::columns::TableInput;
use crate::graph::{Graph, Value};
use crate::head::{Head, Layer};
use crate::weights::Weights;
use ngsll::Result;
use ngsll::representation::ColumnEncoding;

/// Its first layer reads the columns through an embedding table: sums over full bins are computed
/// beforehand.
pub(crate) struct Mlp {
    /// The part of each column in the first layer: [batch, columns, units]
    parts: Value,
    /// The part of the marks of the kept columns: [columns, units]
    marks: Option<Value>,
    bias: Value,
    layers: Vec<Layer>,
    head: Head,
}

impl Mlp {
    /// The network below `name`, reading these rows; `marked` says whether columns may be erased.
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        name: &str,
        rows: &TableInput,
        encodings: &[ColumnEncoding],
        marked: bool,
    ) -> Result<Self> {
        let layers = format!("{name}.extractor.layers.layers");
        let first = weights.take(&format!("{layers}.0.weight"))?;
        let units = first.shape[1];
        let bias = weights.constant(g, &format!("{layers}.0.bias"))?;
        let row = |at: usize| &first.values[at * units..][..units];
        let (layout, columns) = (&rows.layout, rows.layout.columns());
        let mut table = vec![0.0; layout.firsts[columns] * units];
        let mut slopes = vec![0.0; columns * units];
        let mut from = 0;
        for (c, pair) in layout.firsts.windows(2).enumerate() {
            let mut put = |to: usize, at: usize| {
                table[to * units..][..units].copy_from_slice(row(at));
            };
            // For each column the network reads whether it is missing, the number itself, then bins or levels.
            put(pair[1] - 1, from);
            from += 1;
            if matches!(encodings[c], ColumnEncoding::Numeric { .. }) {
                slopes[c * units..][..units].copy_from_slice(row(from));
                from += 1;
            }
            for to in pair[0] + 1..pair[1] - 1 {
                put(to, from);
                from += 1;
            }
        }
        let vectors = rows.embedded(g, &table, units);
        let slopes = g.floats(&[1, columns, units], &slopes);
        let limit = ColumnEncoding::LIMIT;
        let numbers = g.clip(&rows.numbers, -limit, limit);
        let numbers = g.unsqueeze(&numbers, 2);
        let moved = g.mul(&numbers, &slopes);
        let parts = g.add(&vectors, &moved);
        let marks = marked.then(|| g.floats(&[columns, units], &first.values[from * units..]));
        Ok(Self {
            parts,
            marks,
            bias,
            layers: Layer::all(g, weights, &layers, 1)?,
            head: Head::new(g, weights, &format!("{name}.head"))?,
        })
    }

    /// kept: [batch, columns] → weights: [batch, outputs, slots]
    pub fn forward(&self, g: &mut Graph, kept: Option<&Value>) -> Value {
        let mut sum = match kept {
            None => g.sum(&self.parts, 1),
            Some(kept) => {
                let marks = g.unsqueeze(kept, 1);
                g.matmul(&marks, &self.parts)
            }
        };
        sum = g.squeeze(&sum, 1);
        if let (Some(kept), Some(marks)) = (kept, &self.marks) {
            let marks = g.matmul(kept, marks);
            sum = g.add(&sum, &marks);
        }
        let sum = g.add(&sum, &self.bias);
        let mut h = g.relu(&sum);
        for layer in &self.layers {
            h = layer.forward(g, &h);
        }
        self.head.forward(g, &h).weights
    }
}
