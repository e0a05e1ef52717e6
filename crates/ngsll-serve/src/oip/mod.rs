//! The Open Inference Protocol (v2): tensors in, tensors out.
//!
//! | model | inputs | outputs |
//! |---|---|---|
//! | text | `text` BYTES [n] | |
//! | images | `image` UINT8 [n, height, width], in colour [n, 3, height, width] | |
//! | tables | one for each column: BYTES or numbers [n]; null, or an empty text, is missing | |
//! | classes | | `label` BYTES [n], `probabilities` FP64 [n, classes], `scores` FP64 [n, scores] |
//! | regression | | `value` FP64 [n] |
//!
//! The inputs of a model are defined by the [form](crate::samples::SampleForm) of its samples.

mod binary;
pub mod inputs;
pub mod outputs;

use serde::Serialize;

/// The metadata of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TensorSpec {
    pub name: String,
    pub datatype: &'static str,
    /// −1 stands for the number of samples.
    pub shape: Vec<i64>,
}

impl TensorSpec {
    /// A tensor with these sides for each sample.
    pub fn new(name: &str, datatype: &'static str, sides: &[usize]) -> Self {
        let sides = sides.iter().map(|&side| side as i64);
        Self { name: name.to_string(), datatype, shape: std::iter::once(-1).chain(sides).collect() }
    }
}
