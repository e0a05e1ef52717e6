//! Models as ONNX files: one graph that reads a sample, chooses its K features and returns the terms of
//! [`Model::explain`](ngsll::Model::explain).
//!
//! With evidence `chosen` the choice is part of the graph: a loop in which half of the features are dropped
//! at a time. For tables a network ranks them; for texts and images gradients do, so the backward pass of
//! their networks is written into the graph, operation by operation. With evidence `whole` there is one pass
//! and a gate.
//!
//! | input | of | |
//! |---|---|---|
//! | `image` | images | `uint8` [batch, height, width, channels] |
//! | `words` | texts | strings [batch, time], `""` after the end of a text |
//! | `segments` | texts whose sentences or phrases are features | `int64` [batch, time], the segment of each word |
//! | a column's name | tables | `double` `[batch]`, NaN if missing; levels as strings, `""` if missing |
//!
//! | output | |
//! |---|---|
//! | `scores` | [batch, outputs] |
//! | `label`, `probabilities` | of classes: `[batch]`, [batch, classes] |
//! | `value` | of a number: `[batch]` |
//! | `indices` | [batch, K]: the features, −1 if a sample has fewer; [batch, outputs, K] if each score has its own |
//! | `contributions` | [batch, outputs, K] |
//! | `intercept` | `[outputs]`; with the contributions it adds up to the scores |

mod by_gradient;
mod choice;
mod gated;
mod graph;
mod head;
mod image;
mod linear;
mod metadata;
mod ops;
mod outputs;
mod proto;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod weights;

use graph::Graph;
use ngsll::representation::Representation;
use ngsll::{Error, Model, Result};
use prost::Message;
use proto::{ModelProto, OperatorSetIdProto};
use weights::Weights;

/// The oldest set of operators that suffices.
const OPSET: i64 = 17;
/// The version of the classical operators; only the encoding of strings as numbers is used.
const ML_OPSET: i64 = 3;
/// The matching version of the format itself.
const IR_VERSION: i64 = 8;

/// An ONNX file, with its inputs and outputs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OnnxFile {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The most terms of each score.
    pub k: usize,
    /// The names of its inputs.
    pub inputs: Vec<String>,
    /// The names of its outputs.
    pub outputs: Vec<String>,
}

/// An ONNX file that explains like the model with K = `k`, or the model's own K.
///
/// `notes` are names and values stored in the file beside the model's properties: task, classes,
/// features, K.
pub fn export(model: &Model, k: Option<usize>, notes: &[(&str, String)]) -> Result<OnnxFile> {
    let k = model.check_k(k)?.min(model.representation().features());
    let mut g = Graph::new(&outputs::NAMES);
    let mut weights = Weights::of(model);
    weights.find("intercept");
    let terms = match model.representation() {
        Representation::Columns(table) => table::terms(&mut g, &mut weights, model, table, k)?,
        Representation::Grid(grid) if grid.superpixels() => {
            let expected = "each image has regions of its own, and finding them cannot be written as ONNX: \
                            export a model of cells or of a mask's regions";
            return Err(Error::setting("representation.regions", "slic", expected));
        }
        Representation::Grid(grid) => image::terms(&mut g, &mut weights, model, grid, k)?,
        Representation::Words(words) => text::terms(&mut g, &mut weights, model, words, k)?,
        other => {
            let expected = "samples of this kind cannot be written as ONNX";
            return Err(Error::setting("representation", other.describe(), expected));
        }
    };
    weights.finish()?;
    outputs::write(&mut g, model.objective(), &model.network().intercepts(), k, terms);
    let [inputs, outputs] = g.names();
    let metadata_props = metadata::entries(model, k, notes);
    let operators = |domain: &str, version| {
        let (domain, version) = (Some(domain.to_string()), Some(version));
        OperatorSetIdProto { domain, version }
    };
    let file = ModelProto {
        ir_version: Some(IR_VERSION),
        producer_name: Some("ngsll".to_string()),
        producer_version: Some(env!("CARGO_PKG_VERSION").to_string()),
        doc_string: Some(metadata::sentence(model, k)),
        graph: Some(g.finish("ngsll")),
        opset_import: vec![operators("", OPSET), operators("ai.onnx.ml", ML_OPSET)],
        metadata_props,
    };
    Ok(OnnxFile { bytes: file.encode_to_vec(), k, inputs, outputs })
}
