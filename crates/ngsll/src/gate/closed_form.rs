//! The closed form of the K-hot gate on plain numbers: one pass over a row, cost flat in K.
//!
//! With one noise vector λ per row, the K picks are the K largest a_j = (w_j² + λ_j)/τ in order.
//! Let j_1..j_K be the picks, L_t = log Σ exp a_j over the features unpicked before step t, T_j = t for
//! pick j_t and T_j = K for the rest. Then
//!
//! - S_1 = 1, S_t = 1 + S_{t−1}·exp(L_t − L_{t−1}),  g_j = exp(a_j − L_{T_j})·S_{T_j},  Σ g = K;
//! - with G = ∂loss/∂g: D_t = D_{t+1}·exp(L_{t+1} − L_t) + G_{j_t}·exp(a_{j_t} − L_t),
//!   C_1 = D_1, C_t = D_t + C_{t−1}·exp(L_t − L_{t−1}),
//!   ∂loss/∂a_j = G_j g_j − exp(a_j − L_{T_j})·C_{T_j},  ∂a_j/∂w_j² = 1/τ.
//!
//! L is built from the last pick upward by log-add-exp: every exponent is ≤ 0 and nothing cancels,
//! however small τ is. All that the gradient needs is the gate itself and three numbers for each
//! pick: for the rest, exp(a_j − L_K) is g_j/S_K.

use super::hard::largest;

/// Computes one row after the other in its own buffers.
///
/// ```
/// use ngsll::gate::closed_form::{ClosedForm, Pick};
/// // Two equal features and K = 1: each is half open.
/// let (mut gate, mut picks) = ([0.0; 2], [Pick::default()]);
/// ClosedForm::new(1.0).gate([&[1.0, 1.0], &[0.0, 0.0], &[0.0, 0.0]], &mut gate, &mut picks);
/// assert_eq!(gate, [0.5, 0.5]);
/// ```
#[derive(Debug)]
pub struct ClosedForm {
    temperature: f64,
    /// A number per feature: a_j, then exp(a_j − a_{j_K}); in the gradient exp(a_j − L_K). Picks
    /// are left out.
    own: Vec<f64>,
    order: Vec<(f64, u32)>,
    /// A number per pick: D_t, then C_t.
    sums: Vec<f64>,
}

/// The part of a row's forward pass that its gradient needs, one for each pick.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pick {
    /// j_t; `None` when the row had no t-th feature to pick.
    feature: Option<u32>,
    /// exp(a_{j_t} − L_t), the pick's share in its own softmax.
    share: f64,
    /// exp(L_t − L_{t−1}), the share of the sum that remains without the pick before; 0 for the first.
    shrink: f64,
    /// S_t.
    s: f64,
}

/// The picks that a row has, with their features.
fn made(picks: &[Pick]) -> impl DoubleEndedIterator<Item = (usize, &Pick)> {
    let count = picks.partition_point(|pick| pick.feature.is_some());
    picks[..count].iter().map(|pick| (pick.feature.unwrap_or_default() as usize, pick))
}

impl ClosedForm {
    /// For gates of temperature τ > 0.
    pub fn new(temperature: f32) -> Self {
        let (own, order, sums) = Default::default();
        Self { temperature: f64::from(temperature), own, order, sums }
    }

    /// Writes g and the K picks of a row. Masked features, and all features of a row that is masked
    /// whole, stay at 0.
    ///
    /// squares, mask, noise, gate: `[active]`, picks: `[K]`
    pub fn gate(
        &mut self,
        [squares, mask, noise]: [&[f32]; 3],
        gate: &mut [f32],
        picks: &mut [Pick],
    ) {
        let square = |j: usize| f64::from(squares[j].min(f32::MAX));
        let open = (0..squares.len()).filter(|&j| mask[j] == 0.0);
        // A common shift changes no softmax and keeps the digits of even the largest squares.
        let top = open.clone().map(square).fold(0.0, f64::max);
        self.own.clear();
        self.own.resize(squares.len(), f64::NEG_INFINITY);
        for j in open.clone() {
            self.own[j] = (square(j) - top + f64::from(noise[j])) / self.temperature;
        }
        let values = open.map(|j| (self.own[j], j as u32));
        largest(&mut self.order, values, picks.len());
        picks.fill(Pick::default());
        let Some(&(least, _)) = self.order.last() else { return gate.fill(0.0) };
        // The last pick is the largest of those left at step K, so no exponent is above 0.
        self.order.iter().for_each(|&(_, j)| self.own[j as usize] = f64::NEG_INFINITY);
        let mut rest = 1.0;
        for own in &mut self.own {
            *own = (*own - least).exp();
            rest += *own;
        }
        self.write_picks(least + rest.ln(), picks);
        let s = picks[self.order.len() - 1].s;
        for (gate, own) in gate.iter_mut().zip(&self.own) {
            *gate = (own / rest * s) as f32;
        }
        for (j, pick) in made(picks) {
            gate[j] = (pick.share * pick.s) as f32;
        }
    }

    /// From L_K up to L_1, and down again with S.
    fn write_picks(&self, mut log_sum: f64, picks: &mut [Pick]) {
        for (t, &(a, j)) in self.order.iter().enumerate().rev() {
            if t + 1 < self.order.len() {
                let below = log_sum;
                let (high, low) = if a >= below { (a, below) } else { (below, a) };
                log_sum = high + (low - high).exp().ln_1p();
                picks[t + 1].shrink = (below - log_sum).exp();
            }
            (picks[t].feature, picks[t].share) = (Some(j), (a - log_sum).exp());
        }
        let mut s = 0.0;
        for pick in &mut picks[..self.order.len()] {
            s = 1.0 + s * pick.shrink;
            pick.s = s;
        }
    }

    /// Writes ∂loss/∂w², given the gate g with its picks and G = ∂loss/∂g.
    ///
    /// gate, upstream, gradient: `[active]`, picks: `[K]`
    pub fn gradient(
        &mut self,
        (gate, picks): (&[f32], &[Pick]),
        upstream: &[f32],
        gradient: &mut [f32],
    ) {
        let Some((_, last)) = made(picks).next_back() else { return gradient.fill(0.0) };
        let upstream = |j: usize| f64::from(upstream[j]);
        self.own.clear();
        self.own.extend(gate.iter().map(|&g| f64::from(g) / last.s));
        made(picks).for_each(|(j, _)| self.own[j] = 0.0);
        // Features that are never picked stay below the last pick.
        let mut below: f64 = self.own.iter().enumerate().map(|(j, own)| upstream(j) * own).sum();
        self.sums.clear();
        for (j, pick) in made(picks).rev() {
            let d = below + upstream(j) * pick.share;
            self.sums.push(d);
            below = d * pick.shrink;
        }
        self.sums.reverse();
        let mut c = 0.0;
        for (sum, (_, pick)) in self.sums.iter_mut().zip(made(picks)) {
            c = *sum + c * pick.shrink;
            *sum = c;
        }
        // g = share · S, not its f32: near an open gate the two terms nearly cancel.
        let by_square = |j: usize, share: f64, s: f64, c: f64| {
            (share * (upstream(j) * s - c) / self.temperature) as f32
        };
        for (j, own) in self.own.iter().enumerate() {
            gradient[j] = by_square(j, *own, last.s, c);
        }
        for ((j, pick), c) in made(picks).zip(&self.sums) {
            gradient[j] = by_square(j, pick.share, pick.s, *c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_equal_features_each_is_half_open() {
        let (mut gate, mut picks) = ([0.0; 2], [Pick::default()]);
        ClosedForm::new(1.0).gate([&[1.0, 1.0], &[0.0, 0.0], &[0.0, 0.0]], &mut gate, &mut picks);
        assert_eq!(gate, [0.5, 0.5]);
    }
}
