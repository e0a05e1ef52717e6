//! The loss: CE(ŷ), the Granger objective, the auxiliary cross-entropies and the penalty on the kernels.

use super::network::{EPSILON, MixtureNetwork, NetworkOutput};
use burn::tensor::{Device, Tensor, TensorData};

/// The L2 penalty on the convolution kernels.
const L2: f64 = 0.01;

/// 1 at each sample's class, else 0: `[batch, classes]`.
pub(super) fn one_hot(labels: &[usize], classes: usize, device: &Device) -> Tensor<2> {
    let row = |&label: &usize| (0..classes).map(move |class| f32::from(class == label));
    let values: Vec<f32> = labels.iter().flat_map(row).collect();
    Tensor::from_data(TensorData::new(values, [labels.len(), classes]), device)
}

/// CE(ŷ) of each sample. `prediction, truth: [batch, classes] → [batch]`
///
/// If dropout removes every expert, ŷ is zero, so it is clamped to at least 1e-7.
pub(super) fn prediction_cross_entropy(prediction: Tensor<2>, truth: Tensor<2>) -> Tensor<1> {
    (prediction * truth).sum_dim(1).squeeze_dim::<1>(1).clamp_min(EPSILON).log().neg()
}

/// The cross-entropies of a batch.
#[derive(Debug, Clone)]
pub(super) struct CrossEntropies {
    /// Of ŷ: `[batch]`.
    prediction: Tensor<1>,
    /// Of each p_i: `[batch, experts]`.
    own: Tensor<2>,
    /// Of the heads without expert i, and of the one on all: `[batch, experts + 1]`.
    auxiliary: Tensor<2>,
}

impl CrossEntropies {
    /// From a forward pass, with the true classes `truth: [batch, classes]`.
    pub fn of(network: &MixtureNetwork, forward: &NetworkOutput, truth: &Tensor<2>) -> Self {
        let head = |log_p: Tensor<3>| -> Tensor<2> {
            (log_p * truth.clone().unsqueeze_dim(1)).sum_dim(2).squeeze_dim(2).neg()
        };
        Self {
            prediction: prediction_cross_entropy(forward.prediction.clone(), truth.clone()),
            own: head(forward.log_p.clone()),
            auxiliary: head(network.auxiliary(forward.h.clone())),
        }
    }

    /// ω = Δ/ΣΔ with Δ_i = max(CE(without i) − CE(all), 1e-7), detached: `[batch, experts]`.
    pub fn granger_target(&self) -> Tensor<2> {
        let [batch, heads] = self.auxiliary.dims();
        let errors = self.auxiliary.clone().detach();
        let without = errors.clone().slice([0..batch, 0..heads - 1]);
        let all = errors.slice([0..batch, heads - 1..heads]);
        let delta = (without - all).clamp_min(EPSILON);
        let sum = delta.clone().sum_dim(1);
        delta / sum
    }

    /// The loss; `target` is ω if α > 0.
    pub fn loss(
        self,
        network: &MixtureNetwork,
        attention: Tensor<2>,
        alpha: f64,
        target: Option<Tensor<2>>,
    ) -> Tensor<1> {
        let heads = self.own.sum_dim(1) + self.auxiliary.sum_dim(1);
        let loss = self.prediction.mean() * (1.0 - alpha)
            + heads.mean()
            + network.kernel_squares().mul_scalar(L2);
        match target {
            Some(target) => loss + divergence(target, attention) * alpha,
            None => loss,
        }
    }
}

/// Mean KL(ω ‖ a), both clamped to at least 1e-7. `target, attention: [batch, experts] → [1]`
pub(super) fn divergence(target: Tensor<2>, attention: Tensor<2>) -> Tensor<1> {
    let (target, attention) = (target.clamp_min(EPSILON), attention.clamp_min(EPSILON));
    (target.clone() * (target.log() - attention.log())).sum_dim(1).mean()
}
