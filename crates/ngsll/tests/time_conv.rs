//! The convolution over time against Burn's own operations, values and gradients, over random sizes.
//!
//! Tolerance: 1e-4 of the largest value. Both sum in f32, in different orders.

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::ops::time_conv::{time_conv, time_conv_plain};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

const TOLERANCE: f32 = 1e-4;

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

/// Output and the gradients of x, weight and bias.
fn run(case: &Case, fused: bool) -> Vec<Vec<f32>> {
    let device = Device::default().autodiff();
    let mut rng = stream(case.seed, Purpose::Sample, 0, 0);
    let mut draw = |shape: &[usize]| -> TensorData {
        let values: Vec<f32> =
            (0..shape.iter().product()).map(|_| rng.random_range(-1.0..1.0)).collect();
        TensorData::new(values, shape.to_vec())
    };
    let rows = case.size * case.text[2];
    let x = Tensor::<3>::from_data(draw(&case.text), &device).require_grad();
    let weight = Tensor::<2>::from_data(draw(&[rows, case.outputs]), &device).require_grad();
    let bias = Tensor::<1>::from_data(draw(&[case.outputs]), &device).require_grad();
    let convolve = if fused { time_conv } else { time_conv_plain };
    let out = convolve(x.clone(), weight.clone(), bias.clone());
    let upstream = Tensor::<3>::from_data(draw(&out.dims()), &device);
    let grads = (out.clone() * upstream).sum().backward();
    let numbers = |data: TensorData| data.iter::<f32>().collect::<Vec<f32>>();
    vec![
        numbers(out.into_data()),
        numbers(x.grad(&grads).unwrap().into_data()),
        numbers(weight.grad(&grads).unwrap().into_data()),
        numbers(bias.grad(&grads).unwrap().into_data()),
    ]
}

fn compare(case: &Case) -> Result<(), TestCaseError> {
    for (what, (fused, plain)) in run(case, true).iter().zip(run(case, false)).enumerate() {
        prop_assert_eq!(fused.len(), plain.len());
        let scale = plain.iter().fold(1.0_f32, |a, v| a.max(v.abs()));
        for (i, (f, p)) in fused.iter().zip(&plain).enumerate() {
            prop_assert!(
                (f - p).abs() <= TOLERANCE * scale,
                "part {}, entry {}: {} instead of {}",
                what,
                i,
                f,
                p
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_convolution_equals_its_parts(case in case()) {
        compare(&case)?;
    }
}

/// More positions than one product sums over, and more rows than one piece of work.
#[test]
fn long_texts_are_summed_in_groups() {
    compare(&Case { text: [3, 700, 50], size: 3, outputs: 4, seed: 1 }).unwrap();
    compare(&Case { text: [2, 1700, 3], size: 2, outputs: 4, seed: 2 }).unwrap();
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let case = Case { text: [37, 9, 60], size: 5, outputs: 20, seed: 5 };
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run(&case, true))
    };
    assert_eq!(with_threads(1), with_threads(3));
}
