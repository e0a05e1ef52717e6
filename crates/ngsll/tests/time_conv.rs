//! The convolution over time against Burn's own operations, values and gradients, over random sizes.
//!
//! Inputs are small multiples of 1/4, so that every sum is exact in f32 in whatever order: results
//! must be equal to the last bit, and no rounding decides what ReLU lets through.

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::ops::time_conv::{KeptTaps, time_conv, time_conv_plain};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

#[derive(Debug, Clone)]
struct Case {
    text: [usize; 3],
    size: usize,
    outputs: usize,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    (1_usize..9, 1_usize..25, 1_usize..40, 1_usize..8, 1_usize..40, any::<u64>()).prop_map(
        |(batch, time, inputs, size, outputs, seed)| Case {
            text: [batch, time, inputs],
            size,
            outputs,
            seed,
        },
    )
}

/// Output and the gradients of x, weight and bias; inputs are rounded to quarters if `exact`.
fn run(case: &Case, fused: bool, exact: bool) -> Vec<Vec<f32>> {
    let device = Device::default().autodiff();
    let mut rng = stream(case.seed, Purpose::Sample, 0, 0);
    let mut draw = |shape: &[usize]| -> TensorData {
        let mut value = || {
            let value: f32 = rng.random_range(-1.0..1.0);
            if exact { (value * 4.0).round() / 4.0 } else { value }
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| value()).collect();
        TensorData::new(values, shape.to_vec())
    };
    let rows = case.size * case.text[2];
    let x = Tensor::<3>::from_data(draw(&case.text), &device).require_grad();
    let weight = Tensor::<2>::from_data(draw(&[rows, case.outputs]), &device).require_grad();
    let bias = Tensor::<1>::from_data(draw(&[case.outputs]), &device).require_grad();
    let kept = KeptTaps::default();
    let convolve = |x, weight, bias| {
        if fused { time_conv(x, weight, bias, &kept) } else { time_conv_plain(x, weight, bias) }
    };
    let out = convolve(x.clone(), weight.clone(), bias.clone());
    let predicted = convolve(x.clone().inner(), weight.clone().inner(), bias.clone().inner());
    let upstream = Tensor::<3>::from_data(draw(&out.dims()), &device);
    let grads = (out.clone() * upstream).sum().backward();
    let numbers = |data: TensorData| data.iter::<f32>().collect::<Vec<f32>>();
    vec![
        numbers(out.into_data()),
        numbers(predicted.into_data()),
        numbers(x.grad(&grads).unwrap().into_data()),
        numbers(weight.grad(&grads).unwrap().into_data()),
        numbers(bias.grad(&grads).unwrap().into_data()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_convolution_equals_its_parts(case in case()) {
        prop_assert_eq!(run(&case, true, true), run(&case, false, true));
    }
}

/// More positions than one product sums over, and more rows than one piece of work.
#[test]
fn long_texts_are_summed_in_groups() {
    for (text, size) in [([3, 700, 50], 3), ([2, 1700, 3], 2)] {
        let case = Case { text, size, outputs: 4, seed: 1 };
        assert_eq!(run(&case, true, true), run(&case, false, true));
    }
}

/// As fully connected layers use it: the samples are the positions of one text.
#[test]
fn windows_of_one_position_go_in_pieces() {
    for batch in [1, 13, 1600] {
        let case = Case { text: [1, batch, 7], size: 1, outputs: 20, seed: 3 };
        assert_eq!(run(&case, true, true), run(&case, false, true));
    }
}

#[test]
fn what_is_not_a_number_comes_through() {
    let device = Device::default();
    let x = Tensor::<3>::from_data([[[1.0, f32::NAN], [1.0, 1.0], [1.0, 1.0]]], &device);
    let (weight, bias) = (Tensor::ones([2, 5], &device), Tensor::zeros([5], &device));
    let out = time_conv(x, weight, bias, &KeptTaps::default()).into_data();
    let nan: Vec<bool> = out.iter::<f32>().map(f32::is_nan).collect();
    assert_eq!(nan, [[true; 5], [false; 5], [false; 5]].concat());
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let case = Case { text: [37, 9, 60], size: 5, outputs: 20, seed: 5 };
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run(&case, true, false))
    };
    assert_eq!(with_threads(1), with_threads(3));
}
