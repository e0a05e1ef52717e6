//! The loss of a batch: logistic, softmax cross-entropy, or squared error.

use crate::objective::Targets;
use burn::tensor::activation::{log_sigmoid, log_softmax};
use burn::tensor::{Tensor, TensorData};

/// The weighted mean loss over a batch.
///
/// scores: [batch, outputs], one target and one weight per sample → [1]
pub fn loss(scores: Tensor<2>, targets: &Targets, weights: &[f32]) -> Tensor<1> {
    let [batch, outputs] = scores.dims();
    let device = scores.device();
    let column = |values: Vec<f32>| {
        Tensor::<2>::from_data(TensorData::new(values, [batch, 1]), &device)
    };
    let per_sample: Tensor<2> = match targets {
        // −log σ(y ŷ) with y = ±1.
        Targets::Classes(classes) if outputs == 1 => {
            let signs = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
            log_sigmoid(scores * column(signs)).neg()
        }
        Targets::Classes(classes) => {
            let mut chosen = vec![0.0; batch * outputs];
            for (row, &class) in classes.iter().enumerate() {
                chosen[row * outputs + class] = 1.0;
            }
            let chosen = Tensor::<2>::from_data(TensorData::new(chosen, [batch, outputs]), &device);
            (log_softmax(scores, 1) * chosen).sum_dim(1).neg()
        }
        Targets::Values(values) => (scores - column(values.clone())).powi_scalar(2),
    };
    let total: f32 = weights.iter().sum();
    (per_sample * column(weights.to_vec())).sum().div_scalar(total.max(f32::MIN_POSITIVE))
}
