//! The maximum over time against Burn's own operations, values and gradients, over random sizes.

use super::numbers;
use crate::ops::max_over_time::{max_over_time, max_over_time_plain};
use crate::random::{Purpose, stream};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Device, Tensor, TensorData};
use proptest::prelude::*;
use rand::RngExt;

type Op = fn(Tensor<3>, Tensor<2>) -> Tensor<2>;

/// The output and the gradient of h; `lengths` are the texts' own positions.
fn run(h: &[f32], lengths: &[usize], [time, width]: [usize; 2], op: Op) -> (Vec<f32>, Vec<f32>) {
    let (device, batch) = (Device::default().autodiff(), lengths.len());
    let h = TensorData::new(h.to_vec(), [batch, time, width]);
    let h = Tensor::<3>::from_data(h, &device).require_grad();
    let present = lengths.iter().flat_map(|n| (0..time).map(move |t| f32::from(u8::from(t < *n))));
    let present = TensorData::new(present.collect::<Vec<f32>>(), [batch, time]);
    let out = op(h.clone(), Tensor::from_data(present, &device));
    let upstream = (1..=batch * width).map(|i| i as f32).collect::<Vec<_>>();
    let upstream = Tensor::<2>::from_data(TensorData::new(upstream, [batch, width]), &device);
    let grads = (out.clone() * upstream).sum().backward();
    (numbers(out), numbers(h.grad(&grads).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Values are few and above 0, so that ties are common: the first of equals counts.
    #[test]
    fn it_equals_its_parts(
        batch in 1_usize..9, time in 1_usize..30, width in 1_usize..40, seed in any::<u64>()
    ) {
        let mut rng = stream(seed, Purpose::Sample, 0, 0);
        let lengths: Vec<usize> = (0..batch).map(|_| rng.random_range(1..=time)).collect();
        let count = batch * time * width;
        let h: Vec<f32> = (0..count).map(|_| f32::from(rng.random_range(1_u8..20))).collect();
        let sizes = [time, width];
        prop_assert_eq!(
            run(&h, &lengths, sizes, max_over_time),
            run(&h, &lengths, sizes, max_over_time_plain)
        );
    }
}

#[test]
fn a_text_without_words_has_zeros_and_no_gradient() {
    let (out, gradient) = run(&[3.0, 4.0, 5.0, 6.0], &[0, 1], [1, 2], max_over_time);
    assert_eq!(out, [0.0, 0.0, 5.0, 6.0]);
    assert_eq!(gradient, [0.0, 0.0, 3.0, 4.0]);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let mut rng = stream(6, Purpose::Sample, 0, 0);
    let lengths: Vec<usize> = (0..64).map(|_| rng.random_range(1..=20)).collect();
    let h: Vec<f32> = (0..64 * 20 * 33).map(|_| rng.random()).collect();
    assert_same_on_any_threads(|| run(&h, &lengths, [20, 33], max_over_time));
}

#[test]
fn nan_propagates() {
    let (out, _) = run(&[1.0, f32::NAN, 7.0], &[3], [3, 1], max_over_time);
    assert!(out[0].is_nan());
}

/// `present` is a constant: no gradient flows into a graph behind it.
#[test]
fn a_mask_has_no_gradient() {
    let device = Device::default().autodiff();
    let h = Tensor::<3>::ones([1, 2, 3], &device).require_grad();
    let mask = Tensor::<2>::ones([1, 2], &device).require_grad();
    let gradients = max_over_time(h.clone(), mask.clone() * 1.0).sum().backward();
    assert!(mask.grad(&gradients).is_none());
    assert_eq!(numbers(h.grad(&gradients).unwrap()), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
}
