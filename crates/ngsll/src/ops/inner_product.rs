//! Inner products of many rows with one vector, as one operation.
//!
//! A general sum over the last dimension adds in an order that depends on its length, and a general product of
//! matrices in one that depends on the number of rows, so that a text beside a longer one would be rounded differently.
//! Here a product has the same bits beside any others, and padding adds nothing, not even rounding.

use super::autodiff::{CustomOp, apply2};
use super::{Primitive, dims, dispatch, is_supported, slice, take_buffer, take_zeroed};
use burn::tensor::Tensor;

/// Sums side by side; entry j always goes to sum j modulo their number.
const SUMS: usize = 16;

/// The inner product of every row with `values`, for example ŷ = zᵀw' of all outputs.
///
/// rows: [batch, n, width], values: [batch, width] → [batch, n]
pub(crate) fn inner_product(rows: Tensor<3>, values: Tensor<2>) -> Tensor<2> {
    if !is_supported(&rows) {
        return (rows * values.unsqueeze_dim(1)).sum_dim(2).squeeze_dim(2);
    }
    apply2(InnerProduct, rows, values)
}

#[derive(Debug)]
struct InnerProduct;

impl CustomOp<2> for InnerProduct {
    /// Rows and values.
    type Saved = [Primitive; 2];

    fn forward(self, [rows, values]: [Primitive; 2], _: [bool; 2]) -> (Primitive, Self::Saved) {
        let [batch, n, width] = dims(&rows);
        let mut products = take_buffer(batch * n);
        dispatch(
            #[inline(always)]
            || {
                let rows = slice(&rows).chunks_exact(width).zip(&mut *products).enumerate();
                for (at, (row, product)) in rows {
                    *product = sum_of_products(row, &slice(&values)[at / n * width..][..width]);
                }
            },
        );
        (products.into_tensor([batch, n]), [rows, values])
    }

    fn backward(
        [rows, values]: Self::Saved,
        upstream: &[f32],
        [want_rows, want_values]: [bool; 2],
    ) -> [Option<Primitive>; 2] {
        let sizes @ [batch, n, width] = dims(&rows);
        let of_rows = || {
            let mut gradient = take_buffer::<f32>(batch * n * width);
            for (at, (gradient, upstream)) in
                gradient.chunks_exact_mut(width).zip(upstream).enumerate()
            {
                let values = &slice(&values)[at / n * width..][..width];
                gradient.iter_mut().zip(values).for_each(|(g, value)| *g = upstream * value);
            }
            gradient.into_tensor(sizes)
        };
        let of_values = || {
            let mut gradient = take_zeroed::<f32>(batch * width);
            for (at, (row, upstream)) in slice(&rows).chunks_exact(width).zip(upstream).enumerate()
            {
                let gradient = &mut gradient[at / n * width..][..width];
                gradient.iter_mut().zip(row).for_each(|(g, row)| *g += upstream * row);
            }
            gradient.into_tensor([batch, width])
        };
        [want_rows.then(of_rows), want_values.then(of_values)]
    }
}

#[inline(always)]
fn sum_of_products(row: &[f32], values: &[f32]) -> f32 {
    let mut sums = [0.0; SUMS];
    let add = |sums: &mut [f32; SUMS], row: &[f32], values: &[f32]| {
        let products = row.iter().zip(values).map(|(a, b)| a * b);
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    };
    let (whole, rest) = row.as_chunks::<SUMS>();
    let (whole_values, rest_of_values) = values.as_chunks::<SUMS>();
    whole.iter().zip(whole_values).for_each(|(row, values)| add(&mut sums, row, values));
    add(&mut sums, rest, rest_of_values);
    sums.iter().sum()
}
