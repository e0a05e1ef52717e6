//! The inner product against Burn's own operations, and beside padding.

use super::{Draw, numbers};
use crate::ops::inner_product::inner_product;
use burn::tensor::Tensor;
use proptest::prelude::*;

type Op = fn(Tensor<3>, Tensor<2>) -> Tensor<2>;

fn plain(weights: Tensor<3>, values: Tensor<2>) -> Tensor<2> {
    (weights * values.unsqueeze_dim(1)).sum_dim(2).squeeze_dim(2)
}

/// The products, with and without autodiff, and the gradients.
fn run(weights: &Tensor<3>, values: &Tensor<2>, op: Op) -> [Vec<f32>; 4] {
    let weights = weights.clone().detach().require_grad();
    let values = values.clone().detach().require_grad();
    let products = op(weights.clone(), values.clone());
    let gradients = products.clone().powi_scalar(2).sum().backward();
    let predicted = op(weights.clone().inner(), values.clone().inner());
    [
        numbers(products),
        numbers(predicted),
        numbers(weights.grad(&gradients).unwrap()),
        numbers(values.grad(&gradients).unwrap()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn it_equals_its_parts(
        (batch, outputs, slots) in (1_usize..9, 1_usize..7, 1_usize..90), seed in any::<u64>()
    ) {
        let mut draw = Draw::new(seed, true);
        let (weights, values) = (draw.tensor([batch, outputs, slots]), draw.tensor([batch, slots]));
        prop_assert_eq!(run(&weights, &values, inner_product), run(&weights, &values, plain));
    }

    /// Rounding included: padding, whose values are 0, changes no bit.
    #[test]
    fn padding_changes_no_bit(
        (outputs, slots, more) in (1_usize..7, 1_usize..90, 1_usize..900), seed in any::<u64>()
    ) {
        let mut draw = Draw::new(seed, false);
        let (weights, values) = (draw.tensor([2, outputs, slots]), draw.tensor([2, slots]));
        let padding = (draw.tensor([2, outputs, more]), Tensor::zeros([2, more], &values.device()));
        let padded = Tensor::cat(vec![weights.clone(), padding.0], 2);
        let padded = inner_product(padded, Tensor::cat(vec![values.clone(), padding.1], 1));
        prop_assert_eq!(numbers(padded), numbers(inner_product(weights, values)));
    }
}
