//! The default network for tables: an ensemble of networks that share most of their weights.
//!
//! Every column's value becomes a vector (piecewise linear in a number, one for each level); the
//! members read the same vectors through their own scales and share the large matrices
//! (BatchEnsemble, Wen et al. 2020; TabM, Gorishniy et al. 2025). Each has its own head. The
//! weights of a prediction are the mean over members, so that the sum of terms stays exact; in
//! training each member has its own loss.

use super::layers::{ColumnEmbedding, Init};
use super::{Active, ColumnRows, Dropout, Generator, X};
use crate::config::option_table;
use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use serde::{Deserialize, Serialize};

/// The sizes of [`TabularEnsemble`]. Table of options: [`TabularEnsembleConfig::OPTIONS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TabularEnsembleConfig {
    /// Networks of the ensemble.
    pub members: usize,
    /// Numbers for the value of a column.
    pub embedding: usize,
    /// Fully connected layers.
    pub layers: usize,
    /// Units of each.
    pub units: usize,
    /// Share of units dropped in training.
    pub dropout: f64,
}

option_table! {
    TabularEnsembleConfig:
    (
        "members",
        "8",
        "networks of the ensemble; terms are their mean",
        "a whole number from 1 to 100",
    ),
    (
        "embedding",
        "16",
        "numbers that represent the value of a column",
        "a whole number from 1 to 65,536",
    ),
    ("layers", "2", "fully connected layers", "a whole number from 1 to 100"),
    ("units", "128", "units of each layer", "a whole number from 1 to 65,536"),
    ("dropout", "0.1", "share of units dropped in training", "a number from 0 to below 1"),
}

impl Default for TabularEnsembleConfig {
    fn default() -> Self {
        Self { members: 8, embedding: 16, layers: 2, units: 128, dropout: 0.1 }
    }
}

/// An ensemble of networks that share most of their weights.
#[derive(Module, Debug)]
pub struct TabularEnsemble {
    embedding: ColumnEmbedding,
    /// The scale of each column for each member: [members, columns]
    reads: Param<Tensor<2>>,
    /// The first layer's matrix: [columns, embedding, units]
    first: Param<Tensor<3>>,
    /// The members' scales and biases of the first layer.
    first_scales: MemberScales,
    layers: Vec<SharedLayer>,
    /// V of each member: [members, units, outputs · features]
    vectors: Param<Tensor<3>>,
    /// b of each member: [members, 1, outputs · features]
    biases: Param<Tensor<3>>,
    #[module(skip)]
    dropout: f64,
    #[module(skip)]
    outputs: usize,
}

/// A member's own scale and bias for each unit of a layer: [members, 1, units]
#[derive(Module, Debug)]
struct MemberScales {
    scales: Param<Tensor<3>>,
    biases: Param<Tensor<3>>,
}

impl MemberScales {
    fn new(members: usize, units: usize, init: &mut Init<'_>) -> Self {
        Self { scales: init.ones([members, 1, units]), biases: init.zeros([members, 1, units]) }
    }

    /// h: [members, batch, units], before the activation
    fn forward(&self, h: Tensor<3>) -> Tensor<3> {
        relu(h * self.scales.val() + self.biases.val())
    }
}

/// A fully connected layer whose matrix all members share.
#[derive(Module, Debug)]
struct SharedLayer {
    /// [units, units]
    weight: Param<Tensor<2>>,
    /// The scale of each input unit for each member: [members, 1, units]
    reads: Param<Tensor<3>>,
    scales: MemberScales,
}

impl SharedLayer {
    fn new(members: usize, units: usize, init: &mut Init<'_>) -> Self {
        let bound = (3.0 / units as f64).sqrt();
        Self {
            weight: init.uniform([units, units], bound),
            reads: init.ones([members, 1, units]),
            scales: MemberScales::new(members, units, init),
        }
    }

    fn forward(&self, h: Tensor<3>) -> Tensor<3> {
        let [members, batch, units] = h.dims();
        let h = (h * self.reads.val()).reshape([members * batch, units]);
        self.scales.forward(h.matmul(self.weight.val()).reshape([members, batch, units]))
    }
}

impl TabularEnsemble {
    /// Up to about this many kept columns, their sum is hardly scaled.
    pub const FEW: f64 = 3.0;

    /// A small network with a few numbers for each column and score.
    pub(crate) fn of_columns(
        columns: &[ColumnRows],
        numbers: usize,
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let config = TabularEnsembleConfig {
            members: 4,
            units: 64,
            dropout: 0.0,
            ..TabularEnsembleConfig::default()
        };
        Self::new(&config, columns, numbers * columns.len(), outputs, init)
    }

    /// The network for these columns, `features` weights and `outputs` scores.
    pub(super) fn new(
        config: &TabularEnsembleConfig,
        columns: &[ColumnRows],
        features: usize,
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let TabularEnsembleConfig { members, embedding, layers, units, dropout } = *config;
        let first = (3.0 / (columns.len() * embedding) as f64).sqrt();
        Self {
            embedding: ColumnEmbedding::new(columns, embedding, init),
            reads: init.normal([members, columns.len()]),
            first: init.uniform([columns.len(), embedding, units], first),
            first_scales: MemberScales::new(members, units, init),
            layers: (1..layers).map(|_| SharedLayer::new(members, units, init)).collect(),
            // Every term starts at 0, so that one linear model for all rows is learned first.
            vectors: init.zeros([members, units, outputs * features]),
            biases: init.zeros([members, 1, outputs * features]),
            dropout,
            outputs,
        }
    }
}

impl Generator for TabularEnsemble {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.forward_members(x, active, dropout).mean_dim(0).squeeze_dim(0)
    }

    fn forward_members(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<4> {
        let X::Columns(rows) = x else { unreachable!("a table network is given columns") };
        let vectors = self.embedding.forward(rows);
        let [columns, batch, _] = vectors.dims();
        let [members, units, weights] = self.vectors.val().dims();
        // Members differ in how much they read of a column, so a column's part of the first layer is
        // computed once for all of them.
        let parts = vectors.matmul(self.first.val()).reshape([columns, batch * units]);
        let h = self.reads.val().matmul(parts).reshape([members, batch, units]);
        // If many columns are kept, the sum of the others would otherwise drown out each one.
        let kept = rows.kept().add_scalar(Self::FEW);
        let scale = kept.recip().mul_scalar(columns as f64).sqrt().reshape([1, batch, 1]);
        let mut h = h * scale;
        h = dropout.apply(self.first_scales.forward(h), self.dropout);
        for layer in &self.layers {
            h = dropout.apply(layer.forward(h), self.dropout);
        }
        let all = h.matmul(self.vectors.val()) + self.biases.val();
        let all = all.reshape([members, batch, self.outputs, weights / self.outputs]);
        match &active.indices {
            None => all,
            Some(indices) => {
                let slots = [members, batch, self.outputs, active.slots];
                let indices = indices.clone().reshape([1, batch, 1, active.slots]);
                all.gather(3, indices.expand(slots))
            }
        }
    }
}
