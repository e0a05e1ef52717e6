//! The convolution block against Burn's own operations, values and gradients, over random sizes.
//!
//! Tolerance: 1e-4 of the largest value. Both sum in f32, in different orders.

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::ops::conv_block::{conv_block, conv_block_plain};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

const TOLERANCE: f32 = 1e-4;

#[derive(Debug, Clone)]
struct Case {
    batch: usize,
    image: [usize; 3],
    filters: usize,
    kernel: [usize; 2],
    padding: usize,
    pool: bool,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let kernel = (1_usize..6, 1_usize..6);
    (
        1_usize..20,
        1_usize..4,
        (1_usize..12, 1_usize..12),
        1_usize..9,
        kernel,
        0_usize..4,
        any::<u64>(),
    )
        .prop_map(|(batch, channels, (h, w), filters, (kh, kw), padding, seed)| {
            let image = [channels, h.max(kh), w.max(kw)];
            let convolved = |n: usize, k: usize| n + 2 * padding + 1 - k;
            let pool = convolved(image[1], kh).min(convolved(image[2], kw)) >= 2 && seed % 3 > 0;
            Case { batch, image, filters, kernel: [kh, kw], padding, pool, seed }
        })
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
    let ([c, h, w], [kh, kw]) = (case.image, case.kernel);
    let x = Tensor::<4>::from_data(draw(&[case.batch, c, h, w]), &device).require_grad();
    let weight = Tensor::<4>::from_data(draw(&[case.filters, c, kh, kw]), &device).require_grad();
    let bias = Tensor::<1>::from_data(draw(&[case.filters]), &device).require_grad();
    let block = if fused { conv_block } else { conv_block_plain };
    let out = block(x.clone(), weight.clone(), bias.clone(), case.padding, case.pool);
    let upstream = Tensor::<4>::from_data(draw(&out.dims()), &device);
    let grads = (out.clone() * upstream).sum().backward();
    let numbers = |data: TensorData| data.iter::<f32>().collect::<Vec<f32>>();
    vec![
        numbers(out.into_data()),
        numbers(x.grad(&grads).unwrap().into_data()),
        numbers(weight.grad(&grads).unwrap().into_data()),
        numbers(bias.grad(&grads).unwrap().into_data()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_block_equals_its_parts(case in case()) {
        for (what, (fused, plain)) in run(&case, true).iter().zip(run(&case, false)).enumerate() {
            prop_assert_eq!(fused.len(), plain.len());
            let scale = plain.iter().fold(1.0_f32, |a, v| a.max(v.abs()));
            for (i, (f, p)) in fused.iter().zip(&plain).enumerate() {
                prop_assert!((f - p).abs() <= TOLERANCE * scale, "part {}, entry {}: {} instead of {}", what, i, f, p);
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let case = Case {
        batch: 37,
        image: [3, 14, 14],
        filters: 16,
        kernel: [3, 3],
        padding: 1,
        pool: true,
        seed: 5,
    };
    let with_threads = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run(&case, true))
    };
    assert_eq!(with_threads(1), with_threads(3));
}
