//! Optimisers that change the weights in place, and pay for a table's row only when it is used.
//!
//! One pass over a parameter reads the gradient once and writes weights and moments once. For a
//! table whose gradient lists the rows it touches ([`crate::ops::embedding`]), only those rows are
//! visited. The other rows should move on by their momentum all the same: each row remembers the
//! update that it is up to date with, and what it has missed is made good when it is needed
//! again. Before a batch reads rows, [`Descent::catch_up`] is told which; before all rows are
//! read, [`Descent::flush`] is called. So the course is that of the plain optimiser, but for
//! rounding and, in Adam, an ε that is felt where gradients are near 1e-8.
//!
//! On other devices than the CPU, weights and gradients travel to the host and back in every step:
//! right, but slow.

mod adam;
mod momentum;
mod slot;

#[cfg(test)]
mod tests;

pub use adam::Adam;

use super::{Array, Optimiser, Stage, Weights};
use crate::ops::embedding::{is_sparse, merged};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Gradients, Tensor, TensorData};
use momentum::Momentum;
use rayon::prelude::*;
use slot::Slot;
use std::collections::HashMap;
use std::fmt::Debug;

/// Numbers that are worth a thread.
const SHARE: usize = 1 << 14;

/// How weights follow from gradients.
///
/// `moments` holds [`Rule::moments`] numbers per weight, all of the first kind before those of the
/// second.
trait Rule: Debug + Send + Sync {
    /// The name in a checkpoint.
    fn name(&self) -> &'static str;

    /// Numbers that are remembered per weight.
    fn moments(&self) -> usize;

    /// The same rule at another learning rate.
    fn at(&self, learning_rate: f64) -> Box<dyn Rule>;

    /// Update number `time`, counted from 1.
    fn update(&self, time: u32, weights: &mut [f32], moments: &mut [f32], gradient: &[f32]);

    /// The updates after `from` ≥ 1 up to `to`, all with a gradient of zero.
    fn rest(&self, from: u32, to: u32, weights: &mut [f32], moments: &mut [f32]);
}

/// A running optimiser.
///
/// What a row has missed is made good at the rate of now, so a change of the learning rate goes
/// through [`Descent::change_rate`].
#[derive(Debug)]
pub struct Descent {
    rule: Box<dyn Rule>,
    slots: HashMap<ParamId, Slot>,
}

impl Descent {
    /// The optimiser of a stage, at its start.
    pub fn new(stage: &Stage) -> Self {
        let learning_rate = stage.learning_rate;
        let rule: Box<dyn Rule> = match stage.optimiser {
            Optimiser::Adam => Box::new(Adam { learning_rate }),
            Optimiser::Momentum => Box::new(Momentum { learning_rate }),
        };
        Self { rule, slots: HashMap::new() }
    }

    /// Adam, at its start.
    pub fn adam(learning_rate: f64) -> Self {
        Self { rule: Box::new(Adam { learning_rate }), slots: HashMap::new() }
    }

    /// Goes on at another learning rate; moments stay.
    pub fn change_rate<M: Module>(&mut self, model: M, learning_rate: f64) -> M {
        let model = self.flush(model);
        self.rule = self.rule.at(learning_rate);
        model
    }

    /// One update of every parameter that has a gradient, which is the sum of the shards'.
    pub fn step<M: Module>(&mut self, model: M, gradients: Vec<ParamGradients>) -> M {
        model.map(&mut Step { descent: self, gradients })
    }

    /// Makes good what these rows of the tables with sparse gradients have missed.
    pub fn catch_up<M: Module>(&mut self, model: M, rows: &[u32]) -> M {
        if !self.slots.values().any(Slot::is_sparse) {
            return model;
        }
        model.map(&mut CatchUp { descent: self, rows: Some(rows) })
    }

    /// Makes good what all rows have missed.
    pub fn flush<M: Module>(&mut self, model: M) -> M {
        if !self.slots.values().any(Slot::is_sparse) {
            return model;
        }
        model.map(&mut CatchUp { descent: self, rows: None })
    }

    /// All that [`Descent::restore`] needs.
    pub fn save(&self) -> Weights {
        let mut saved = Weights::new();
        for (id, slot) in &self.slots {
            slot.save(&key(self.rule.as_ref(), *id), &mut saved);
        }
        saved
    }

    /// The optimiser of a stage as it was saved; what is wrong with `saved`, if it is not that.
    pub fn restore<M: Module>(stage: &Stage, model: &M, saved: Weights) -> Result<Self, String> {
        let mut restore = Restore { descent: Self::new(stage), saved, problem: None };
        model.visit(&mut restore);
        let left = restore.saved.into_keys().next();
        let foreign = left.map(|name| format!("{name} belongs to another optimiser or network"));
        restore.problem.or(foreign).map_or(Ok(restore.descent), Err)
    }
}

/// What the names of a parameter's arrays in a checkpoint begin with.
fn key(rule: &dyn Rule, id: ParamId) -> String {
    format!("{}.{}", rule.name(), id.val())
}

/// Changes a parameter's numbers, in place if nothing else holds them.
fn change<const D: usize>(
    param: Param<Tensor<D>>,
    change: impl FnOnce(&mut [f32]),
) -> Param<Tensor<D>> {
    let (id, tensor, mapper) = param.consume();
    let (device, trained) = (tensor.device(), tensor.is_require_grad());
    // On the CPU neither way copies, unless another clone of the tensor is alive.
    let mut data = tensor.inner().into_data_as::<f32>();
    change(data.as_mut_slice().expect("the data was converted to f32"));
    let tensor = Tensor::from_data(data, &device).set_require_grad(trained);
    Param::from_mapped_value(id, tensor, mapper)
}

/// The gradients of a model's parameters.
pub type ParamGradients = HashMap<ParamId, TensorData>;

/// Takes out of `gradients` those of the parameters of `model`.
pub fn param_gradients<M: Module>(model: &M, gradients: Gradients) -> ParamGradients {
    let mut found = Found { gradients, found: HashMap::new() };
    model.visit(&mut found);
    found.found
}

struct Found {
    gradients: Gradients,
    found: ParamGradients,
}

impl ModuleVisitor for Found {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.val().grad_remove(&mut self.gradients) {
            self.found.insert(param.id, gradient.into_data_as::<f32>());
        }
    }
}

struct Step<'a> {
    descent: &'a mut Descent,
    gradients: Vec<ParamGradients>,
}

impl ModuleMapper for Step<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let own = self.gradients.iter_mut().filter_map(|shard| shard.remove(&param.id));
        let own: Vec<TensorData> = own.collect();
        let Some(first) = own.first() else { return param };
        let Descent { rule, slots } = &mut *self.descent;
        let (shape, columns) = (param.lazy_shape(), first.shape().clone());
        let row = (D == 2 && is_sparse(columns[1], shape[1])).then(|| shape[1]);
        let own = own.into_iter().map(|data| data.try_into_vec().expect("the data is f32"));
        let own: Vec<Vec<f32>> = own.collect();
        let gradient = match row {
            Some(width) => merged(own, width),
            None => summed(own),
        };
        let new = || Slot::new(shape.num_elements(), row, rule.moments());
        let slot = slots.entry(param.id).or_insert_with(new);
        change(param, |weights| match row {
            Some(_) => slot.update_rows(rule.as_ref(), weights, &gradient),
            None => slot.update(rule.as_ref(), weights, &gradient),
        })
    }
}

/// The sum of the shards' gradients, in their order.
fn summed(mut shards: Vec<Vec<f32>>) -> Vec<f32> {
    let mut sum = shards.remove(0);
    sum.par_chunks_mut(SHARE).enumerate().for_each(|(i, sum)| {
        for shard in &shards {
            let shard = &shard[i * SHARE..];
            sum.iter_mut().zip(shard).for_each(|(sum, part)| *sum += part);
        }
    });
    sum
}

struct CatchUp<'a> {
    descent: &'a mut Descent,
    /// `None` is all.
    rows: Option<&'a [u32]>,
}

impl ModuleMapper for CatchUp<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Descent { rule, slots } = &mut *self.descent;
        match (slots.get_mut(&param.id), self.rows) {
            (Some(slot), Some(rows)) if slot.is_sparse() => {
                change(param, |weights| slot.catch_up(rule.as_ref(), weights, rows))
            }
            (Some(slot), None) if slot.is_sparse() => {
                change(param, |weights| slot.flush(rule.as_ref(), weights))
            }
            _ => param,
        }
    }
}

struct Restore {
    descent: Descent,
    saved: Weights,
    problem: Option<String>,
}

impl ModuleVisitor for Restore {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Descent { rule, slots } = &mut self.descent;
        let len = param.lazy_shape().num_elements();
        let key = key(rule.as_ref(), param.id);
        match Slot::restore(&key, &mut self.saved, len, rule.moments()) {
            Ok(slot) => slots.extend(slot.map(|slot| (param.id, slot))),
            Err(message) => self.problem = self.problem.take().or(Some(message)),
        }
    }
}
