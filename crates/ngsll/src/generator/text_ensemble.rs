//! Several token-context networks, each with its own first weights, whose mean is the answer.
//!
//! A single network is persuaded by accidents of its first weights, and a choice that asks for what
//! persuades it finds them; the mean of a few is not, and is more accurate from few words. The mean of
//! linear models is a linear model, so the terms still add up to the score. In training each member
//! answers for itself.

use super::layers::Init;
use super::{Active, Dropout, Generator, TokenContext, TokenContextConfig, X};
use burn::module::Module;
use burn::tensor::Tensor;

/// The mean of several token-context networks.
#[derive(Module, Debug)]
pub struct TextEnsemble {
    members: Vec<TokenContext>,
}

impl TextEnsemble {
    /// As many networks as the configuration has members; see [`TokenContext::new`].
    pub fn new(
        config: &TokenContextConfig,
        ids: (usize, bool),
        outputs: usize,
        init: &mut Init<'_>,
    ) -> Self {
        let member = |_| TokenContext::new(config, ids, outputs, init);
        Self { members: (0..config.members).map(member).collect() }
    }
}

impl Generator for TextEnsemble {
    fn forward(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<3> {
        self.forward_members(x, active, dropout).mean_dim(0).squeeze_dim(0)
    }

    fn forward_members(&self, x: &X, active: &Active, dropout: &mut Dropout) -> Tensor<4> {
        let weights = self.members.iter().map(|member| member.forward(x, active, dropout));
        Tensor::stack(weights.collect(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use burn::tensor::{Device, Int, Tolerance};

    #[test]
    fn the_answer_is_the_mean_of_members_that_differ() {
        let device = Device::default();
        let mut rng = stream(3, Purpose::Initialise, 0, 0);
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
        let active = Active { slots: 3, indices: None, token_slots: Some(slots) };
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
