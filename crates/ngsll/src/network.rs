//! w' = g ⊙ w, ŷ = zᵀw': a generator, a gate and their inner product.

mod explainer;
mod linear_part;
mod monotone_part;

pub(crate) use explainer::Explainer;
pub(crate) use linear_part::LinearPart;
pub(crate) use monotone_part::MonotonePart;

use crate::error::Result;
use crate::gate::hard::hard_gate;
use crate::gate::k_hot::k_hot_gate;
use crate::gate::sequential::sequential_gate;
use crate::gate::{GateScope, KHotGate, Noise, check_weights};
use crate::generator::{Active, Dropout, Generator, TabularEnsemble};
use crate::ops::inner_product::inner_product;
use crate::random::gumbel;
use crate::representation::{Batch, X};
use burn::module::{Module, ModuleDisplay, Param};
use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor, TensorData};
use rand_chacha::ChaCha8Rng;

/// The network with its optional intercept.
#[derive(Module, Debug)]
pub struct Network<G: Module + ModuleDisplay> {
    generator: G,
    /// One number per output, for models that have an intercept.
    intercept: Option<Param<Tensor<1>>>,
    /// The importance of each column of a table in the choice, for models that learned it.
    importance: Option<TabularEnsemble>,
    /// The terms of a linear model of a table: the generator adds to them.
    linear: Option<LinearPart>,
    /// The contributions of a table's monotone columns, for models that have any.
    monotone: Option<MonotonePart>,
    /// The division of a table's score among its columns, for models that learned it.
    explainer: Option<Explainer>,
    /// The factor of all weights, for models that were calibrated.
    scale: Option<Param<Tensor<1>>>,
    /// Whether the intercept stays fixed in training.
    #[module(skip)]
    fixed: bool,
    #[module(skip)]
    outputs: usize,
    #[module(skip)]
    gate_scope: GateScope,
}

/// The constant of each score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Intercept {
    /// No constant.
    None,
    /// Learned, from zero.
    Learned,
    /// Given, one for each output: the score of the empty set.
    Fixed(Vec<f32>),
}

/// The kind of gate in a forward pass.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is made and used up once in a forward pass")]
#[non_exhaustive]
pub enum Gating<'a> {
    /// Hard: the K largest, no noise.
    Hard {
        /// K.
        k: usize,
    },
    /// Given: the network sees only the kept features, and nothing else has a weight.
    Evidence {
        /// 1 = kept, 0 = erased: [batch, features].
        kept: Tensor<2>,
    },
    /// Soft, with Gumbel noise from `rng`.
    Soft {
        /// K and τ > 0.
        gate: KHotGate,
        /// One λ for all picks or a new one for each.
        noise: Noise,
        /// The stream of λ.
        rng: &'a mut ChaCha8Rng,
    },
}

/// The result of a forward pass.
#[derive(Debug)]
#[non_exhaustive]
pub struct Forward {
    /// w' of the listed features: [batch, outputs, slots]
    pub sparse_weights: Tensor<3>,
    /// ŷ, in the network's own units: [batch, outputs]
    pub scores: Tensor<2>,
}

/// The result of a forward pass of all members of an ensemble.
#[derive(Debug)]
pub(crate) struct MembersForward {
    /// The mean over members, which predicts.
    pub mean: Forward,
    /// The scores of each member, one member after the other: [members · batch, outputs]
    pub scores: Tensor<2>,
    pub members: usize,
}

impl<G: Generator> Network<G> {
    /// Puts a gate and an intercept on a generator for so many scores.
    pub(crate) fn new(
        generator: G,
        outputs: usize,
        gate_scope: GateScope,
        intercept: Intercept,
        device: &Device,
    ) -> Self {
        let values = match &intercept {
            Intercept::None => None,
            Intercept::Learned => Some(vec![0.0; outputs]),
            Intercept::Fixed(values) => Some(values.clone()),
        };
        let parameter = |values| Param::from_data(TensorData::new(values, [outputs]), device);
        let fixed = matches!(intercept, Intercept::Fixed(_));
        let intercept = values.map(parameter);
        Self {
            generator,
            intercept,
            importance: None,
            linear: None,
            monotone: None,
            explainer: None,
            scale: None,
            fixed,
            outputs,
            gate_scope,
        }
    }

    /// Adds a linear model beneath the network.
    pub(crate) fn with_linear(self, linear: LinearPart) -> Self {
        Self { linear: Some(linear), ..self }
    }

    /// Adds functions of the monotone columns, if there are any.
    pub(crate) fn with_monotone(self, monotone: Option<MonotonePart>) -> Self {
        Self { monotone, ..self }
    }

    /// Sets the share of the generator's part kept beside a linear model when all columns are
    /// known.
    pub(crate) fn keeping(self, share: f32, device: &Device) -> Self {
        let linear = self.linear.map(|linear| linear.keeping(share, device));
        Self { linear, ..self }
    }

    /// Replaces the constants.
    pub(crate) fn with_intercepts(self, values: Vec<f32>, device: &Device) -> Self {
        let intercept = Param::from_data(TensorData::new(values, [self.outputs]), device);
        Self { intercept: Some(intercept), ..self }
    }

    /// Multiplies all terms by a number.
    pub(crate) fn with_scale(self, scale: f32, device: &Device) -> Self {
        let scale = Param::from_data(TensorData::new(vec![scale], [1]), device);
        Self { scale: Some(scale), ..self }
    }

    /// Adds a network for the importance of each column.
    pub(crate) fn with_importance(self, importance: TabularEnsemble) -> Self {
        Self { importance: Some(importance), ..self }
    }

    /// Adds a network that divides the score among the columns.
    pub(crate) fn with_explainer(self, explainer: Explainer) -> Self {
        Self { explainer: Some(explainer), ..self }
    }

    /// Whether it knows the importance of columns.
    pub(crate) fn knows_importance(&self) -> bool {
        self.importance.is_some()
    }

    /// Whether it knows the importance of columns, and divides the score among them.
    pub(crate) fn explains(&self) -> bool {
        self.importance.is_some() && self.explainer.is_some()
    }

    /// The expected change of the scores if a kept column is erased or takes another value:
    /// [batch, features]; `None` for models that did not learn it.
    pub(crate) fn importance(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        dropout: &mut Dropout,
    ) -> Option<Tensor<2>> {
        let network = self.importance.as_ref()?;
        let [samples, features] = kept.dims();
        let all = Active::all(features);
        let effects = network.forward(&batch.erased(kept), &all, dropout);
        Some(softplus(effects.reshape([samples, features]), 1.0))
    }

    /// batch → w' (`eq:wprime`) and ŷ (`eq:prediction`); weights that are not finite are an error.
    pub fn forward(
        &self,
        batch: &Batch,
        gating: Gating<'_>,
        dropout: &mut Dropout,
    ) -> Result<Forward> {
        let sparse_weights = self.sparse_weights(batch, gating, dropout)?;
        let scores = self.scores(batch, sparse_weights.clone());
        Ok(Forward { sparse_weights, scores })
    }

    /// The scores from the kept features alone: [batch, outputs]
    pub(crate) fn evidence_scores(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        dropout: &mut Dropout,
    ) -> Result<Tensor<2>> {
        let weights = self.scaled(self.generated(batch, kept, dropout)?);
        Ok(self.scores(batch, weights))
    }

    /// The scores with all terms multiplied by a number: [batch, outputs] → the same
    pub(crate) fn with_terms_scaled(&self, scores: Tensor<2>, scale: f64) -> Tensor<2> {
        match &self.intercept {
            _ if scale == 1.0 => scores,
            Some(intercept) => {
                let base = intercept.val().detach().unsqueeze();
                (scores - base.clone()).mul_scalar(scale) + base
            }
            None => scores.mul_scalar(scale),
        }
    }

    /// A forward pass from the kept features alone, with the scores of each member of an ensemble. No
    /// gradient flows from the terms, as the explainer divides them, into the scores.
    pub(crate) fn forward_members(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        dropout: &mut Dropout,
    ) -> Result<MembersForward> {
        let x = batch.erased(kept);
        let mut weights = self.written_by_members(&x, batch, dropout);
        if let Some(linear) = &self.linear {
            let kept = linear.kept(&x).unsqueeze_dim(0);
            weights = weights * kept + linear.weights(&x).unsqueeze_dim(0);
        }
        let [members, samples, outputs, slots] = weights.dims();
        let marks = batch.slot_marks(kept).reshape([1, samples, 1, slots]);
        let weights = weights * marks;
        let sparse_weights: Tensor<3> = weights.clone().mean_dim(0).squeeze_dim(0);
        check_weights(&sparse_weights)?;
        let scores = self.scores(batch, sparse_weights.clone());
        let sparse_weights = match self.explainer {
            Some(_) => self.explained(batch, kept, sparse_weights.detach(), dropout),
            None => sparse_weights,
        };
        let mean = Forward { sparse_weights, scores };
        if members == 1 {
            let scores = mean.scores.clone();
            return Ok(MembersForward { mean, scores, members });
        }
        let z = batch.z.clone().reshape([1, samples, 1, slots]);
        let scores = (weights * z).sum_dim(3).reshape([members * samples, outputs]);
        Ok(MembersForward { mean, scores: self.with_intercept(scores), members })
    }

    /// ŷ (`eq:prediction`) from w': [batch, outputs, slots] → [batch, outputs]
    pub(crate) fn scores(&self, batch: &Batch, sparse_weights: Tensor<3>) -> Tensor<2> {
        self.with_intercept(inner_product(sparse_weights, batch.z.clone()))
    }

    fn with_intercept(&self, scores: Tensor<2>) -> Tensor<2> {
        match &self.intercept {
            Some(intercept) if self.fixed => scores + intercept.val().detach().unsqueeze(),
            Some(intercept) => scores + intercept.val().unsqueeze(),
            None => scores,
        }
    }

    /// batch → w' (`eq:wprime`): [batch, outputs, slots]
    pub fn sparse_weights(
        &self,
        batch: &Batch,
        gating: Gating<'_>,
        dropout: &mut Dropout,
    ) -> Result<Tensor<3>> {
        if let Gating::Evidence { kept } = gating {
            let weights = self.generated(batch, &kept, dropout)?;
            return Ok(self.scaled(self.explained(batch, &kept, weights, dropout)));
        }
        let weights = self.generator.forward(&batch.x, &batch.active, dropout);
        let gate = self.gate(weights.clone(), &batch.mask, gating)?;
        Ok(gate * weights)
    }

    /// The generator's weights of the kept features, on top of a linear model if there is one:
    /// [batch, outputs, slots]
    pub(crate) fn generated(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        dropout: &mut Dropout,
    ) -> Result<Tensor<3>> {
        let x = batch.erased(kept);
        let mut weights: Tensor<3> = match self.monotone {
            None => self.generator.forward(&x, &batch.active, dropout),
            // The mean of the members' functions is not a function of the mean of their outputs.
            Some(_) => self.written_by_members(&x, batch, dropout).mean_dim(0).squeeze_dim(0),
        };
        if let Some(linear) = &self.linear {
            weights = weights * linear.kept(&x) + linear.weights(&x);
        }
        check_weights(&weights)?;
        Ok(weights * batch.slot_marks(kept).unsqueeze_dim(1))
    }

    /// The weights by each member of the generator for the listed features: [members, batch, outputs, slots]
    fn written_by_members(&self, x: &X, batch: &Batch, dropout: &mut Dropout) -> Tensor<4> {
        let written = self.generator.forward_members(x, &batch.active, dropout);
        match (&self.monotone, x.as_columns()) {
            (Some(monotone), Some(rows)) => monotone.weights(written, rows, self.linear.as_ref()),
            _ => written,
        }
    }

    fn scaled(&self, weights: Tensor<3>) -> Tensor<3> {
        match &self.scale {
            Some(scale) => weights * scale.val().detach().unsqueeze(),
            None => weights,
        }
    }

    /// The weights with the same scores, divided among the columns by the explainer; unchanged without
    /// one.
    ///
    /// weights: [batch, outputs, slots], 0 where a feature is not kept
    pub(crate) fn explained(
        &self,
        batch: &Batch,
        kept: &Tensor<2>,
        weights: Tensor<3>,
        dropout: &mut Dropout,
    ) -> Tensor<3> {
        match &self.explainer {
            Some(explainer) => {
                let (linear, monotone) = (self.linear.as_ref(), self.monotone.as_ref());
                explainer.divided(batch, kept, weights, (linear, monotone), dropout)
            }
            None => weights,
        }
    }

    /// weights: [batch, outputs, slots], mask: [batch, slots] → gate: [batch, outputs or 1, slots]
    fn gate(&self, weights: Tensor<3>, mask: &Tensor<2>, gating: Gating<'_>) -> Result<Tensor<3>> {
        check_weights(&weights)?;
        let [batch, outputs, slots] = weights.dims();
        let squares = weights.powi_scalar(2);
        let (squares, mask, gates) = match self.gate_scope {
            GateScope::Shared => (squares.sum_dim(1), mask.clone(), 1),
            GateScope::PerClass => {
                let mask = mask.clone().unsqueeze_dim::<3>(1).expand([batch, outputs, slots]);
                (squares, mask.reshape([batch * outputs, slots]), outputs)
            }
        };
        let squares = squares.reshape([batch * gates, slots]);
        let gate = match gating {
            Gating::Hard { k } => hard_gate(squares, mask, k),
            Gating::Evidence { .. } => unreachable!("given features need no gate"),
            Gating::Soft { gate, noise, rng } => {
                let (k, temperature) = (gate.k(), gate.temperature());
                let device = squares.device();
                let mut draw = || {
                    let values = gumbel(rng, batch * gates * slots);
                    Tensor::from_data(TensorData::new(values, [batch * gates, slots]), &device)
                };
                match noise {
                    Noise::Shared => k_hot_gate(squares, mask, draw(), k, temperature),
                    Noise::Fresh => sequential_gate(squares, mask, |_| draw(), k, temperature),
                }
            }
        };
        Ok(gate.reshape([batch, gates, slots]))
    }

    /// The network that writes the weights.
    pub(crate) fn generator(&self) -> &G {
        &self.generator
    }

    /// Whether its scores have a learned constant.
    pub fn has_intercept(&self) -> bool {
        self.intercept.is_some()
    }

    /// Which features the scores of several classes use.
    pub fn gate_scope(&self) -> GateScope {
        self.gate_scope
    }

    /// The number of scores.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The intercept of each output; zeros for a model without.
    pub fn intercepts(&self) -> Vec<f64> {
        match &self.intercept {
            Some(intercept) => intercept.val().into_data().iter::<f64>().collect(),
            None => vec![0.0; self.outputs],
        }
    }
}
