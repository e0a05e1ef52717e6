//! The loss of a batch: logistic, softmax cross-entropy, or the error of a number.

use crate::objective::{Targets, ValueLoss};
use burn::tensor::activation::{log_sigmoid, log_softmax};
use burn::tensor::{Tensor, TensorData};

/// The weighted mean loss over a batch; `of_values` is for numbers.
///
/// scores: `[batch, outputs]`, one target and one weight per sample → `[1]`
pub fn loss(
    scores: Tensor<2>,
    targets: &Targets,
    weights: &[f32],
    of_values: ValueLoss,
) -> Tensor<1> {
    let [batch, outputs] = scores.dims();
    let device = scores.device();
    let column =
        |values: Vec<f32>| Tensor::<2>::from_data(TensorData::new(values, [batch, 1]), &device);
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
        Targets::Values(values) => value_loss(scores, column(values.clone()), of_values),
    };
    let total: f32 = weights.iter().sum();
    (per_sample * column(weights.to_vec())).sum().div_scalar(total.max(f32::MIN_POSITIVE))
}

/// The loss of each number, which is standardised or, if it is a count, the number itself.
fn value_loss(scores: Tensor<2>, values: Tensor<2>, kind: ValueLoss) -> Tensor<2> {
    match kind {
        ValueLoss::Squared => (scores - values).powi_scalar(2),
        ValueLoss::Absolute => (scores - values).abs(),
        ValueLoss::Huber => huber(scores - values),
        ValueLoss::Poisson => scores.clone().exp() - values * scores,
    }
}

/// The square of an error e up to 1, and 2|e| − 1 from there on.
pub(super) fn huber(error: Tensor<2>) -> Tensor<2> {
    let error = error.abs();
    let near = error.clone().clamp_max(1.0);
    (error.mul_scalar(2.0) - near.clone()) * near
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    /// Loss and its gradient by the scores.
    fn run<const N: usize>(
        scores: [[f32; N]; 2],
        targets: &Targets,
        weights: &[f32],
    ) -> (f64, Vec<f64>) {
        run_with(scores, targets, weights, ValueLoss::Squared)
    }

    fn run_with<const N: usize>(
        scores: [[f32; N]; 2],
        targets: &Targets,
        weights: &[f32],
        of_values: ValueLoss,
    ) -> (f64, Vec<f64>) {
        let scores = Tensor::<2>::from_data(scores, &Device::default().autodiff()).require_grad();
        let value = loss(scores.clone(), targets, weights, of_values);
        let gradient = scores.grad(&value.backward()).unwrap().into_data().iter::<f64>().collect();
        (value.into_scalar(), gradient)
    }

    fn close(found: &[f64], expected: &[f64]) {
        let near = found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-6);
        assert!(near && found.len() == expected.len(), "{found:?} instead of {expected:?}");
    }

    #[test]
    fn logistic_loss_and_gradient() {
        let (value, gradient) = run([[2.0], [-1.0]], &Targets::Classes(vec![1, 1]), &[1.0, 1.0]);
        let sigmoid = |s: f64| 1.0 / (1.0 + (-s).exp());
        close(&[value], &[-(sigmoid(2.0).ln() + sigmoid(-1.0).ln()) / 2.0]);
        close(&gradient, &[(sigmoid(2.0) - 1.0) / 2.0, (sigmoid(-1.0) - 1.0) / 2.0]);
    }

    #[test]
    fn cross_entropy_and_gradient_with_class_weights() {
        let (value, gradient) =
            run([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], &Targets::Classes(vec![2, 0]), &[3.0, 1.0]);
        let total = 1_f64.exp() + 2_f64.exp() + 3_f64.exp();
        let p = [1_f64.exp() / total, 2_f64.exp() / total, 3_f64.exp() / total];
        close(&[value], &[(-3.0 * p[2].ln() + 3_f64.ln()) / 4.0]);
        let third = 1.0 / 3.0;
        let rows = [p[0], p[1], p[2] - 1.0].map(|g| 0.75 * g).into_iter();
        let expected: Vec<f64> =
            rows.chain([third - 1.0, third, third].map(|g| 0.25 * g)).collect();
        close(&gradient, &expected);
    }

    #[test]
    fn squared_error_and_gradient() {
        let (value, gradient) = run([[2.0], [-1.0]], &Targets::Values(vec![1.0, 1.0]), &[1.0, 1.0]);
        close(&[value], &[2.5]);
        close(&gradient, &[1.0, -2.0]);
    }

    #[test]
    fn other_losses_of_numbers_and_their_gradients() {
        let targets = Targets::Values(vec![0.5, 1.0]);
        let run = |kind| run_with([[2.0], [0.75]], &targets, &[1.0, 1.0], kind);
        let (value, gradient) = run(ValueLoss::Absolute);
        close(&[value], &[(1.5 + 0.25) / 2.0]);
        close(&gradient, &[0.5, -0.5]);
        let (value, gradient) = run(ValueLoss::Huber);
        close(&[value], &[(2.0 * 1.5 - 1.0 + 0.25 * 0.25) / 2.0]);
        close(&gradient, &[1.0, -0.25]);
        let (value, gradient) = run(ValueLoss::Poisson);
        close(&[value], &[(2_f64.exp() - 1.0 + 0.75_f64.exp() - 0.75) / 2.0]);
        close(&gradient, &[(2_f64.exp() - 0.5) / 2.0, (0.75_f64.exp() - 1.0) / 2.0]);
    }
}
