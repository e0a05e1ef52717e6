//! The gradients of a step: taken out of the graph, and added up over its shards.

use crate::ops::add_all;
use crate::ops::sparse_rows::SparseRows;
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::tensor::{Gradients, Tensor};
use std::collections::HashMap;

/// The gradients of a model's parameters, from one backward pass.
#[derive(Debug, Default)]
pub struct ParamGradients(HashMap<ParamId, Gradient>);

/// The gradient of a parameter.
#[derive(Debug)]
pub(super) enum Gradient {
    /// A number for each weight.
    Dense(Vec<f32>),
    /// Some rows of a table; the others' gradients are zero.
    SparseRows(SparseRows),
}

/// Takes out of `gradients` those of the parameters of `model`.
///
/// # Panics
/// If a table was read twice in one graph through [`crate::generator::layers::Embedding`].
pub fn param_gradients<M: Module>(model: &M, gradients: Gradients) -> ParamGradients {
    let mut collect = Collect { gradients, found: ParamGradients::default() };
    model.visit(&mut collect);
    collect.found
}

struct Collect {
    gradients: Gradients,
    found: ParamGradients,
}

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.val().grad_remove(&mut self.gradients) {
            let gradient = Gradient::new(gradient, &param.lazy_shape());
            self.found.0.insert(param.id, gradient);
        }
    }
}

impl ParamGradients {
    /// Whether no parameter has a gradient.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one parameter's gradient out of those of all shards, as their sum; `None` if it has
    /// none.
    pub(super) fn take(shards: &mut [Self], id: ParamId) -> Option<Gradient> {
        let own = shards.iter_mut().filter_map(|shard| shard.0.remove(&id));
        Gradient::sum(own.collect())
    }
}

impl Gradient {
    /// The gradient of a parameter of this shape, as the graph carries it.
    fn new<const D: usize>(gradient: Tensor<D>, shape: &[usize]) -> Self {
        match SparseRows::from_gradient(gradient.into_data_as::<f32>(), shape) {
            Ok(rows) => Self::SparseRows(rows),
            Err(dense) => Self::Dense(dense.try_into_vec().expect("the data was converted to f32")),
        }
    }

    /// The sum of the shards' gradients, in their order; `None` of none.
    fn sum(shards: Vec<Self>) -> Option<Self> {
        let (mut dense, mut sparse) = (Vec::new(), Vec::new());
        for shard in shards {
            match shard {
                Self::Dense(values) => dense.push(values),
                Self::SparseRows(rows) => sparse.push(rows),
            }
        }
        match (dense.is_empty(), sparse.is_empty()) {
            (true, true) => None,
            (false, true) => {
                let mut sum = dense.remove(0);
                add_all(&mut sum, &dense.iter().map(Vec::as_slice).collect::<Vec<_>>());
                Some(Self::Dense(sum))
            }
            (true, false) => Some(Self::SparseRows(SparseRows::sum(sparse))),
            (false, false) => panic!("a table's gradient is sparse in every shard or in none"),
        }
    }
}
