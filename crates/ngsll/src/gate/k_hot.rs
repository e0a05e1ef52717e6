//! The K-hot gate as an operation: the closed form on the CPU, row by row, values and gradients.

use super::closed_form::{ClosedForm, Pick};
use super::sequential::sequential_gate;
use crate::ops::{is_ours, room, slice, tensor};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use rayon::prelude::*;

/// Numbers of a gate that are worth a thread; fewer stay where they are.
const SHARE: usize = 1 << 13;

/// The K-hot gate for any backend: the closed form on the CPU, the sequential definition elsewhere.
///
/// squares, mask, noise: [rows, active] → gate: [rows, active]
///
/// # Panics
/// If `k` is 0; see [`super::KHotGateConfig::check`].
pub fn k_hot_gate(
    squares: Tensor<2>,
    mask: Tensor<2>,
    noise: Tensor<2>,
    k: usize,
    temperature: f32,
) -> Tensor<2> {
    if is_ours(&squares) {
        Tensor::from_dispatch(<Dispatch as KHotOps>::k_hot(
            squares.into_dispatch(),
            mask.into_dispatch(),
            noise.into_dispatch(),
            k,
            temperature,
        ))
    } else {
        sequential_gate(squares, mask, |_| noise.clone(), k, temperature)
    }
}

/// The custom operation, as Burn's dispatch wants it.
#[backend_extension(Flex, Autodiff)]
pub trait KHotOps: Backend {
    /// See [`k_hot_gate`].
    fn k_hot(
        squares: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        noise: FloatTensor<Self>,
        k: usize,
        temperature: f32,
    ) -> FloatTensor<Self>;
}

impl KHotOps for Flex {
    fn k_hot(
        squares: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        noise: FloatTensor<Self>,
        k: usize,
        temperature: f32,
    ) -> FloatTensor<Self> {
        forward([squares, mask, noise], k, temperature).0
    }
}

/// The gate, and the picks that its gradient needs: [rows, K].
fn forward(
    inputs: [FloatTensor<Flex>; 3],
    k: usize,
    temperature: f32,
) -> (FloatTensor<Flex>, Vec<Pick>) {
    let inputs = inputs.map(|tensor| tensor.to_contiguous());
    let shape = inputs[0].layout().shape().clone();
    let active = shape[1].max(1);
    assert!(k > 0, "a gate of size 0 picks nothing");
    // No row has more picks than features.
    let k = k.min(active);
    let mut gate = room(shape[0] * shape[1]);
    let mut picks = vec![Pick::default(); shape[0] * k];
    let rows = gate.par_chunks_exact_mut(active).zip(picks.par_chunks_exact_mut(k));
    rows.enumerate().with_min_len(SHARE.div_ceil(active)).for_each_init(
        || ClosedForm::new(temperature),
        |form, (row, (gate, picks))| {
            let inputs = inputs.each_ref().map(|tensor| &slice(tensor)[row * active..][..active]);
            form.gate(inputs, gate, picks);
        },
    );
    (tensor(gate, [shape[0], shape[1]]), picks)
}

/// ∂loss/∂w², given the gate with its picks and ∂loss/∂g.
fn backward(
    (gate, picks): (&FloatTensor<Flex>, &[Pick]),
    upstream: &FloatTensor<Flex>,
    temperature: f32,
) -> FloatTensor<Flex> {
    let [rows, columns] = [0, 1].map(|d| gate.layout().shape()[d]);
    let (active, k) = (columns.max(1), picks.len() / rows.max(1));
    let (gate, upstream) = (slice(gate), slice(upstream));
    let mut gradient = room(gate.len());
    let parts = gradient.par_chunks_exact_mut(active).enumerate();
    parts.with_min_len(SHARE.div_ceil(active)).for_each_init(
        || ClosedForm::new(temperature),
        |form, (row, gradient)| {
            let span = row * active..(row + 1) * active;
            let given = (&gate[span.clone()], &picks[row * k..(row + 1) * k]);
            form.gradient(given, &upstream[span], gradient);
        },
    );
    tensor(gradient, [rows, columns])
}

impl<C: CheckpointStrategy> KHotOps for Autodiff<Flex, C> {
    fn k_hot(
        squares: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        noise: FloatTensor<Self>,
        k: usize,
        temperature: f32,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct KHotBackward;

        impl Backward<Flex, 1> for KHotBackward {
            type State = (FloatTensor<Flex>, Vec<Pick>, f32);

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let [parent] = ops.parents;
                let upstream = grads.consume::<Flex>(&ops.node).to_contiguous();
                let Some(parent) = parent else { return };
                let (gate, picks, temperature) = ops.state;
                let gradient = backward((&gate, &picks), &upstream, temperature);
                grads.register::<Flex>(parent.id, gradient);
            }
        }

        let prepared = KHotBackward.prepare::<C>([squares.node()]).compute_bound().stateful();
        let inputs = [squares, mask, noise].map(|tensor| tensor.into_primitive());
        let (gate, picks) = forward(inputs, k, temperature);
        match prepared {
            OpsKind::Tracked(prep) => prep.finish((gate.clone(), picks, temperature), gate),
            OpsKind::UnTracked(prep) => prep.finish(gate),
        }
    }
}
