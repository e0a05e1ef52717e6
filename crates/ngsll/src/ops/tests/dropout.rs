//! Dropout: which values are dropped, how the others are scaled, and the gradient.

use super::numbers;
use crate::ops::dropout::dropout;
use crate::random::{Purpose, stream};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Device, Tensor, TensorData};
use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, Purpose::Dropout, 0, 0)
}

/// Output and gradient of x, where upstream is 1, 2, 3, …
fn run(x: &[f32], rng: &mut ChaCha8Rng, p: f64) -> (Vec<f32>, Vec<f32>) {
    let device = Device::default().autodiff();
    let data = |values: Vec<f32>| TensorData::new(values, [x.len()]);
    let x = Tensor::<1>::from_data(data(x.to_vec()), &device).require_grad();
    let upstream = (1..=x.dims()[0]).map(|i| i as f32).collect();
    let out = dropout(x.clone(), rng, p);
    let grads = (out.clone() * Tensor::from_data(data(upstream), &device)).sum().backward();
    (numbers(out), numbers(x.grad(&grads).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Each value is decided by the next word of the stream, in one call or in several.
    #[test]
    fn the_stream_decides(length in 1_usize..30_000, p in 0.05_f64..0.9, seed in any::<u64>()) {
        let (mut used, mut plain) = (rng(seed), rng(seed));
        let x: Vec<f32> = (0..length).map(|i| 1.0 + (i % 7) as f32).collect();
        for _ in 0..2 {
            let (out, gradient) = run(&x, &mut used, p);
            let scale = (1.0 / (1.0 - p)) as f32;
            for (i, x) in x.iter().enumerate() {
                let stays = plain.random::<u32>() >= (p * f64::from(u32::MAX)) as u32;
                let factor = if stays { scale } else { 0.0 };
                prop_assert_eq!(out[i], x * factor);
                prop_assert_eq!(gradient[i], (i + 1) as f32 * factor);
            }
        }
    }
}

#[test]
fn about_the_share_p_goes() {
    let out = run(&vec![1.0; 100_000], &mut rng(3), 0.3).0;
    let gone = out.iter().filter(|&&x| x == 0.0).count() as f64 / 1e5;
    // Four standard deviations.
    assert!((gone - 0.3).abs() < 4.0 * (0.21_f64 / 1e5).sqrt(), "{gone}");
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let x: Vec<f32> = (0..70_000).map(|i| i as f32).collect();
    assert_same_on_any_threads(|| run(&x, &mut rng(4), 0.5));
}
