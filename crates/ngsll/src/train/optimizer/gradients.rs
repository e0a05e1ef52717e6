//! The gradients of a step, taken out of the graph.

use crate::ops::sparse_gradient::SparseGradient;
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
    Sparse(SparseGradient),
}

/// Takes the gradients of the parameters of `model` out of `gradients`.
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

    /// Takes one parameter's gradients out of those of all shards, in their order.
    pub(super) fn take(shards: &mut [Self], id: ParamId) -> Vec<Gradient> {
        shards.iter_mut().filter_map(|shard| shard.0.remove(&id)).collect()
    }
}

impl Gradient {
    /// The gradient of a parameter of this shape, as the graph carries it.
    fn new<const D: usize>(gradient: Tensor<D>, shape: &[usize]) -> Self {
        match SparseGradient::from_gradient(gradient.into_data_as::<f32>(), shape) {
            Ok(rows) => Self::Sparse(rows),
            Err(dense) => {
                Self::Dense(dense.try_into_vec().expect("the data were converted to f32"))
            }
        }
    }
}
