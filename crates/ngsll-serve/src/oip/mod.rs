//! The Open Inference Protocol (v2): tensors in, tensors out.
//!
//! | model | inputs | outputs |
//! |---|---|---|
//! | text | `text` BYTES [n] | |
//! | images | `image` UINT8 [n, height, width], in colour [n, 3, height, width] | |
//! | tables | one for each column: BYTES or numbers [n]; null, or an empty text, is missing | |
//! | classes | | `label` BYTES [n], `probabilities` FP64 [n, classes], `scores` FP64 [n, scores] |
//! | regression | | `value` FP64 [n] |

pub mod answer;
mod binary;
pub mod inputs;

use ngsll::data::{ColumnKind, ColumnSpec};
use ngsll::objective::Objective;
use ngsll::representation::Representation;
use serde::Serialize;

/// What a model says about a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Described {
    pub name: String,
    pub datatype: &'static str,
    /// −1 stands for the number of samples.
    pub shape: Vec<i64>,
}

/// The input tensors that a model takes.
pub fn inputs_of(representation: &Representation) -> Vec<Described> {
    let one =
        |name: &str, datatype, shape| vec![Described { name: name.to_string(), datatype, shape }];
    match representation {
        Representation::Words(_) => one("text", "BYTES", vec![-1]),
        Representation::Grid(grid) => {
            let (height, width) = (grid.height as i64, grid.width as i64);
            match grid.channels {
                1 => one("image", "UINT8", vec![-1, height, width]),
                channels => one("image", "UINT8", vec![-1, channels as i64, height, width]),
            }
        }
        Representation::Columns(columns) => {
            let described = |spec: ColumnSpec| {
                let datatype = match spec.kind {
                    ColumnKind::Numeric => "FP64",
                    ColumnKind::Categorical => "BYTES",
                };
                Described { name: spec.name, datatype, shape: vec![-1] }
            };
            columns.specs().into_iter().map(described).collect()
        }
    }
}

/// The output tensors that a model gives.
pub fn outputs_of(objective: &Objective) -> Vec<Described> {
    let tensor = |name: &str, datatype, sides: &[usize]| Described {
        name: name.to_string(),
        datatype,
        shape: std::iter::once(-1).chain(sides.iter().map(|&side| side as i64)).collect(),
    };
    match objective {
        Objective::Regression { .. } => vec![tensor("value", "FP64", &[])],
        _ => vec![
            tensor("label", "BYTES", &[]),
            tensor("probabilities", "FP64", &[objective.classes().len()]),
            tensor("scores", "FP64", &[objective.outputs()]),
        ],
    }
}
