//! The contributions of monotone columns: functions of their values that never fall, or never rise.
//!
//! No network sees the value of a monotone column j; the generator writes from the other chosen columns how
//! steep some shapes are, and j adds ± Σ_r α_r · (m_r(x_j) − m_r(mean)) with α_r > 0. Each m_r is a sum of
//! positive steps, one for each bin up to the value, so it never falls, and it is flat outside the range
//! that training saw; m₀ is the line up to [`FARTHEST`](crate::representation::FARTHEST) standard
//! deviations. Sums, means over members and positive multiples of such functions are of the same kind. So
//! the score is monotone by construction, however the network was trained.

use super::LinearPart;
use crate::ops::column_embedding::column_embedding;
use crate::representation::{ColumnRows, EmbeddingSpans, MONOTONE_WEIGHTS, TableRows};
use burn::module::{Module, Param};
use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Device, Tensor, TensorData};

/// Learned shapes beside the line.
const SHAPES: usize = MONOTONE_WEIGHTS - 1;

/// An input that [`positive`] makes small: shapes contribute hardly anything before they are learned.
const START: f32 = -3.0;

/// The least steepness that a line starts with, so that it can be learned.
const LEAST_SLOPE: f32 = 0.05;

/// At the start, the steps of a shape outside its own part of the bins, as a share of those inside.
const OUTSIDE: f32 = 0.05;

/// The slope of a term is that of the score between values this many standard deviations below and above, as
/// other slopes are learned from moves of about this size.
const NEAR: f32 = 0.3;

/// The shapes of the monotone columns, which all rows share.
#[derive(Module, Debug)]
pub(crate) struct MonotonePart {
    /// The steps of each shape before [`positive`], as rows of an embedding table of these columns:
    /// [rows, shapes]
    steps: Param<Tensor<2>>,
    /// The monotone columns, each with its direction, 1 or −1.
    #[module(skip)]
    columns: Vec<(usize, f32)>,
}

impl MonotonePart {
    /// For the monotone ones among these columns; `None` if there are none. At first each shape rises in its own
    /// part of the bins.
    pub fn new(columns: &[ColumnRows], device: &Device) -> Option<Self> {
        let all = columns.iter().enumerate();
        let own = all.filter_map(|(c, column)| Some((c, column.rows, column.monotone?.sign())));
        let own: Vec<(usize, usize, f32)> = own.collect();
        if own.is_empty() {
            return None;
        }
        let steps: Vec<f32> = own.iter().flat_map(|&(_, rows, _)| first_steps(rows)).collect();
        let shape = [steps.len() / SHAPES, SHAPES];
        Some(Self {
            steps: Param::from_data(TensorData::new(steps, shape), device),
            columns: own.into_iter().map(|(c, _, sign)| (c, sign)).collect(),
        })
    }

    /// The generator's output as weights of all columns: for a monotone one a level and a slope
    /// whose sum is the column's addition to the linear model's term.
    ///
    /// written: [members, batch, 1, 2 · columns + 9 · monotone columns] → [members, batch, 1, 2 · columns]
    pub fn weights(
        &self,
        written: Tensor<4>,
        rows: &TableRows,
        linear: Option<&LinearPart>,
    ) -> Tensor<4> {
        let [members, batch, _, all] = written.dims();
        let (n, device) = (self.columns.len(), written.device());
        let slots = all - MONOTONE_WEIGHTS * n;
        let slopes = self.linear_slopes(linear, &device);
        let steepness = self.steepness(written.clone().narrow(3, slots, all - slots), &slopes);
        let table = positive(self.steps.val());
        let added = self.added(&steepness, &table, rows, 0.0);
        // The slope does not affect the sum: the level subtracts what it adds.
        let (steepness, table) = (steepness.detach(), table.detach());
        let [below, above] = [-NEAR, NEAR].map(|by| self.added(&steepness, &table, rows, by));
        let slope = (above - below).div_scalar(2.0 * f64::from(NEAR));
        let (numbers, _) = rows.monotone(0.0);
        let level = added - slope.clone() * numbers.unsqueeze_dim(0);
        let slope = slope - slopes.reshape([1, 1, n]);
        // The level that the generator writes does not depend on the value, and stays; its slope is dropped.
        let pairs = Tensor::stack::<4>(vec![level, slope], 3).reshape([members * batch, 2 * n]);
        let placed = pairs.matmul(self.slots_of_pairs(slots, &device));
        let others = self.without_slopes(slots, &device).reshape([1, 1, 1, slots]);
        written.narrow(3, 0, slots) * others + placed.reshape([members, batch, 1, slots])
    }

    /// 1 for both weights of the monotone columns: [1, 1, slots]
    pub fn slots(&self, slots: usize, device: &Device) -> Tensor<3> {
        self.marked(slots, |c| vec![2 * c, 2 * c + 1], device).reshape([1, 1, slots])
    }

    /// The columns' contributions with their numbers moved by some standard deviations: [members, batch, columns]
    fn added(
        &self,
        steepness: &Tensor<4>,
        table: &Tensor<2>,
        rows: &TableRows,
        by: f32,
    ) -> Tensor<3> {
        let (numbers, spans) = rows.monotone(by);
        let shapes = self.shapes(table, spans) - self.shapes(table, rows.monotone_means());
        let (device, line) = (numbers.device(), numbers.unsqueeze_dim::<3>(2));
        let shapes = Tensor::cat(vec![line, shapes], 2).unsqueeze_dim::<4>(0);
        let signs: Vec<f32> = self.columns.iter().map(|(_, sign)| *sign).collect();
        let n = signs.len();
        let signs = Tensor::<3>::from_data(TensorData::new(signs, [1, 1, n]), &device);
        (steepness.clone() * shapes).sum_dim(3).squeeze_dim::<3>(3) * signs
    }

    /// The shapes at these spans of a table of their steps: [batch, columns, shapes]
    fn shapes(&self, table: &Tensor<2>, spans: EmbeddingSpans) -> Tensor<3> {
        let n = self.columns.len();
        let batch = spans.spans.len() / n;
        let kept = Tensor::ones([batch, n], &table.device());
        column_embedding(table.clone(), kept, spans.into()).swap_dims(0, 1)
    }

    /// α of each shape, which is positive. A line starts as steep as that of the linear model.
    ///
    /// written: [members, batch, 1, 9 · columns], slopes: `[columns]` → [members, batch, columns, 9]
    fn steepness(&self, written: Tensor<4>, slopes: &Tensor<1>) -> Tensor<4> {
        let [members, batch, _, _] = written.dims();
        let n = self.columns.len();
        // ln(eˢ − 1), whose softplus is s.
        let line = slopes.clone().abs().clamp_min(LEAST_SLOPE);
        let line = line.clone() + line.neg().exp().neg().add_scalar(1.0).log();
        let others = Tensor::full([n, SHAPES], START, &written.device());
        let start = Tensor::cat(vec![line.unsqueeze_dim::<2>(1), others], 1);
        let written = written.reshape([members, batch, n, MONOTONE_WEIGHTS]);
        positive(written + start.reshape([1, 1, n, MONOTONE_WEIGHTS]))
    }

    /// The slopes of these columns in the linear model, which have the right sign: `[columns]`
    fn linear_slopes(&self, linear: Option<&LinearPart>, device: &Device) -> Tensor<1> {
        match linear {
            Some(linear) => linear.slopes_of(self.columns.iter().map(|(c, _)| *c)),
            None => Tensor::zeros([self.columns.len()], device),
        }
    }

    /// 0 at the slopes of the monotone columns, 1 elsewhere: `[slots]`
    fn without_slopes(&self, slots: usize, device: &Device) -> Tensor<1> {
        self.marked(slots, |c| vec![2 * c + 1], device).neg().add_scalar(1.0)
    }

    /// 1 in some slots of each monotone column: `[slots]`
    fn marked(&self, slots: usize, of: fn(usize) -> Vec<usize>, device: &Device) -> Tensor<1> {
        let mut marks = vec![0.0_f32; slots];
        self.columns.iter().flat_map(|(c, _)| of(*c)).for_each(|slot| marks[slot] = 1.0);
        Tensor::from_data(TensorData::new(marks, [slots]), device)
    }

    /// Puts the level and the slope of each monotone column into its slots: [2 · monotone columns, slots]
    fn slots_of_pairs(&self, slots: usize, device: &Device) -> Tensor<2> {
        let n = 2 * self.columns.len();
        let mut ones = vec![0.0_f32; n * slots];
        let own = self.columns.iter().flat_map(|(c, _)| [2 * c, 2 * c + 1]);
        own.enumerate().for_each(|(i, slot)| ones[i * slots + slot] = 1.0);
        Tensor::from_data(TensorData::new(ones, [n, slots]), device)
    }
}

/// The softplus, ln(1 + eˣ), without overflow.
fn positive<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    log_sigmoid(x.neg()).neg()
}

/// The first steps of the shapes of a column with this many rows of an embedding table: [rows, shapes]
fn first_steps(rows: usize) -> Vec<f32> {
    // The first row is read by all values, the last one by none.
    let bins = rows.saturating_sub(2).max(1);
    let per_shape = (bins as f32 / SHAPES as f32).max(1.0);
    let step = |row: usize, shape: usize| {
        let bin = row.saturating_sub(1).min(bins - 1);
        let own = bin * SHAPES / bins == shape;
        let step = if own { 1.0 } else { OUTSIDE } / per_shape;
        step.exp_m1().ln()
    };
    (0..rows).flat_map(|row| (0..SHAPES).map(move |shape| step(row, shape))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Column, Samples, Table};
    use crate::evidence::{Evidence, subsets};
    use crate::gate::GateScope;
    use crate::generator::layers::Init;
    use crate::generator::{Dropout, GeneratorConfig, TabularEnsemble, TabularEnsembleConfig};
    use crate::network::{Explainer, Gating, Intercept, Network};
    use crate::random::{Purpose, normal, stream};
    use crate::representation::{Change, ColumnsConfig, Encoded, Monotone, RepresentationConfig};
    use crate::train::{weights_of, with_weights};
    use proptest::prelude::*;
    use rand::RngExt;
    use std::collections::BTreeMap;
    use std::path::Path;

    const N: usize = 40;

    /// Two monotone columns, one of them with gaps, a number and levels.
    fn samples() -> Samples {
        let mut rng = stream(1, Purpose::Sample, 0, 0);
        let mut numbers = || -> Vec<f64> { (0..N).map(|_| rng.random_range(-2.0..2.0)).collect() };
        let (up, mut down, free) = (numbers(), numbers(), numbers());
        (0..N).step_by(5).for_each(|i| down[i] = f64::NAN);
        let columns = [
            Column::numeric("free", free).unwrap(),
            Column::numeric("up", up).unwrap(),
            Column::categorical("level", (0..N).map(|i| Some(["a", "b", "c"][i * i % 3]))),
            Column::numeric("down", down).unwrap(),
        ];
        Table::new(columns).unwrap().into()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Whatever its weights are, for any subset of the columns, and however far a value moves.
        #[test]
        fn no_weights_can_break_the_promise(seed in 0_u64..1000, size in 0.3..3.0_f32) {
            let samples = samples();
            let rows: Vec<usize> = (0..N).collect();
            let config: RepresentationConfig = ColumnsConfig { bins: 6, ..Default::default() }.into();
            let directions = [("up", Monotone::Up), ("down", Monotone::Down)];
            let directions: BTreeMap<String, Monotone> =
                directions.map(|(name, direction)| (name.to_string(), direction)).into();
            let representation = config.fit(&samples, &rows, Evidence::Chosen).unwrap();
            let representation = representation.with_monotone(&directions);
            let device = Device::default();
            let mut rng = stream(seed, Purpose::Initialize, 0, 0);
            let mut init = Init::new(&mut rng, &device);
            let dims = representation.dims(1, Evidence::Chosen);
            let x = dims.x.clone();
            let columns = x.columns().expect("it is a table");
            let config = TabularEnsembleConfig { members: 3, units: 8, ..Default::default() };
            let generator = GeneratorConfig::TabularEnsemble(config).build(dims, &mut init).unwrap();
            let intercept = Intercept::Fixed(vec![0.3]);
            let network = Network::new(generator, 1, GateScope::Shared, intercept, &device)
                .with_linear(LinearPart::empty(columns, 1, &mut init))
                .with_monotone(MonotonePart::new(columns, &device))
                .with_importance(TabularEnsemble::of_columns(columns, 1, 1, &mut init))
                .with_explainer(Explainer::new(columns, 1, &mut init));
            let mut weights = weights_of(&network);
            for (name, array) in &mut weights {
                let drawn = normal(&mut rng, array.values.len());
                array.values = drawn.into_iter().map(|value| value * size).collect();
                if name == "linear.kept" {
                    array.values = vec![rng.random()];
                }
                if name == "linear.slopes" {
                    array.values[1] = array.values[1].abs();
                    array.values[3] = -array.values[3].abs();
                }
            }
            let network = with_weights(network, weights, Path::new("made")).unwrap();

            let encoded = representation.encode(&samples).unwrap();
            let marks: Vec<f32> = (0..4 * N).map(|_| f32::from(rng.random::<bool>())).collect();
            let kept = subsets::tensor(marks.clone(), 4, &device);
            let off = &mut Dropout::off();
            let mut read = |by: f64, feature: usize| {
                let moved = rows.iter().map(|&row| {
                    let changed = representation.changed(&encoded, row, Change::Add { feature, by });
                    changed.unwrap_or_else(|| representation.sample(&encoded, row))
                });
                let batch = representation.batch(&Encoded::concat(moved), &rows, &device);
                let importance = network.importance(&batch, &kept, off).unwrap();
                let importance: Vec<f64> = importance.into_data().iter::<f64>().collect();
                let gating = Gating::Evidence { kept: kept.clone() };
                let scores = network.forward(&batch, gating, off).unwrap().scores;
                (scores.into_data().iter::<f64>().collect::<Vec<_>>(), importance)
            };
            let mut moves: Vec<f64> = (0..12).map(|_| rng.random_range(-4.0..4.0)).collect();
            moves.extend([-1e6, -20.0, 20.0, 1e6]);
            moves.sort_by(f64::total_cmp);
            for (feature, sign) in [(1, 1.0), (3, -1.0)] {
                let (mut before, importance) = read(moves[0], feature);
                let mut rises = 0;
                for &by in &moves[1..] {
                    let (after, same) = read(by, feature);
                    prop_assert_eq!(&importance, &same);
                    for row in 0..N {
                        let change = sign * (after[row] - before[row]);
                        let rounding = 1e-5 * (1.0 + after[row].abs());
                        prop_assert!(change >= -rounding, "row {} falls by {}", row, -change);
                        rises += usize::from(change > 1e-3);
                        let erased = marks[4 * row + feature] == 0.0;
                        prop_assert!(!erased || change.abs() <= rounding);
                    }
                    before = after;
                }
                prop_assert!(rises > N, "it hardly moves: {}", rises);
            }
        }
    }
}
