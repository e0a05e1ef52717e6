//! The first part of both text networks: word vectors, convolutions over time, and the maximum over time; with
//! the backward passes.

use super::Tokens;
use crate::graph::{Graph, Kind, Value, int, ints};
use crate::proto::AttributeProto;
use crate::weights::Weights;
use ngsll::{Evidence, Model, Result};

/// Word vectors and convolutions of several widths.
pub(super) struct Convolutions {
    /// The vectors of the words, 0 after the end of a text: [batch, time, width]
    vectors: Value,
    /// The vector shared by all erased words: [1, 1, width]
    erased: Option<Value>,
    /// Filters, biases, and the zeros before and after a text.
    filters: Vec<(Value, Value, [usize; 2])>,
    /// Filters of each width.
    sizes: Vec<i64>,
}

impl Convolutions {
    /// Those below `name`, on vectors shared by several networks or on their own.
    pub fn new(
        g: &mut Graph,
        weights: &mut Weights,
        (model, tokens): (&Model, &Tokens),
        name: &str,
        fixed: Option<&(Value, usize)>,
    ) -> Result<Self> {
        let (vectors, width) = match fixed {
            Some(fixed) => fixed.clone(),
            None => word_vectors(g, weights, &format!("{name}.embedding.weight"), tokens)?,
        };
        let erased = match model.evidence() {
            Evidence::Whole => None,
            _ => {
                let erased = weights.take(&format!("{name}.embedding.erased"))?;
                Some(g.floats(&[1, 1, width], &erased.values))
            }
        };
        let (mut filters, mut sizes) = (Vec::new(), Vec::new());
        while weights.has(&format!("{name}.convolutions.{}.", filters.len())) {
            let layer = format!("{name}.convolutions.{}.linear", filters.len());
            let matrix = weights.take(&format!("{layer}.weight"))?;
            let bias = weights.constant(g, &format!("{layer}.bias"))?;
            let [rows, outputs] = matrix.shape[..] else { unreachable!("it is a matrix") };
            let size = rows / width;
            // [size · width, filters] → [filters, width, size]
            let value = |at: usize| {
                let (filter, rest) = (at / rows, at % rows);
                matrix.values[(rest % size * width + rest / size) * outputs + filter]
            };
            let values: Vec<f32> = (0..rows * outputs).map(value).collect();
            let matrix = g.floats(&[outputs, width, size], &values);
            filters.push((matrix, bias, [(size - 1) / 2, size / 2]));
            sizes.push(outputs as i64);
        }
        Ok(Self { vectors, erased, filters, sizes })
    }

    /// The features of each position's neighbourhood: [batch, time, filters of all widths]
    ///
    /// kept: 1 where a word is kept, [batch, time, 1]; all if absent
    pub fn forward(&self, g: &mut Graph, kept: Option<&Value>, present: &Value) -> Value {
        let mut words = self.vectors.clone();
        if let (Some(kept), Some(erased)) = (kept, &self.erased) {
            let left = g.mul(&self.vectors, kept);
            let gone = g.sub(present, kept);
            let gone = g.mul(erased, &gone);
            words = g.add(&left, &gone);
        }
        let words = g.transpose(&words, &[0, 2, 1]);
        let convolve = |(filters, bias, padding): &(Value, Value, [usize; 2])| {
            let maps = g.op_with("Conv", &[&words, filters, bias], vec![pads(padding)]);
            g.relu(&maps)
        };
        let maps: Vec<Value> = self.filters.iter().map(convolve).collect();
        let maps = g.concat(&maps.iter().collect::<Vec<_>>(), 1);
        g.transpose(&maps, &[0, 2, 1])
    }

    /// by_maps, maps: [batch, time, filters of all widths] → by the marks of the words: [batch, time, 1]
    pub fn backward(&self, g: &mut Graph, by_maps: &Value, maps: &Value) -> Value {
        let through = g.through_relu(by_maps, maps);
        let through = g.transpose(&through, &[0, 2, 1]);
        let mut from = 0;
        let mut by_words: Option<Value> = None;
        for ((filters, _, padding), size) in self.filters.iter().zip(&self.sizes) {
            let (start, end, axis) = (g.list(&[from]), g.list(&[from + size]), g.list(&[1]));
            let own = g.op("Slice", &[&through, &start, &end, &axis]);
            from += size;
            let by = g.op_with("ConvTranspose", &[&own, filters], vec![pads(padding)]);
            by_words = Some(match by_words {
                Some(sum) => g.add(&sum, &by),
                None => by,
            });
        }
        let by_words = by_words.expect("there is at least one width");
        let by_words = g.transpose(&by_words, &[0, 2, 1]);
        // With its mark a word replaces the vector for erased words.
        let change = match &self.erased {
            Some(erased) => g.sub(&self.vectors, erased),
            None => self.vectors.clone(),
        };
        let by_marks = g.mul(&by_words, &change);
        g.sum(&by_marks, 2)
    }
}

/// The vectors of the words of texts, 0 after their ends, and their width: [batch, time, width]
pub(super) fn word_vectors(
    g: &mut Graph,
    weights: &mut Weights,
    name: &str,
    tokens: &Tokens,
) -> Result<(Value, usize)> {
    let mut table = weights.take(name)?;
    let width = table.shape[1];
    table.values[..width].fill(0.0);
    let table = g.floats(&table.shape, &table.values);
    Ok((g.gather(&table, &tokens.ids, 0), width))
}

fn pads(padding: &[usize; 2]) -> AttributeProto {
    ints("pads", &padding.map(|zeros| zeros as i64))
}

/// The largest value of each filter over a text's own positions.
///
/// maps: [batch, time, filters], none below 0 → [batch, 1, filters]
pub(super) fn max_over_time(g: &mut Graph, maps: &Value, present: &Value) -> Value {
    let own = g.mul(maps, present);
    g.op_with("ReduceMax", &[&own], vec![ints("axes", &[1])])
}

/// The gradient at the first position of each maximum above 0.
///
/// by_maxima, maxima: [batch, 1, filters] → [batch, time, filters]
pub(super) fn back_over_time(
    g: &mut Graph,
    by_maxima: &Value,
    maxima: &Value,
    maps: &Value,
    present: &Value,
) -> Value {
    let own = g.mul(maps, present);
    let largest = g.op_with("ArgMax", &[&own], vec![int("axis", 1), int("keepdims", 1)]);
    let positions = g.range(maps, 1);
    let positions = g.reshape(&positions, &[1, -1, 1]);
    let is_largest = g.op("Equal", &[&largest, &positions]);
    let is_largest = g.cast(&is_largest, Kind::Float);
    let through = g.through_relu(by_maxima, maxima);
    g.mul(&is_largest, &through)
}
