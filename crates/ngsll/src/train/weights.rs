//! A module's parameters as named plain arrays, and back.

use crate::error::{Error, Result};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Tensor, TensorData};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::BTreeMap;
use std::path::Path;

/// One parameter: its shape and its values in row-major order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Array {
    /// Sizes of the dimensions.
    pub shape: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
}

impl Array {
    /// Values of a shape, which must be as many as it says.
    pub fn new(shape: Vec<usize>, values: Vec<f32>) -> Result<Self> {
        let expected: usize = shape.iter().product();
        if values.len() != expected {
            let expected = format!("expected {expected}, as the shape {shape:?} says");
            return Err(Error::setting("values", values.len(), expected));
        }
        Ok(Self { shape, values })
    }
}

/// All parameters of a module by their path, such as `generator.head.biases`.
pub type Weights = BTreeMap<String, Array>;

/// Reads the parameters of a module.
pub fn weights_of<M: Module>(module: &M) -> Weights {
    let mut collector = Collector { path: Vec::new(), weights: Weights::new() };
    module.visit(&mut collector);
    collector.weights
}

/// Puts parameters into a module; names and shapes must be the module's own.
pub fn with_weights<M: Module>(module: M, weights: Weights, file: &Path) -> Result<M> {
    let mut loader = Loader { path: Vec::new(), weights, problem: None };
    let module = module.map(&mut loader);
    let left = loader.weights.into_keys().next();
    let problem =
        loader.problem.or(left.map(|name| format!("the network has no parameter {name}")));
    match problem {
        Some(message) => Err(Error::ModelFolder { path: file.to_path_buf(), message }),
        None => Ok(module),
    }
}

/// Gives the parameters the ids 0, 1, …, so that a saved optimiser state finds them again.
pub fn numbered<M: Module>(module: M) -> M {
    module.map(&mut Numberer { next: 0 })
}

/// The parameters as the bytes of a safetensors file.
pub fn to_bytes(weights: &Weights) -> Vec<u8> {
    let bytes: Vec<(&String, &Array, Vec<u8>)> = weights
        .iter()
        .map(|(name, a)| (name, a, a.values.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let views = bytes.iter().map(|(name, array, bytes)| {
        let view = TensorView::new(Dtype::F32, array.shape.clone(), bytes);
        (name.as_str(), view.expect("an array holds as many values as its shape says"))
    });
    safetensors::serialize(views, None).expect("names and sizes of parameters are valid")
}

/// Parameters from the bytes of a safetensors file.
pub fn from_bytes(bytes: &[u8], file: &Path) -> Result<Weights> {
    let damaged = |message: String| Error::ModelFolder { path: file.to_path_buf(), message };
    let tensors = SafeTensors::deserialize(bytes)
        .map_err(|e| damaged(format!("it is not a safetensors file: {e}")))?;
    let mut weights = Weights::new();
    for (name, view) in tensors.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(damaged(format!("{name} is {:?}, expected F32", view.dtype())));
        }
        let value = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("chunks of four bytes"));
        let values: Vec<f32> = view.data().chunks_exact(4).map(value).collect();
        if values.iter().any(|v| !v.is_finite()) {
            return Err(damaged(format!("{name} holds a number that is not finite")));
        }
        weights.insert(name, Array { shape: view.shape().to_vec(), values });
    }
    Ok(weights)
}

struct Collector {
    path: Vec<String>,
    weights: Weights,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let shape = tensor.dims().to_vec();
        let values =
            tensor.into_data_as::<f32>().try_into_vec().expect("the data were converted to f32");
        self.weights.insert(self.path.join("."), Array { shape, values });
    }
}

struct Loader {
    path: Vec<String>,
    weights: Weights,
    problem: Option<String>,
}

impl ModuleMapper for Loader {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        let shape = param.lazy_shape().to_vec();
        match self.weights.remove(&name) {
            Some(array) if array.shape == shape => {
                let data = TensorData::new(array.values, array.shape);
                let tensor = Tensor::from_data(data, &param.lazy_device());
                let id = param.id;
                param.transform_for_load(tensor, id)
            }
            Some(array) => {
                let found = array.shape;
                self.problem
                    .get_or_insert(format!("{name} has shape {found:?}, expected {shape:?}"));
                param
            }
            None => {
                self.problem.get_or_insert(format!("the parameter {name} is missing"));
                param
            }
        }
    }
}

struct Numberer {
    next: u64,
}

impl ModuleMapper for Numberer {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let id = ParamId::from(self.next);
        self.next += 1;
        let tensor = param.val();
        param.transform_for_load(tensor, id)
    }
}
