//! The convolution block against Burn's own operations, values and gradients, over random sizes.
//!
//! Inputs are small multiples of 1/4, so that every sum is exact in f32, in whatever order and
//! through whatever transform: results must be equal to the last bit, and where two values of a
//! window tie, both ways see the tie. One test has inputs of any kind, to see what rounding does.

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::ops::conv_block::{BlockOptions, KeptFilters, conv_block, conv_block_plain};
use ngsll::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

/// Of the largest value, for inputs that round.
const TOLERANCE: f32 = 1e-5;

#[derive(Debug, Clone)]
struct Case {
    batch: usize,
    image: [usize; 3],
    filters: usize,
    kernel: [usize; 2],
    padding: usize,
    pool: bool,
    /// The first block of a network is not asked for it.
    want_x: bool,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    // Half of the cases with a kernel of 3×3, which has a way of its own from 16 channels on.
    let kernel = prop_oneof![Just((3, 3)), (1_usize..6, 1_usize..6)];
    let channels = prop_oneof![1_usize..4, 14_usize..36];
    (
        1_usize..20,
        channels,
        (1_usize..12, 1_usize..12),
        1_usize..40,
        kernel,
        0_usize..4,
        any::<u64>(),
    )
        .prop_map(|(batch, channels, (h, w), filters, (kh, kw), padding, seed)| {
            let image = [channels, h.max(kh), w.max(kw)];
            let convolved = |n: usize, k: usize| n + 2 * padding + 1 - k;
            let pool = convolved(image[1], kh).min(convolved(image[2], kw)) >= 2 && seed % 3 > 0;
            let want_x = seed % 4 > 0;
            Case { batch, image, filters, kernel: [kh, kw], padding, pool, want_x, seed }
        })
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
    let ([c, h, w], [kh, kw]) = (case.image, case.kernel);
    let x = Tensor::<4>::from_data(draw(&[case.batch, h, w, c]), &device);
    let x = if case.want_x { x.require_grad() } else { x };
    let weight = Tensor::<4>::from_data(draw(&[case.filters, c, kh, kw]), &device).require_grad();
    let bias = Tensor::<1>::from_data(draw(&[case.filters]), &device).require_grad();
    let block = if fused { conv_block } else { conv_block_plain };
    let options =
        BlockOptions { padding: case.padding, pool: case.pool, kept: KeptFilters::default() };
    let out = block(x.clone(), weight.clone(), bias.clone(), options.clone());
    let predicted = block(x.clone().inner(), weight.clone().inner(), bias.clone().inner(), options);
    let upstream = Tensor::<4>::from_data(draw(&out.dims()), &device);
    let grads = (out.clone() * upstream).sum().backward();
    let numbers = |data: TensorData| data.iter::<f32>().collect::<Vec<f32>>();
    vec![
        numbers(out.into_data()),
        numbers(predicted.into_data()),
        x.grad(&grads).map_or(Vec::new(), |gradient| numbers(gradient.into_data())),
        numbers(weight.grad(&grads).unwrap().into_data()),
        numbers(bias.grad(&grads).unwrap().into_data()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_block_equals_its_parts(case in case()) {
        prop_assert_eq!(run(&case, true, true), run(&case, false, true));
    }

    /// Values only: where two values of a window nearly tie, rounding may choose either, and the
    /// gradient goes with the choice.
    #[test]
    fn rounding_stays_small(case in case()) {
        let (fused, plain) = (&run(&case, true, false)[0], &run(&case, false, false)[0]);
        prop_assert_eq!(fused.len(), plain.len());
        let scale = plain.iter().fold(1.0_f32, |a, v| a.max(v.abs()));
        for (f, p) in fused.iter().zip(plain) {
            prop_assert!((f - p).abs() <= TOLERANCE * scale, "{} instead of {}", f, p);
        }
    }
}

/// Images of more tiles than stay in cache, of odd sizes.
#[test]
fn large_images_go_strip_by_strip() {
    for pool in [true, false] {
        let case = Case {
            batch: 2,
            image: [16, 131, 91],
            filters: 17,
            kernel: [3, 3],
            padding: 1,
            pool,
            want_x: true,
            seed: 6,
        };
        assert_eq!(run(&case, true, true), run(&case, false, true));
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for channels in [3, 20] {
        let case = Case {
            batch: 37,
            image: [channels, 14, 14],
            filters: 16,
            kernel: [3, 3],
            padding: 1,
            pool: true,
            want_x: true,
            seed: 5,
        };
        let with_threads = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| run(&case, true, false))
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}

/// Prediction keeps its form of the filters: new weights must not meet old filters.
#[test]
fn kept_filters_follow_the_weight() {
    let device = Device::default();
    let x = Tensor::<4>::ones([1, 4, 4, 16], &device);
    let bias = Tensor::<1>::zeros([2], &device);
    let options = BlockOptions { padding: 1, pool: true, kept: KeptFilters::default() };
    let run = |weight: &Tensor<4>| -> Vec<f32> {
        let out = conv_block(x.clone(), weight.clone(), bias.clone(), options.clone());
        out.into_data().iter::<f32>().collect()
    };
    let ones = Tensor::<4>::ones([2, 16, 3, 3], &device);
    let (first, again) = (run(&ones), run(&ones));
    assert_eq!(first, again);
    assert_eq!(first[0], 144.0);
    let mut weight = ones;
    for _ in 0..3 {
        weight = weight * 2.0;
        assert_eq!(run(&weight)[0], 144.0 * weight.clone().max().into_scalar::<f32>());
    }
    // The same weight and filters, another size and no pool.
    let larger = Tensor::<4>::ones([1, 6, 6, 16], &device);
    let options = BlockOptions { pool: false, ..options };
    let out = conv_block(larger, weight.clone(), bias, options);
    assert_eq!(out.dims(), [1, 6, 6, 2]);
    assert_eq!(out.max().into_scalar::<f32>(), 144.0 * weight.max().into_scalar::<f32>());
}

/// A training that diverges must be noticed, so what is not a number must come through.
#[test]
fn what_is_not_a_number_comes_through() {
    let device = Device::default();
    for channels in [1, 16] {
        for pool in [false, true] {
            let mut values = vec![1.0_f32; 16 * channels];
            values[0] = f32::NAN;
            let x = Tensor::<4>::from_data(TensorData::new(values, [1, 4, 4, channels]), &device);
            let weight = Tensor::<4>::ones([3, channels, 3, 3], &device);
            let options = BlockOptions { padding: 1, pool, kept: KeptFilters::default() };
            let out = conv_block(x, weight, Tensor::zeros([3], &device), options);
            assert!(out.into_data().iter::<f32>().next().unwrap().is_nan());
        }
    }
}
