//! The convolution over time against Burn's own operations, over random sizes.
//!
//! Inputs are exact, so results must be equal to the last bit, and rounding does not affect what ReLU
//! passes on.

use super::{Draw, Layer, numbers};
use crate::ops::conv1d_relu::{
    WeightCache, conv1d_relu, conv1d_relu_plain, dense, dense_transposed, linear_relu,
};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::module::linear;
use burn::tensor::{Device, Tensor};
use proptest::prelude::*;

/// Windows of `size` positions over texts of [batch, time, in].
fn layer(text: [usize; 3], size: usize, outputs: usize, seed: u64) -> Layer<3, 2> {
    let weight = [size * text[2], outputs];
    Layer { x: text, weight, outputs, want_x: true, seed, exact: true }
}

fn fused(layer: &Layer<3, 2>) -> [Vec<f32>; 5] {
    let cache = WeightCache::default();
    layer.run(|x, weight, bias| conv1d_relu(x, weight, bias, &cache))
}

fn plain(layer: &Layer<3, 2>) -> [Vec<f32>; 5] {
    layer.run(conv1d_relu_plain)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_convolution_equals_its_parts(
        (batch, time, inputs) in (1_usize..9, 1_usize..25, 1_usize..40),
        size in 1_usize..8,
        outputs in 1_usize..40,
        seed in any::<u64>(),
    ) {
        let layer = layer([batch, time, inputs], size, outputs, seed);
        prop_assert_eq!(fused(&layer), plain(&layer));
    }
}

/// More positions than one product sums over, and more rows than one piece of work.
#[test]
fn long_texts_are_summed_in_groups() {
    for (text, size) in [([3, 700, 50], 3), ([2, 1700, 3], 2)] {
        let layer = layer(text, size, 4, 1);
        assert_eq!(fused(&layer), plain(&layer));
    }
}

/// As dense layers use it: the samples are the positions of one text.
#[test]
fn windows_of_one_position_go_in_pieces() {
    for batch in [1, 13, 1600] {
        let layer = layer([1, batch, 7], 1, 20, 3);
        assert_eq!(fused(&layer), plain(&layer));
    }
}

#[test]
fn a_dense_layer_is_a_convolution_of_one_position() {
    let dense =
        Layer { x: [13, 7], weight: [7, 20], outputs: 20, want_x: true, seed: 3, exact: true };
    let cache = WeightCache::default();
    let dense = dense.run(|x, weight, bias| linear_relu(x, weight, bias, &cache));
    assert_eq!(dense, plain(&layer([1, 13, 7], 1, 20, 3)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn without_relu_it_is_a_linear_layer(
        (rows, inputs, outputs) in (1_usize..60, 1_usize..40, 1_usize..40), seed in any::<u64>()
    ) {
        let (x, weight) = ([rows, inputs], [inputs, outputs]);
        let layer = Layer { x, weight, outputs, want_x: true, seed, exact: true };
        let cache = WeightCache::default();
        let own = layer.run(|x, weight, bias| dense(x, weight, bias, &cache));
        prop_assert_eq!(own, layer.run(|x, weight, bias| linear(x, weight, Some(bias))));
        let layer = Layer { weight: [outputs, inputs], ..layer };
        let own = layer.run(|x, weight, bias| dense_transposed(x, weight, bias, &cache));
        let plain = layer.run(|x, weight, bias| linear(x, weight.transpose(), Some(bias)));
        prop_assert_eq!(own, plain);
    }
}

/// Rounding included: the first rows of many give the same results as alone, forwards and backwards.
#[test]
fn a_row_has_the_bits_that_it_has_alone() {
    let mut draw = Draw::new(8, false);
    for (inputs, outputs) in [(300, 128), (128, 1), (24, 8), (8, 1), (128, 6)] {
        let (x, weight) = (draw.tensor([700, inputs]), draw.tensor([inputs, outputs]));
        let (bias, upstream) = (draw.tensor([outputs]), draw.tensor([700, outputs]));
        let cache = WeightCache::default();
        let run = |rows: usize| {
            let first = |of: &Tensor<2>| of.clone().slice_dim(0, 0..rows);
            let x = first(&x).detach().require_grad();
            let output = dense(x.clone(), weight.clone(), bias.clone(), &cache);
            let gradients = (output.clone() * first(&upstream)).sum().backward();
            let (weight, bias) = (weight.clone().inner(), bias.clone().inner());
            let predicted = dense(x.clone().inner(), weight, bias, &cache);
            [output, x.grad(&gradients).unwrap(), predicted].map(numbers)
        };
        let many = run(700);
        for rows in [1, 2, 13, 33, 300] {
            for (few, many) in run(rows).iter().zip(&many) {
                assert!(many.starts_with(few), "{rows} rows of {inputs} → {outputs}");
            }
        }
    }
}

#[test]
fn nan_propagates() {
    let device = Device::default();
    let x = Tensor::<3>::from_data([[[1.0, f32::NAN], [1.0, 1.0], [1.0, 1.0]]], &device);
    let (weight, bias) = (Tensor::ones([2, 5], &device), Tensor::zeros([5], &device));
    let out = numbers(conv1d_relu(x, weight, bias, &WeightCache::default()));
    let nan: Vec<bool> = out.into_iter().map(f32::is_nan).collect();
    assert_eq!(nan, [[true; 5], [false; 5], [false; 5]].concat());
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let layer = Layer { exact: false, ..layer([37, 9, 60], 5, 20, 5) };
    assert_same_on_any_threads(|| fused(&layer));
}
