//! The square layer's own update.

use super::super::square::{SquareAdamState, update_values};
use super::*;
use ngsll::train::Adam;

const SIZE: usize = 200;

fn layer() -> SquareLayer {
    let device = Device::default();
    let mut rng = stream(1, Purpose::Initialize, 0, 0);
    SquareLayer::new(SIZE, &mut Init::new(&mut rng, &device))
}

/// Autodiff's gradient of the whole matrix and Adam on it.
#[test]
fn an_update_is_that_of_adam_on_autodiff_s_gradient() {
    let device = Device::default().autodiff();
    let adam = Adam::new(1e-3);
    let mut square = layer();
    let mut moments = SquareAdamState::new(SIZE);
    let mut weight = numbers(&square.weight);
    let mut bias = numbers(&square.bias);
    let mut known = (vec![0.0; 2 * weight.len()], vec![0.0; 2 * SIZE]);
    for time in 1..=3 {
        let c = random([7, SIZE], u64::from(time), &device).require_grad();
        let above = random([7, SIZE], 9, &device);
        let (u, trace) = square.traced(c.clone());
        let mut gradients = (u * above.clone()).sum().backward();
        let c_gradient = c.grad(&gradients).unwrap();
        square = square.update(trace, &mut gradients, &mut moments, &adam);

        let w = TensorData::new(weight.clone(), [SIZE, SIZE]);
        let w = Tensor::<2>::from_data(w, &device).require_grad();
        let b = TensorData::new(bias.clone(), [1, SIZE]);
        let b = Tensor::<2>::from_data(b, &device).require_grad();
        let u = (c.clone().matmul(w.clone()) + b.clone()).tanh();
        let gradients = (u * above).sum().backward();
        adam.update(time, &mut weight, &mut known.0, &numbers(&w.grad(&gradients).unwrap()));
        adam.update(time, &mut bias, &mut known.1, &numbers(&b.grad(&gradients).unwrap()));

        let close = |found: Vec<f32>, expected: &[f32]| {
            let off = found.iter().zip(expected).map(|(f, e)| (f - e).abs()).fold(0.0, f32::max);
            assert!(off < 1e-5, "{off} after update {time}");
        };
        close(numbers(&square.weight), &weight);
        close(numbers(&square.bias), &bias);
        close(numbers(&c_gradient), &numbers(&c.grad(&gradients).unwrap()));
    }
}

/// 160 MB of weights are not copied in a step.
#[test]
fn an_update_does_not_copy() {
    let device = Device::default().autodiff();
    let mut before = std::ptr::null();
    let mut square = layer();
    square.weight = update_values(square.weight, |weight| before = weight.as_ptr());
    let (u, trace) = square.traced(random([3, SIZE], 1, &device).require_grad());
    let mut gradients = u.sum().backward();
    let mut moments = SquareAdamState::new(SIZE);
    let square = square.update(trace, &mut gradients, &mut moments, &Adam::new(1e-3));
    let mut after = std::ptr::null();
    update_values(square.weight, |weight| after = weight.as_ptr());
    assert_eq!(before, after);
}
