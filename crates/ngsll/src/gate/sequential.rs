//! The K-hot gate as the paper defines it: K softmaxes, one after the other, in plain tensor operations.
//!
//! The reference for [`super::k_hot`], the gate for `noise = "fresh"`, and the fallback on backends
//! without the custom operation. Time and memory grow with K·d.

use super::hard::hard_gate;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;

/// Far below any a = (w² + λ)/τ that matters, finite so that no −∞ − −∞ arises.
const CLOSED: f32 = -1.0e30;

/// g = Σ_t g^(t) (`eq:gumbel_softmax`, `eq:logpi`, `eq:m`), with `noise(t)` as λ at pick t.
///
/// The normaliser of log softmax(w²) is constant over j and cancels, so w² stands for log π.
///
/// squares, mask, noise(t): [rows, active] → gate: [rows, active]
pub fn sequential_gate(
    squares: Tensor<2>,
    mask: Tensor<2>,
    mut noise: impl FnMut(usize) -> Tensor<2>,
    k: usize,
    temperature: f32,
) -> Tensor<2> {
    // A finite ceiling keeps w² that overflowed comparable, as in the closed form.
    let squares = squares.clamp_max(f32::MAX * temperature.min(1.0) / 4.0);
    let mut mask = mask;
    let mut gate = Tensor::zeros_like(&squares);
    for t in 0..k.min(squares.dims()[1]) {
        let a = (squares.clone() + noise(t)).div_scalar(temperature);
        let open = mask.clone().equal_elem(0.0);
        let closed = open.clone().bool_not();
        // A row whose features are all used up adds nothing.
        let g = softmax(a.clone().mask_fill(closed.clone(), CLOSED), 1).mask_fill(closed, 0.0);
        // argmax g^(t) = argmax a among the open.
        let pick = hard_gate(a, mask.clone(), 1);
        mask = mask + pick;
        gate = gate + g;
    }
    gate
}
