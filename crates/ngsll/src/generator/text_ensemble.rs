//! Several token-context networks, each with its own first weights, whose mean is the answer.
//!
//! A single network is biased by accidents of its first weights, and a choice by its gradient finds just
//! these biases; the mean of a few is not, and is more accurate from few words. The mean of
//! linear models is a linear model, so the terms still add up to the score. In training each member
//! has its own loss.

use super::layers::Init;
use super::token_vectors::FixedVectors;
use super::{Active, Dropout, Generator, TokenContext, TokenContextConfig, X};
use crate::representation::FirstVectors;
use burn::module::Module;
use burn::tensor::Tensor;

/// The mean of several token-context networks.
#[derive(Module, Debug)]
pub struct TextEnsemble {
    /// The vectors of the words, if they stay fixed in training.
    vectors: Option<FixedVectors>,
    members: Vec<TokenContext>,
}

impl TextEnsemble {
    /// As many networks as the configuration has members; see [`TokenContext::new`].
    pub(super) fn new(
        config: &TokenContextConfig,
        ids: (usize, bool),
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let fixed = config.vectors_fixed;
        let vectors = fixed.then(|| FixedVectors::new(ids.0, config.embedding, init));
        let member = |_| TokenContext::new(config, ids, outputs, init);
        Self { vectors, members: (0..config.members).map(member).collect() }
    }

    /// Returns the network with initial word vectors.
    pub(super) fn starting_from(self, first: &FirstVectors) -> Self {
        let vectors = self.vectors.map(|vectors| vectors.starting_from(first));
        let members = self.members.into_iter().map(|member| member.starting_from(first));
        Self { vectors, members: members.collect() }
    }
}

impl Generator for TextEnsemble {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.forward_members(x, active, dropout).mean_dim(0).squeeze_dim(0)
    }

    fn forward_members(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<4> {
        let vectors = self.vectors.as_ref().map(|vectors| vectors.forward(x));
        let weights = self.members.iter().map(|member| match &vectors {
            Some(vectors) => member.forward_fixed(vectors.clone(), x, active, dropout),
            None => member.forward(x, active, dropout),
        });
        Tensor::stack(weights.collect(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::representation::TokenSlots;
    use burn::tensor::{Device, Int, Tolerance};

    #[test]
    fn the_answer_is_the_mean_of_members_that_differ() {
        let device = Device::default();
        let mut rng = stream(3, Purpose::Initialize, 0, 0);
        let mut init = Init::new(&mut rng, &device);
        let config = TokenContextConfig {
            embedding: 4,
            widths: vec![1, 3],
            filters: 3,
            units: 5,
            members: 3,
            ..TokenContextConfig::default()
        };
        let ensemble = TextEnsemble::new(&config, (9, false), 2, &mut init);
        let ids = Tensor::<2, Int>::from_data([[3, 4, 5], [6, 7, 0]], &device);
        let slots = Tensor::<2, Int>::from_data([[0, 1, 2], [0, 1, 3]], &device);
        let token_slots = Some(TokenSlots { slots, shares: None });
        let active = Active { token_slots, ..Active::all(3) };
        let members =
            ensemble.forward_members(&X::Tokens(ids.clone()), &active, &mut Dropout::off());
        assert_eq!(members.dims(), [3, 2, 2, 3]);
        let alone =
            ensemble.members[1].forward(&X::Tokens(ids.clone()), &active, &mut Dropout::off());
        let second: Tensor<3> = members.clone().slice_dim(0, 1..2).squeeze_dim(0);
        second.clone().into_data().assert_eq(&alone.into_data(), true);
        let first: Tensor<3> = members.clone().slice_dim(0, 0..1).squeeze_dim(0);
        assert_ne!(first.into_data(), second.into_data());
        let sum: Tensor<3> = members.sum_dim(0).squeeze_dim(0);
        let answer = ensemble.forward(&X::Tokens(ids), &active, &mut Dropout::off());
        let mean = sum.div_scalar(3.0).into_data();
        answer.into_data().assert_approx_eq::<f32>(&mean, Tolerance::default());
    }
}
