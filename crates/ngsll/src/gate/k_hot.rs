//! The K-hot gate in closed form: values and gradients in one pass, cost flat in K.
//!
//! With one noise vector λ per row, the K picks are the K largest a_j = (w_j² + λ_j)/τ in order.
//! Let j_1..j_K be the picks, L_t = log Σ exp a_j over what is unpicked before step t, T_j = t for
//! pick j_t and T_j = K for the rest. Then
//!
//! - S_1 = 1, S_t = 1 + S_{t−1}·exp(L_t − L_{t−1}),  g_j = exp(a_j − L_{T_j})·S_{T_j},  Σ g = K;
//! - with G = ∂loss/∂g: D_t = D_{t+1}·exp(L_{t+1} − L_t) + G_{j_t}·exp(a_{j_t} − L_t),
//!   C_1 = D_1, C_t = D_t + C_{t−1}·exp(L_t − L_{t−1}),
//!   ∂loss/∂a_j = G_j g_j − exp(a_j − L_{T_j})·C_{T_j},  ∂a_j/∂w_j² = 1/τ.
//!
//! L is built from the last pick upward by log-add-exp: every exponent is ≤ 0 and nothing cancels,
//! however small τ is.

use super::{hard::top_k, sequential::sequential_gate};
use crate::ops::is_flex;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Tensor, TensorData};

/// The closed form on one row of plain numbers.
///
/// ```
/// use ngsll::gate::k_hot::Row;
/// // Two equal features and K = 1: each is half open.
/// let row = Row::new(&[1.0, 1.0], &[0.0, 0.0], &[0.0, 0.0], 1, 1.0);
/// let mut gate = [0.0; 2];
/// row.gate(&mut gate);
/// assert_eq!(gate, [0.5, 0.5]);
/// ```
#[derive(Debug)]
pub struct Row<'a> {
    mask: &'a [f32],
    /// a_j = (w_j² + λ_j)/τ, less a constant.
    a: Vec<f64>,
    /// T_j − 1, the step that a feature's share is read from.
    step: Vec<u32>,
    /// j_1..j_K; empty when everything is masked.
    picks: Vec<usize>,
    /// L_1..L_K.
    log_sums: Vec<f64>,
    temperature: f64,
}

impl<'a> Row<'a> {
    /// Finds the picks and L_1..L_K. All slices have one entry per active feature.
    pub fn new(
        squares: &[f32],
        mask: &'a [f32],
        noise: &[f32],
        k: usize,
        temperature: f32,
    ) -> Self {
        let tau = f64::from(temperature);
        let square = |j: usize| f64::from(squares[j].min(f32::MAX));
        let open = (0..squares.len()).filter(|&j| mask[j] == 0.0);
        // A common shift changes no softmax and keeps the digits of even the largest squares.
        let top = open.map(square).fold(0.0, f64::max);
        let a: Vec<f64> =
            (0..squares.len()).map(|j| (square(j) - top + f64::from(noise[j])) / tau).collect();
        let picks = top_k(&a, mask, k);
        let mut step = vec![picks.len().saturating_sub(1) as u32; a.len()];
        for (t, &j) in picks.iter().enumerate() {
            step[j] = t as u32;
        }
        let log_sums = log_sums(&a, mask, &picks, &step);
        Self { mask, a, step, picks, log_sums, temperature: tau }
    }

    /// exp(a_j − L_{T_j}), the feature's share in its own softmax.
    fn share(&self, j: usize) -> f64 {
        (self.a[j] - self.log_sums[self.step[j] as usize]).exp()
    }

    /// exp(L_t − L_{t−1}) for t ≥ 1.
    fn shrink(&self, t: usize) -> f64 {
        (self.log_sums[t] - self.log_sums[t - 1]).exp()
    }

    /// Writes g. Masked features, and all features of a row that is masked whole, stay at 0.
    pub fn gate(&self, gate: &mut [f32]) {
        gate.fill(0.0);
        if self.picks.is_empty() {
            return;
        }
        let mut s = vec![1.0; self.picks.len()];
        for t in 1..s.len() {
            s[t] = 1.0 + s[t - 1] * self.shrink(t);
        }
        for j in (0..gate.len()).filter(|&j| self.mask[j] == 0.0) {
            gate[j] = (self.share(j) * s[self.step[j] as usize]) as f32;
        }
    }

    /// Writes ∂loss/∂w², given the gate g and G = ∂loss/∂g.
    pub fn gradient(&self, gate: &[f32], upstream: &[f32], gradient: &mut [f32]) {
        gradient.fill(0.0);
        let Some(last) = self.picks.len().checked_sub(1) else { return };
        let open = |j: &usize| self.mask[*j] == 0.0;
        // D_K holds the last pick and everything that was never picked.
        let mut d = vec![0.0; last + 1];
        d[last] = (0..gate.len())
            .filter(open)
            .filter(|&j| self.step[j] as usize == last)
            .map(|j| f64::from(upstream[j]) * self.share(j))
            .sum();
        for t in (0..last).rev() {
            let j = self.picks[t];
            d[t] = d[t + 1] * self.shrink(t + 1) + f64::from(upstream[j]) * self.share(j);
        }
        let mut c = d;
        for t in 1..c.len() {
            c[t] += c[t - 1] * self.shrink(t);
        }
        for j in (0..gate.len()).filter(open) {
            let by_a = f64::from(upstream[j]) * f64::from(gate[j])
                - self.share(j) * c[self.step[j] as usize];
            gradient[j] = (by_a / self.temperature) as f32;
        }
    }
}

/// L_1..L_K, from the last upward.
fn log_sums(a: &[f64], mask: &[f32], picks: &[usize], step: &[u32]) -> Vec<f64> {
    let Some((&last_pick, before)) = picks.split_last() else { return Vec::new() };
    // The last pick is the largest of what is left at step K.
    let top = a[last_pick];
    let last = before.len() as u32;
    let rest: f64 = (0..a.len())
        .filter(|&j| mask[j] == 0.0 && step[j] == last)
        .map(|j| (a[j] - top).exp())
        .sum();
    let mut log_sums = vec![0.0; picks.len()];
    log_sums[before.len()] = top + rest.ln();
    for (t, &j) in before.iter().enumerate().rev() {
        let below = log_sums[t + 1];
        let (high, low) = if a[j] >= below { (a[j], below) } else { (below, a[j]) };
        log_sums[t] = high + (low - high).exp().ln_1p();
    }
    log_sums
}

/// The K-hot gate for any backend: the closed form on the CPU, the sequential definition elsewhere.
///
/// squares, mask, noise: [rows, active] → gate: [rows, active]
pub fn k_hot_gate(
    squares: Tensor<2>,
    mask: Tensor<2>,
    noise: Tensor<2>,
    k: usize,
    temperature: f32,
) -> Tensor<2> {
    if is_flex(&squares.device()) {
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
        let inputs = Inputs::new(squares, mask, noise, k, temperature);
        let mut gate = vec![0.0; inputs.squares.len()];
        for (row, gate) in gate.chunks_exact_mut(inputs.active.max(1)).enumerate() {
            inputs.row(row).gate(gate);
        }
        inputs.tensor(gate)
    }
}

/// The three inputs as contiguous rows.
#[derive(Debug, Clone)]
struct Inputs {
    squares: Vec<f32>,
    mask: Vec<f32>,
    noise: Vec<f32>,
    active: usize,
    k: usize,
    temperature: f32,
}

impl Inputs {
    fn new(
        squares: FloatTensor<Flex>,
        mask: FloatTensor<Flex>,
        noise: FloatTensor<Flex>,
        k: usize,
        temperature: f32,
    ) -> Self {
        let active = squares.layout().shape()[1];
        let read = |t: FloatTensor<Flex>| -> Vec<f32> {
            t.into_data().try_into_vec().expect("gate tensors are f32")
        };
        Self {
            squares: read(squares),
            mask: read(mask),
            noise: read(noise),
            active,
            k,
            temperature,
        }
    }

    fn row(&self, row: usize) -> Row<'_> {
        let span = row * self.active..(row + 1) * self.active;
        let (squares, noise) = (&self.squares[span.clone()], &self.noise[span.clone()]);
        Row::new(squares, &self.mask[span], noise, self.k, self.temperature)
    }

    fn tensor(&self, values: Vec<f32>) -> FloatTensor<Flex> {
        let rows = values.len() / self.active.max(1);
        FloatTensor::<Flex>::from_data(TensorData::new(values, [rows, self.active]))
    }
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
            type State = (Inputs, FloatTensor<Flex>);

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let [parent] = ops.parents;
                let upstream = grads.consume::<Flex>(&ops.node);
                let Some(parent) = parent else { return };
                let (inputs, gate) = ops.state;
                let read = |t: FloatTensor<Flex>| -> Vec<f32> {
                    t.into_data().try_into_vec().expect("gate tensors are f32")
                };
                let (gate, upstream) = (read(gate), read(upstream));
                let mut gradient = vec![0.0; gate.len()];
                for (row, gradient) in gradient.chunks_exact_mut(inputs.active.max(1)).enumerate() {
                    let span = row * inputs.active..(row + 1) * inputs.active;
                    inputs.row(row).gradient(&gate[span.clone()], &upstream[span], gradient);
                }
                grads.register::<Flex>(parent.id, inputs.tensor(gradient));
            }
        }

        let prepared = KHotBackward.prepare::<C>([squares.node()]).compute_bound().stateful();
        let (squares, mask, noise) =
            (squares.into_primitive(), mask.into_primitive(), noise.into_primitive());
        let gate = Flex::k_hot(squares.clone(), mask.clone(), noise.clone(), k, temperature);
        match prepared {
            OpsKind::Tracked(prep) => {
                let inputs = Inputs::new(squares, mask, noise, k, temperature);
                prep.finish((inputs, gate.clone()), gate)
            }
            OpsKind::UnTracked(prep) => prep.finish(gate),
        }
    }
}
