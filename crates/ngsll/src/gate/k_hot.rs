//! The K-hot gate as an operation: the closed form on the CPU, row by row, values and gradients.

use super::closed_form::{ClosedForm, Pick};
use super::sequential::sequential_gate;
use crate::ops::autodiff::{CustomOp, apply3};
use crate::ops::{Primitive, dims, is_supported, slice, take_buffer};
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Minimum elements per parallel task.
const SHARE: usize = 1 << 13;

/// The K-hot gate for any backend: the closed form on the CPU, the sequential definition elsewhere.
///
/// squares, mask, noise: [rows, active] → gate: [rows, active]
///
/// # Panics
/// If `k` is 0, which a [`super::KHotGate`] never has.
pub fn k_hot_gate(
    squares: Tensor<2>,
    mask: Tensor<2>,
    noise: Tensor<2>,
    k: usize,
    temperature: f32,
) -> Tensor<2> {
    if !is_supported(&squares) {
        return sequential_gate(squares, mask, |_| noise.clone(), k, temperature);
    }
    apply3(KHot { k, temperature }, squares, mask.detach(), noise.detach())
}

#[derive(Debug)]
struct KHot {
    k: usize,
    temperature: f32,
}

impl CustomOp<3> for KHot {
    /// The gate, its picks ([rows, K]) and the temperature.
    type Saved = (Primitive, Vec<Pick>, f32);

    fn forward(self, inputs: [Primitive; 3], _: [bool; 3]) -> (Primitive, Self::Saved) {
        let [rows, columns] = dims(&inputs[0]);
        let active = columns.max(1);
        assert!(self.k > 0, "a gate of size 0 picks nothing");
        // No row has more picks than features.
        let k = self.k.min(active);
        let mut gate = take_buffer::<f32>(rows * columns);
        let mut picks = vec![Pick::default(); rows * k];
        let parts = gate.par_chunks_exact_mut(active).zip(picks.par_chunks_exact_mut(k));
        parts.enumerate().with_min_len(SHARE.div_ceil(active)).for_each_init(
            || ClosedForm::new(self.temperature),
            |form, (row, (gate, picks))| {
                let inputs = inputs.each_ref().map(|input| &slice(input)[row * active..][..active]);
                form.gate(inputs, gate, picks);
            },
        );
        let gate = gate.into_tensor([rows, columns]);
        (gate.clone(), (gate, picks, self.temperature))
    }

    fn backward(
        (gate, picks, temperature): Self::Saved,
        upstream: &[f32],
        [wanted, ..]: [bool; 3],
    ) -> [Option<Primitive>; 3] {
        if !wanted {
            return [None, None, None];
        }
        let [rows, columns] = dims(&gate);
        let (active, k) = (columns.max(1), picks.len() / rows.max(1));
        let gate = slice(&gate);
        let mut gradient = take_buffer::<f32>(gate.len());
        let parts = gradient.par_chunks_exact_mut(active).enumerate();
        parts.with_min_len(SHARE.div_ceil(active)).for_each_init(
            || ClosedForm::new(temperature),
            |form, (row, gradient)| {
                let span = row * active..(row + 1) * active;
                let given = (&gate[span.clone()], &picks[row * k..(row + 1) * k]);
                form.gradient(given, &upstream[span], gradient);
            },
        );
        [Some(gradient.into_tensor([rows, columns])), None, None]
    }
}
