//! Optimisers that change the weights in place, and pay for a table's row only when it is used.
//!
//! One pass over a parameter reads the gradient once and writes weights and moments once. For a
//! table whose gradient lists the rows it touches ([`crate::ops::sparse_gradient`]), only those rows are
//! visited. The other rows must still move on by their momentum: each row remembers the
//! update that it is up to date with, and catches up on the updates it has missed when it is
//! needed again. Before a batch reads rows, [`Optimizer::catch_up`] is given their numbers; before
//! all rows are read, [`Optimizer::flush`] is called. So the weights are those of the plain
//! optimiser, except for rounding and, in Adam, an ε that matters where gradients are near 1e-8.
//!
//! On devices other than the CPU, weights and gradients travel to the host and back in every step:
//! right, but slow.

mod adam;
mod gradients;
mod momentum;
mod row_block;
mod slot;

#[cfg(test)]
mod tests;

pub use adam::Adam;
pub use gradients::{ParamGradients, param_gradients};

use super::{Array, OptimizerKind, Stage, Weights};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::{Tensor, TensorData};
use gradients::Gradient;
use momentum::Momentum;
use rayon::prelude::*;
use slot::Slot;
use std::collections::HashMap;
use std::fmt::Debug;

/// The rule that updates weights from gradients.
///
/// `moments` holds [`UpdateRule::moments`] numbers per weight, all of the first kind before those of the
/// second.
trait UpdateRule: Debug + Send + Sync {
    /// The name in a checkpoint.
    fn name(&self) -> &'static str;

    /// The number of moments per weight.
    fn moments(&self) -> usize;

    /// Returns the rule with another learning rate.
    fn at(&self, learning_rate: f64) -> Box<dyn UpdateRule>;

    /// Update number `time`, counted from 1.
    fn update(&self, time: u32, weights: &mut [f32], moments: &mut [f32], gradient: &[f32]);

    /// The updates after number `from` ≥ 1 up to number `to` at once, all with a gradient of zero.
    fn skip_steps(&self, from: u32, to: u32, weights: &mut [f32], moments: &mut [f32]);
}

/// A running optimiser.
///
/// Rows catch up on missed updates at the present learning rate, so a change of it must go
/// through [`Optimizer::change_rate`].
#[derive(Debug)]
pub struct Optimizer {
    rule: Box<dyn UpdateRule>,
    learning_rate: f64,
    /// The share of a weight that is removed in every update, in units of the learning rate (AdamW). Tables
    /// with sparse gradients keep theirs: most of their rows are not visited in an update.
    decay: f64,
    slots: HashMap<ParamId, Slot>,
}

impl Optimizer {
    /// The optimiser of a stage, at its start.
    pub fn new(stage: &Stage) -> Self {
        Self::at_epoch(stage, 0)
    }

    /// The optimiser of a stage, without moments, at the learning rate of an epoch.
    fn at_epoch(stage: &Stage, epoch: usize) -> Self {
        let learning_rate = stage.rate(epoch);
        let rule: Box<dyn UpdateRule> = match stage.optimizer {
            OptimizerKind::Adam => Box::new(Adam { learning_rate }),
            OptimizerKind::Momentum => Box::new(Momentum { learning_rate }),
        };
        let decay = stage.weight_decay.unwrap_or(0.0);
        Self { rule, learning_rate, decay, slots: HashMap::new() }
    }

    /// Adam, at its start.
    pub fn adam(learning_rate: f64) -> Self {
        let rule = Box::new(Adam { learning_rate });
        Self { rule, learning_rate, decay: 0.0, slots: HashMap::new() }
    }

    /// Continues at another learning rate; moments stay.
    pub fn change_rate<M: Module>(&mut self, model: M, learning_rate: f64) -> M {
        let model = self.flush(model);
        self.rule = self.rule.at(learning_rate);
        self.learning_rate = learning_rate;
        model
    }

    /// One update of every parameter that has a gradient, which is the sum of the shards'; all of them
    /// in parallel.
    pub fn step<M: Module>(&mut self, model: M, gradients: Vec<ParamGradients>) -> M {
        let mut take = TakeNumbers { optimizer: self, gradients, taken: HashMap::new() };
        let model = model.map(&mut take);
        let mut taken = take.taken;
        let keep = (1.0 - self.learning_rate * self.decay) as f32;
        let rule = self.rule.as_ref();
        let slots = self.slots.iter_mut();
        let slots = slots.filter_map(|(id, slot)| Some((*id, slot, taken.remove(id)?)));
        let updated = slots.collect::<Vec<_>>().into_par_iter().map(|(id, slot, update)| {
            let ParamUpdate { mut numbers, gradients } = update;
            slot.update(rule, keep, as_mut_slice(&mut numbers), gradients);
            (id, numbers)
        });
        model.map(&mut PutNumbersBack(updated.collect()))
    }

    /// Applies the updates that these rows of the tables with sparse gradients have missed.
    pub fn catch_up<M: Module>(&mut self, model: M, rows: &[u32]) -> M {
        if !self.slots.values().any(Slot::is_sparse) {
            return model;
        }
        model.map(&mut CatchUp { optimizer: self, rows: Some(rows) })
    }

    /// Applies the updates that any row has missed.
    pub fn flush<M: Module>(&mut self, model: M) -> M {
        if !self.slots.values().any(Slot::is_sparse) {
            return model;
        }
        model.map(&mut CatchUp { optimizer: self, rows: None })
    }

    /// The state for [`Optimizer::restore`].
    pub fn save(&self) -> Weights {
        let mut saved = Weights::new();
        for (id, slot) in &self.slots {
            slot.save(&key(self.rule.as_ref(), *id), &mut saved);
        }
        saved
    }

    /// The optimiser of a stage in the state saved in an epoch.
    ///
    /// # Errors
    /// A message, if `saved` is not the state of this optimiser and model.
    pub fn restore<M: Module>(
        (stage, epoch): (&Stage, usize),
        model: &M,
        saved: Weights,
    ) -> Result<Self, String> {
        let optimizer = Self::at_epoch(stage, epoch);
        let mut restore = Restore { optimizer, saved, problem: None };
        model.visit(&mut restore);
        let left = restore.saved.into_keys().next();
        let foreign = left.map(|name| format!("{name} belongs to another optimiser or network"));
        restore.problem.or(foreign).map_or(Ok(restore.optimizer), Err)
    }
}

/// The prefix of a parameter's arrays in a checkpoint.
fn key(rule: &dyn UpdateRule, id: ParamId) -> String {
    format!("{}.{}", rule.name(), id.val())
}

/// Changes a parameter's numbers, in place if nothing else holds them.
fn change<const D: usize>(
    param: Param<Tensor<D>>,
    change: impl FnOnce(&mut [f32]),
) -> Param<Tensor<D>> {
    let (id, tensor, mapper) = param.consume();
    let (device, trained) = (tensor.device(), tensor.is_require_grad());
    let mut numbers = numbers_of(tensor);
    change(as_mut_slice(&mut numbers));
    let tensor = Tensor::from_data(numbers, &device).set_require_grad(trained);
    Param::from_mapped_value(id, tensor, mapper)
}

/// On the CPU neither this nor the reverse copies, unless another clone of the tensor is alive.
fn numbers_of<const D: usize>(tensor: Tensor<D>) -> TensorData {
    tensor.inner().into_data_as::<f32>()
}

fn as_mut_slice(numbers: &mut TensorData) -> &mut [f32] {
    numbers.as_mut_slice().expect("the data were converted to f32")
}

/// The numbers of a parameter while it is updated, and its gradients, one for each shard that has one.
struct ParamUpdate {
    numbers: TensorData,
    gradients: Vec<Gradient>,
}

/// Takes the numbers out of every parameter that has a gradient, and leaves an empty tensor.
struct TakeNumbers<'a> {
    optimizer: &'a mut Optimizer,
    gradients: Vec<ParamGradients>,
    taken: HashMap<ParamId, ParamUpdate>,
}

impl ModuleMapper for TakeNumbers<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let gradients = ParamGradients::take(&mut self.gradients, param.id);
        let Some(first) = gradients.first() else { return param };
        let Optimizer { rule, slots, .. } = &mut *self.optimizer;
        let new = || Slot::new(first, &param.lazy_shape(), rule.moments());
        slots.entry(param.id).or_insert_with(new);
        let (id, tensor, mapper) = param.consume();
        let empty = Tensor::empty([0; D], &tensor.device());
        self.taken.insert(id, ParamUpdate { numbers: numbers_of(tensor), gradients });
        Param::from_mapped_value(id, empty, mapper)
    }
}

/// Puts the numbers back.
struct PutNumbersBack(HashMap<ParamId, TensorData>);

impl ModuleMapper for PutNumbersBack {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(numbers) = self.0.remove(&param.id) else { return param };
        let (id, empty, mapper) = param.consume();
        let tensor = Tensor::from_data(numbers, &empty.device()).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}

struct CatchUp<'a> {
    optimizer: &'a mut Optimizer,
    /// `None` is all.
    rows: Option<&'a [u32]>,
}

impl ModuleMapper for CatchUp<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Optimizer { rule, slots, .. } = &mut *self.optimizer;
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
    optimizer: Optimizer,
    saved: Weights,
    problem: Option<String>,
}

impl ModuleVisitor for Restore {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Optimizer { rule, slots, .. } = &mut self.optimizer;
        let len = param.lazy_shape().num_elements();
        let key = key(rule.as_ref(), param.id);
        match Slot::restore(&key, &mut self.saved, len, rule.moments()) {
            Ok(slot) => slots.extend(slot.map(|slot| (param.id, slot))),
            Err(message) => self.problem = self.problem.take().or(Some(message)),
        }
    }
}
