//! Networks with their first weights.

use super::TrainingSetup;
use crate::error::Result;
use crate::evidence::Evidence;
use crate::generator::layers::Init;
use crate::generator::{BuiltIn, Dims, Generator, GeneratorConfig, TabularEnsemble, XShape};
use crate::network::{Explainer, Intercept, MonotonePart, Network};
use crate::random::{Purpose, stream};
impl TrainingSetup {
    /// The plain network with its first weights. It reads [`Batch::plain`](crate::representation::Batch::plain):
    /// its one weight is the score.
    pub fn plain_network(&self, seed: u64) -> Result<Network<BuiltIn>> {
        let dims = self.representation.dims(self.objective.outputs(), Evidence::Whole);
        let dims = Dims { features: 1, ..dims };
        // A network with a weight per position or cell has no single output; the paper's networks have.
        let generator = match &self.config().generator {
            GeneratorConfig::TokenContext(c) => GeneratorConfig::SentenceCnn(c.into()),
            GeneratorConfig::CellContext(c) => GeneratorConfig::ImageCnn(c.into()),
            other => other.clone(),
        };
        let intercept = match self.config().training.has_intercept() {
            true => Intercept::Learned,
            false => Intercept::None,
        };
        let build = |dims, init: &mut Init<'_>| generator.build(dims, init);
        self.seeded_network(build, dims, intercept, seed)
    }

    /// The generator that the options name, with its first weights.
    pub(super) fn generator(&self, dims: Dims, init: &mut Init<'_>) -> Result<BuiltIn> {
        let generator = self.config().generator.build(dims, init)?;
        Ok(match &self.first_vectors {
            Some(vectors) => generator.starting_from(vectors),
            None => generator,
        })
    }

    /// The network of a model; for tables with the parts that its choice and its terms need.
    pub(super) fn network<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
    ) -> Result<Network<G>> {
        let (dims, seed) = (self.dims(), self.config().seed);
        let x = dims.x.clone();
        let network = self.seeded_network(build, dims, self.intercept()?, seed)?;
        let network = self.with_monotone(self.with_terms(network, &x, seed));
        if self.starts_linear() { self.on_linear(network) } else { Ok(network) }
    }

    /// The network of a table with the networks for the columns' importance and contributions.
    pub(super) fn with_terms<G: Generator>(
        &self,
        network: Network<G>,
        x: &XShape,
        seed: u64,
    ) -> Network<G> {
        match x.columns() {
            Some(columns) if self.representation.is_screened() => {
                let mut rng = stream(seed, Purpose::Initialize, 0, 1);
                let device = self.device.clone().autodiff();
                let mut init = Init::new(&mut rng, &device);
                let importance = TabularEnsemble::of_columns(columns, 1, 1, &mut init);
                let explainer = Explainer::new(columns, self.objective.outputs(), &mut init);
                network.with_importance(importance).with_explainer(explainer)
            }
            _ => network,
        }
    }

    /// The network of a table with the functions of its monotone columns.
    pub(super) fn with_monotone<G: Generator>(&self, network: Network<G>) -> Network<G> {
        match self.dims().x.columns() {
            Some(columns) => {
                let device = self.device.clone().autodiff();
                network.with_monotone(MonotonePart::new(columns, &device))
            }
            None => network,
        }
    }

    pub(super) fn seeded_network<G: Generator>(
        &self,
        build: impl FnOnce(Dims, &mut Init<'_>) -> Result<G>,
        dims: Dims,
        intercept: Intercept,
        seed: u64,
    ) -> Result<Network<G>> {
        let mut rng = stream(seed, Purpose::Initialize, 0, 0);
        let device = self.device.clone().autodiff();
        let outputs = dims.outputs;
        let generator = build(dims, &mut Init::new(&mut rng, &device))?;
        let gate_scope = self.config().training.gate_scope();
        Ok(Network::new(generator, outputs, gate_scope, intercept, &device))
    }

    /// The constant of each score: learned or, if predictions are made from chosen features, the
    /// base rate.
    pub(super) fn intercept(&self) -> Result<Intercept> {
        let training = &self.config().training;
        Ok(match (training.has_intercept(), training.evidence()) {
            (false, _) => Intercept::None,
            (true, Evidence::Whole) => Intercept::Learned,
            (true, Evidence::Chosen) => {
                let part = self.part(&self.rows.train);
                Intercept::Fixed(self.objective.base_scores(&part.targets, &part.weights))
            }
        })
    }

    /// The network with the base rate of classes that were weighted in training: the true frequency of a class,
    /// not the weighted one, so that probabilities are right.
    pub(super) fn unweighted<G: Generator>(&self, network: Network<G>) -> Result<Network<G>> {
        let (Some(_), Intercept::Fixed(_)) = (&self.class_weights, self.intercept()?) else {
            return Ok(network);
        };
        let rows = &self.rows.train;
        let weights: Vec<f32> = rows.iter().map(|&row| self.weights[row]).collect();
        let base = self.objective.base_scores(&self.targets.select(rows), &weights);
        Ok(network.with_intercepts(base, &self.device.clone().autodiff()))
    }
}
