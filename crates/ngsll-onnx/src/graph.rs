//! A graph under construction: operations, their constants, and the body of a loop.

use crate::proto::{
    AttributeProto, DimensionProto, GraphProto, NodeProto, TensorProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto,
};
use std::collections::HashSet;

/// The result of an operation, which others read by its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value(String);

/// The element types of tensors, with the standard's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Float = 1,
    Uint8 = 2,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Double = 11,
}

/// A size of an input or output.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dim {
    Fixed(usize),
    /// Known when the model runs.
    Named(&'static str),
}

/// The operations so far.
#[derive(Default)]
pub(crate) struct Graph {
    /// The main graph, and the bodies of the loops that are being written, innermost last.
    nodes: Vec<Vec<NodeProto>>,
    constants: Vec<TensorProto>,
    inputs: Vec<ValueInfoProto>,
    outputs: Vec<ValueInfoProto>,
    names: HashSet<String>,
    made: usize,
}

impl Graph {
    /// A graph whose values never get these names.
    pub fn new(reserved: &[&str]) -> Self {
        let names = reserved.iter().map(|name| name.to_string()).collect();
        Self { nodes: vec![Vec::new()], names, ..Self::default() }
    }

    fn fresh(&mut self, kind: &str) -> Value {
        loop {
            self.made += 1;
            let name = format!("{kind}_{}", self.made);
            if self.names.insert(name.clone()) {
                return Value(name);
            }
        }
    }

    /// An operation with one result.
    pub fn op(&mut self, kind: &str, inputs: &[&Value]) -> Value {
        self.op_with(kind, inputs, vec![])
    }

    /// The same with attributes.
    pub fn op_with(
        &mut self,
        kind: &str,
        inputs: &[&Value],
        attributes: Vec<AttributeProto>,
    ) -> Value {
        let [value] = self.ops(kind, inputs, attributes);
        value
    }

    /// The same with `N` results.
    pub fn ops<const N: usize>(
        &mut self,
        kind: &str,
        inputs: &[&Value],
        attribute: Vec<AttributeProto>,
    ) -> [Value; N] {
        let outputs = [(); N].map(|()| self.fresh(kind));
        self.node(kind, inputs, &outputs, attribute);
        outputs
    }

    fn node(
        &mut self,
        kind: &str,
        inputs: &[&Value],
        outputs: &[Value],
        attribute: Vec<AttributeProto>,
    ) {
        let domain = (kind == "LabelEncoder").then(|| "ai.onnx.ml".to_string());
        let node = NodeProto {
            input: inputs.iter().map(|value| value.0.clone()).collect(),
            name: outputs.first().map(|value| format!("{}_node", value.0)),
            output: outputs.iter().map(|value| value.0.clone()).collect(),
            op_type: Some(kind.to_string()),
            attribute,
            domain,
        };
        self.nodes.last_mut().expect("the main graph is always there").push(node);
    }

    /// Repeats `body` while its last result is true: the state goes through `body`, which gets the number
    /// of the pass and the state.
    pub fn repeat<const N: usize>(
        &mut self,
        condition: &Value,
        state: [(&Value, Kind); N],
        body: impl FnOnce(&mut Self, &Value, &[Value; N]) -> ([Value; N], Value),
    ) -> [Value; N] {
        let (pass, going) = (self.fresh("pass"), self.fresh("going"));
        let inner = [(); N].map(|()| self.fresh("state"));
        self.nodes.push(Vec::new());
        let (next, condition_after) = body(self, &pass, &inner);
        // The results of the body must be values of the body itself.
        let next = next.map(|value| self.op("Identity", &[&value]));
        let node = self.nodes.pop().expect("the body was just begun");
        let kinds = state.map(|(_, kind)| kind);
        let infos = |values: &[Value; N]| -> Vec<ValueInfoProto> {
            values.iter().zip(kinds).map(|(value, kind)| info(&value.0, kind, None)).collect()
        };
        let mut input =
            vec![info(&pass.0, Kind::Int64, Some(&[])), info(&going.0, Kind::Bool, Some(&[]))];
        input.extend(infos(&inner));
        let mut output = vec![info(&condition_after.0, Kind::Bool, Some(&[]))];
        output.extend(infos(&next));
        let name = Some("choice".to_string());
        let g = GraphProto { node, name, input, output, ..GraphProto::default() };
        let none = Value(String::new());
        let mut inputs = vec![&none, condition];
        inputs.extend(state.iter().map(|(value, _)| *value));
        let body = AttributeProto { g: Some(g), ..attribute("body", 5) };
        self.ops("Loop", &inputs, vec![body])
    }

    /// An input. An input with the name of an output is renamed.
    pub fn input(&mut self, name: &str, kind: Kind, dims: &[Dim]) -> Value {
        let mut name = name.to_string();
        while name.is_empty() || !self.names.insert(name.clone()) {
            name.push_str(" (input)");
        }
        self.inputs.push(info(&name, kind, Some(dims)));
        Value(name)
    }

    /// Makes a value an output.
    pub fn output(&mut self, name: &str, value: &Value, kind: Kind, dims: &[Dim]) {
        self.node("Identity", &[value], &[Value(name.to_string())], vec![]);
        self.outputs.push(info(name, kind, Some(dims)));
    }

    /// The names of the inputs and of the outputs.
    pub fn names(&self) -> [Vec<String>; 2] {
        [&self.inputs, &self.outputs]
            .map(|infos| infos.iter().filter_map(|info| info.name.clone()).collect())
    }

    /// The graph for the file, without constants that nothing reads because there is no backward pass.
    pub fn finish(mut self, name: &str) -> GraphProto {
        let node = self.nodes.pop().unwrap_or_default();
        let mut read = HashSet::new();
        note_reads(&node, &mut read);
        let is_read = |constant: &TensorProto| {
            constant.name.as_deref().is_some_and(|name| read.contains(name))
        };
        GraphProto {
            initializer: self.constants.into_iter().filter(is_read).collect(),
            node,
            name: Some(name.to_string()),
            input: self.inputs,
            output: self.outputs,
        }
    }

    fn constant(&mut self, kind: Kind, shape: &[usize], raw_data: Vec<u8>) -> Value {
        let value = self.fresh("constant");
        self.constants.push(TensorProto {
            dims: shape.iter().map(|&size| size as i64).collect(),
            data_type: Some(kind as i32),
            name: Some(value.0.clone()),
            raw_data: Some(raw_data),
            string_data: Vec::new(),
        });
        value
    }

    /// Numbers of the network.
    pub fn floats(&mut self, shape: &[usize], values: &[f32]) -> Value {
        assert_eq!(values.len(), shape.iter().product::<usize>(), "values fill their shape");
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Kind::Float, shape, bytes)
    }

    /// One number.
    pub fn float(&mut self, value: f32) -> Value {
        self.floats(&[], &[value])
    }

    /// Numbers in double precision.
    pub fn doubles(&mut self, shape: &[usize], values: &[f64]) -> Value {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Kind::Double, shape, bytes)
    }

    /// Whole numbers.
    pub fn ints(&mut self, shape: &[usize], values: &[i64]) -> Value {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Kind::Int64, shape, bytes)
    }

    /// A list of whole numbers: axes, a shape.
    pub fn list(&mut self, values: &[i64]) -> Value {
        self.ints(&[values.len()], values)
    }

    /// Yes or no.
    pub fn bools(&mut self, shape: &[usize], values: &[bool]) -> Value {
        self.constant(Kind::Bool, shape, values.iter().map(|&value| u8::from(value)).collect())
    }

    /// A list of strings.
    pub fn strings(&mut self, values: &[String]) -> Value {
        let value = self.fresh("constant");
        self.constants.push(TensorProto {
            dims: vec![values.len() as i64],
            data_type: Some(Kind::String as i32),
            name: Some(value.0.clone()),
            string_data: values.iter().map(|value| value.clone().into_bytes()).collect(),
            raw_data: None,
        });
        value
    }
}

/// The names that operations read, also within loops.
fn note_reads<'a>(nodes: &'a [NodeProto], read: &mut HashSet<&'a str>) {
    for node in nodes {
        read.extend(node.input.iter().map(String::as_str));
        let bodies = node.attribute.iter().filter_map(|attribute| attribute.g.as_ref());
        bodies.for_each(|body| note_reads(&body.node, read));
    }
}

fn info(name: &str, kind: Kind, dims: Option<&[Dim]>) -> ValueInfoProto {
    let dim = |dim: &Dim| match *dim {
        Dim::Fixed(size) => DimensionProto { dim_value: Some(size as i64), dim_param: None },
        Dim::Named(name) => DimensionProto { dim_value: None, dim_param: Some(name.to_string()) },
    };
    let shape = dims.map(|dims| TensorShapeProto { dim: dims.iter().map(dim).collect() });
    let tensor_type = Some(TensorTypeProto { elem_type: Some(kind as i32), shape });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type }) }
}

fn attribute(name: &str, kind: i32) -> AttributeProto {
    let (name, r#type) = (Some(name.to_string()), Some(kind));
    AttributeProto { name, r#type, ..AttributeProto::default() }
}

/// A whole number as an attribute.
pub(crate) fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { i: Some(value), ..attribute(name, 2) }
}

/// A word as an attribute.
pub(crate) fn word(name: &str, value: &str) -> AttributeProto {
    AttributeProto { s: Some(value.as_bytes().to_vec()), ..attribute(name, 3) }
}

/// Whole numbers as an attribute.
pub(crate) fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { ints: values.to_vec(), ..attribute(name, 7) }
}

/// Strings as an attribute.
pub(crate) fn strings<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> AttributeProto {
    let strings = values.map(|value| value.as_bytes().to_vec()).collect();
    AttributeProto { strings, ..attribute(name, 8) }
}
