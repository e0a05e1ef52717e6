//! The convolution block against Burn's own operations, over random sizes.
//!
//! Most inputs are exact, so results must be equal to the last bit, and where two values of a window
//! tie, both sides see the tie. One test has inputs of any kind, to check the effect of rounding.

use super::{Draw, Layer, numbers};
use crate::ops::conv_block::{BlockOptions, FilterCache, conv_block, conv_block_plain};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Device, Tensor, TensorData};
use proptest::prelude::*;

/// Relative to the largest value, for inputs that round.
const TOLERANCE: f32 = 1e-5;

#[derive(Debug, Clone)]
struct BlockInputs {
    batch: usize,
    /// Channels, height and width.
    image: [usize; 3],
    filters: usize,
    kernel: [usize; 2],
    padding: usize,
    pool: bool,
    /// The first block of a network does not need it.
    want_x: bool,
    seed: u64,
}

fn case() -> impl Strategy<Value = BlockInputs> {
    // Half of the cases with a kernel of 3×3, which from 16 channels on has an algorithm of its own.
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
            BlockInputs { batch, image, filters, kernel: [kh, kw], padding, pool, want_x, seed }
        })
}

impl BlockInputs {
    fn options(&self) -> BlockOptions {
        BlockOptions { padding: self.padding, pool: self.pool, cache: FilterCache::default() }
    }

    fn layer(&self, exact: bool) -> Layer<4, 4> {
        let ([channels, height, width], [kh, kw]) = (self.image, self.kernel);
        Layer {
            x: [self.batch, height, width, channels],
            weight: [self.filters, channels, kh, kw],
            outputs: self.filters,
            want_x: self.want_x,
            seed: self.seed,
            exact,
        }
    }

    fn fused(&self, exact: bool) -> [Vec<f32>; 5] {
        let options = self.options();
        self.layer(exact).run(|x, weight, bias| conv_block(x, weight, bias, options.clone()))
    }

    fn plain(&self, exact: bool) -> [Vec<f32>; 5] {
        let options = self.options();
        self.layer(exact).run(|x, weight, bias| conv_block_plain(x, weight, bias, options.clone()))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_block_equals_its_parts(case in case()) {
        prop_assert_eq!(case.fused(true), case.plain(true));
    }

    #[test]
    fn weights_that_are_not_trained_give_the_same_gradient_of_x(case in case()) {
        check_frozen(&case, false);
    }

    /// Values only: where two values of a window nearly tie, rounding may choose either, and the
    /// gradient goes with the choice.
    #[test]
    fn rounding_stays_small(case in case()) {
        let (fused, plain) = (&case.fused(false)[0], &case.plain(false)[0]);
        prop_assert_eq!(fused.len(), plain.len());
        let scale = plain.iter().fold(1.0_f32, |a, v| a.max(v.abs()));
        for (f, p) in fused.iter().zip(plain) {
            prop_assert!((f - p).abs() <= TOLERANCE * scale, "{} instead of {}", f, p);
        }
    }
}

/// Frozen weights, as when features are chosen by the gradient of the marks: the same output
/// and the same gradient of x, whether filters are packed anew or cached by the pass before, be it one that
/// computed a gradient or a prediction.
fn check_frozen(case: &BlockInputs, exact: bool) {
    let run = |options: &BlockOptions, frozen: bool| {
        let Layer { x, weight, outputs, seed, .. } = case.layer(exact);
        let mut draw = Draw::new(seed, exact);
        let x = draw.tensor(x).require_grad();
        let weight = draw.tensor(weight).set_require_grad(!frozen);
        let bias = draw.tensor([outputs]).set_require_grad(!frozen);
        let output = conv_block(x.clone(), weight.clone(), bias.clone(), options.clone());
        let upstream = draw.tensor(output.dims());
        let gradients = (output.clone() * upstream).sum().backward();
        assert_eq!(weight.grad(&gradients).is_none(), frozen);
        assert_eq!(bias.grad(&gradients).is_none(), frozen);
        let gradient = numbers(x.grad(&gradients).unwrap());
        (numbers(output), gradient, (x.inner(), weight.inner(), bias.inner()))
    };
    let trained = run(&case.options(), false);
    let anew = run(&case.options(), true);
    assert_eq!((&anew.0, &anew.1), (&trained.0, &trained.1), "{case:?}");
    // One weight and one cache: a gradient, a prediction, a gradient of another batch.
    let options = case.options();
    let (x, weight, bias) = anew.2;
    let device = Device::default().autodiff();
    let tracked = |tensor: Tensor<4>| Tensor::<4>::from_data(tensor.into_data(), &device);
    let weight = Tensor::<4>::from_inner(weight);
    let bias = Tensor::<1>::from_inner(bias);
    for _ in 0..2 {
        let predicted =
            conv_block(x.clone(), weight.clone().inner(), bias.clone().inner(), options.clone());
        assert_eq!(numbers(predicted), trained.0, "{case:?}");
        for _ in 0..2 {
            let x = tracked(x.clone()).require_grad();
            let output = conv_block(x.clone(), weight.clone(), bias.clone(), options.clone());
            assert_eq!(numbers(output.clone()), trained.0, "{case:?}");
            let mut draw = Draw::new(case.seed, exact);
            let Layer { x: shape, weight: filters, outputs, .. } = case.layer(exact);
            draw.tensor(shape);
            draw.tensor(filters);
            draw.tensor([outputs]);
            let upstream = draw.tensor(output.dims());
            let gradients = (output * upstream).sum().backward();
            assert_eq!(numbers(x.grad(&gradients).unwrap()), trained.1, "{case:?}");
        }
    }
}

/// Images of more tiles than stay in cache, of odd sizes.
#[test]
fn large_images_go_strip_by_strip() {
    for pool in [true, false] {
        let case = BlockInputs {
            batch: 2,
            image: [16, 131, 91],
            filters: 17,
            kernel: [3, 3],
            padding: 1,
            pool,
            want_x: true,
            seed: 6,
        };
        assert_eq!(case.fused(true), case.plain(true));
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for channels in [3, 20] {
        let case = BlockInputs {
            batch: 37,
            image: [channels, 14, 14],
            filters: 16,
            kernel: [3, 3],
            padding: 1,
            pool: true,
            want_x: true,
            seed: 5,
        };
        assert_same_on_any_threads(|| case.fused(false));
    }
}

/// Prediction caches packed filters: new weights must not be used with old filters.
#[test]
fn packed_filters_follow_the_weight() {
    let device = Device::default();
    let x = Tensor::<4>::ones([1, 4, 4, 16], &device);
    let bias = Tensor::<1>::zeros([2], &device);
    let options = BlockOptions { padding: 1, pool: true, cache: FilterCache::default() };
    let run = |weight: &Tensor<4>| -> Vec<f32> {
        numbers(conv_block(x.clone(), weight.clone(), bias.clone(), options.clone()))
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

/// A training that diverges must be noticed.
#[test]
fn nan_propagates() {
    let device = Device::default();
    for channels in [1, 16] {
        for pool in [false, true] {
            let mut values = vec![1.0_f32; 16 * channels];
            values[0] = f32::NAN;
            let x = Tensor::<4>::from_data(TensorData::new(values, [1, 4, 4, channels]), &device);
            let weight = Tensor::<4>::ones([3, channels, 3, 3], &device);
            let options = BlockOptions { padding: 1, pool, cache: FilterCache::default() };
            let out = conv_block(x, weight, Tensor::zeros([3], &device), options);
            assert!(numbers(out)[0].is_nan());
        }
    }
}
