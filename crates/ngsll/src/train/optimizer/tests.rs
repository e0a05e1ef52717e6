//! Lazy against plain, on random sparse gradients; saved and restored.

use super::super::{from_bytes, to_bytes};
use super::*;
use crate::ops::embedding::{embedding, embedding_plain};
use crate::random::{Purpose, stream};
use crate::test_support::assert_same_on_any_threads;
use burn::tensor::{Device, Int, TensorData};
use rand::RngExt;
use std::path::Path;

const ROWS: usize = 40;
const WIDTH: usize = 5;

/// A table, read through the operation with sparse gradients or through Burn's, and a dense layer.
#[derive(Module, Debug)]
struct Net {
    table: Param<Tensor<2>>,
    dense: Param<Tensor<1>>,
}

fn net() -> Net {
    let device = Device::default().autodiff();
    let mut rng = stream(1, Purpose::Initialize, 0, 0);
    let mut draw = |n: usize| (0..n).map(|_| rng.random_range(-0.3..0.3)).collect::<Vec<f32>>();
    let table = TensorData::new(draw(ROWS * WIDTH), [ROWS, WIDTH]);
    let dense = TensorData::new(draw(WIDTH), [WIDTH]);
    super::super::numbered(Net {
        table: Param::from_data(table, &device),
        dense: Param::from_data(dense, &device),
    })
}

fn stage(kind: OptimizerKind) -> Stage {
    let learning_rate = 1e-2;
    Stage {
        k: 1,
        temperature: 0.0,
        optimizer: kind,
        learning_rate,
        max_epochs: 1,
        patience: 1,
        final_learning_rate: None,
        weight_decay: None,
    }
}

/// The rows of step `t`: few of many, the last one only at first, the first ones often.
fn rows_of(t: usize) -> Vec<u32> {
    let mut rng = stream(2, Purpose::Sample, 0, t as u64);
    let mut rows: Vec<u32> = (0..3).map(|_| rng.random_range(1..6)).collect();
    rows.push(rng.random_range(6..ROWS as u32 - 1));
    rows.extend((t == 3).then_some(ROWS as u32 - 1));
    rows
}

/// One step of a loss whose gradients change from step to step, but not with the table: there is
/// no feedback that would let differences of rounding grow.
fn step(net: Net, optimizer: &mut Optimizer, t: usize, sparse: bool) -> Net {
    let rows = rows_of(t);
    let net = optimizer.catch_up(net, &rows);
    let device = Device::default().autodiff();
    let ids: Vec<i64> = rows.iter().map(|&row| i64::from(row)).collect();
    let ids = Tensor::<2, Int>::from_data(TensorData::new(ids, [1, rows.len()]), &device);
    let read = if sparse { embedding } else { burn::tensor::module::embedding };
    let words = read(net.table.val(), ids);
    let mut rng = stream(3, Purpose::Noise, 0, t as u64);
    let target = (0..rows.len() * WIDTH).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f32>>();
    let target = Tensor::<3>::from_data(TensorData::new(target, [1, rows.len(), WIDTH]), &device);
    let loss =
        (words.clone() * target).sum() + (words.detach() * net.dense.val().unsqueeze()).sum();
    let gradients = param_gradients(&net, loss.backward());
    optimizer.step(net, vec![gradients])
}

fn numbers<const D: usize>(param: &Param<Tensor<D>>) -> Vec<f32> {
    param.val().into_data().iter::<f32>().collect()
}

fn run(kind: OptimizerKind, steps: usize, sparse: bool) -> Net {
    let mut optimizer = Optimizer::new(&stage(kind));
    let net = (0..steps / 2).fold(net(), |net, t| step(net, &mut optimizer, t, sparse));
    let net = optimizer.change_rate(net, 3e-3);
    let net = (steps / 2..steps).fold(net, |net, t| step(net, &mut optimizer, t, sparse));
    assert_eq!(sparse, optimizer.slots.values().any(Slot::is_sparse));
    optimizer.flush(net)
}

/// The lazy updates may differ from the plain ones by rounding alone: by less than 1e-5, where a
/// single update moves a weight by up to 1e-2 and the momentum after it by up to ten times that.
#[test]
fn rows_that_wait_end_where_plain_updates_take_them() {
    for kind in [OptimizerKind::Adam, OptimizerKind::Momentum] {
        let (lazy, plain) = (run(kind, 600, true), run(kind, 600, false));
        let (lazy, plain) = (numbers(&lazy.table), numbers(&plain.table));
        let moved = numbers(&net().table);
        for (i, ((l, p), start)) in lazy.iter().zip(&plain).zip(&moved).enumerate() {
            assert!((l - p).abs() < 1e-5, "{kind:?}, entry {i}: {l} instead of {p}");
            let padding = i < WIDTH;
            assert_eq!(l == start, padding, "{kind:?}: entry {i} did not move as it should");
        }
    }
}

/// The plain updates are those of Burn's own optimisers, which round differently.
#[test]
fn dense_updates_are_burn_s_own() {
    use burn_optim::momentum::MomentumConfig;
    use burn_optim::{AdamConfig, GradientsParams, SgdConfig};
    let momentum = MomentumConfig::new().with_momentum(0.9).with_dampening(0.0);
    for (kind, mut burns) in [
        (OptimizerKind::Adam, AdamConfig::new().with_epsilon(1e-8).init()),
        (OptimizerKind::Momentum, SgdConfig::new().with_momentum(Some(momentum)).init()),
    ] {
        let mut optimizer = Optimizer::new(&stage(kind));
        let (mut ours, mut theirs) = (net(), net());
        let device = Device::default().autodiff();
        for t in 0..200 {
            let rate = if t < 100 { 1e-2 } else { 3e-3 };
            ours = optimizer.change_rate(ours, rate);
            let mut rng = stream(4, Purpose::Noise, 0, t);
            let target = (0..WIDTH).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f32>>();
            let target = Tensor::<1>::from_data(TensorData::new(target, [WIDTH]), &device);
            let loss = |net: &Net| (net.dense.val() - target.clone()).powi_scalar(2).sum();
            let gradients = param_gradients(&ours, loss(&ours).backward());
            ours = optimizer.step(ours, vec![gradients]);
            let gradients = GradientsParams::from_grads(loss(&theirs).backward(), &theirs);
            theirs = burns.step(rate, theirs, gradients);
        }
        for (o, t) in numbers(&ours.dense).iter().zip(numbers(&theirs.dense)) {
            assert!((o - t).abs() < 1e-6, "{kind:?}: {o} instead of {t}");
        }
    }
}

#[test]
fn a_saved_optimiser_goes_on_bit_by_bit() {
    for kind in [OptimizerKind::Adam, OptimizerKind::Momentum] {
        let mut whole = Optimizer::new(&stage(kind));
        let mut net = (0..50).fold(net(), |net, t| step(net, &mut whole, t, true));
        let saved = from_bytes(&to_bytes(&whole.save()), Path::new("optimiser")).unwrap();
        let mut restored = Optimizer::restore((&stage(kind), 0), &net, saved).unwrap();
        assert_eq!(whole.slots, restored.slots);
        let mut resumed = net.clone();
        for t in 50..80 {
            net = step(net, &mut whole, t, true);
            resumed = step(resumed, &mut restored, t, true);
        }
        let (net, resumed) = (whole.flush(net), restored.flush(resumed));
        assert_eq!(numbers(&net.table), numbers(&resumed.table));
        assert_eq!(numbers(&net.dense), numbers(&resumed.dense));
    }
}

#[test]
fn a_damaged_or_foreign_state_is_refused_with_a_sentence() {
    let mut optimizer = Optimizer::new(&stage(OptimizerKind::Adam));
    let net = step(net(), &mut optimizer, 0, true);
    let refuse = |kind, damage: &dyn Fn(&mut Weights)| {
        let mut saved = optimizer.save();
        damage(&mut saved);
        Optimizer::restore((&stage(kind), 0), &net, saved).unwrap_err()
    };
    let foreign = refuse(OptimizerKind::Momentum, &|_| ());
    assert!(foreign.contains("belongs to another optimiser"), "{foreign}");
    let array = |saved: &mut Weights, name: &str, change: &dyn Fn(&mut Vec<f32>)| {
        change(&mut saved.get_mut(name).unwrap().values);
    };
    for (name, change, expected) in [
        ("adam.0.moments", (|v| v.truncate(7)) as fn(&mut Vec<f32>), "expected 400"),
        ("adam.0.last", |v| v.truncate(6), "does not fit"),
        ("adam.0.last", |v| v[0] = 1.0, "does not fit"),
        ("adam.0.last", |v| v[1] = 0.5, "whole numbers"),
        ("adam.0.sizes", |v| v.truncate(2), "expected 3"),
        ("adam.1.sizes", |v| v[1] = -3.0, "whole numbers"),
    ] {
        let error = refuse(OptimizerKind::Adam, &|saved| array(saved, name, &change));
        assert!(error.contains(name) && error.contains(expected), "{error}");
    }
    let missing = refuse(OptimizerKind::Adam, &|saved| {
        saved.remove("adam.1.sizes");
    });
    assert!(missing.contains("is missing"), "{missing}");
}

/// The numbers of a large parameter are divided among threads, with the same result.
#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let mut rng = stream(5, Purpose::Sample, 0, 0);
    let mut draw = |_| (0..100_000).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f32>>();
    let shards: Vec<Vec<f32>> = (0..5).map(&mut draw).collect();
    assert_same_on_any_threads(|| {
        let shards = || shards.iter().cloned().map(Gradient::Dense).collect::<Vec<_>>();
        let rule = Adam { learning_rate: 1e-3 };
        let (mut slot, mut weights) = (Slot::new(&shards()[0], &[100_000], 2), vec![0.5; 100_000]);
        (0..3).for_each(|_| slot.update(&rule, 0.9, &mut weights, shards()));
        weights
    });
}

/// Gradients of several graphs make the update of their sum; multiples of 1/4 add up exactly.
#[test]
fn gradients_of_shards_add_up() {
    let device = Device::default().autodiff();
    // (rows that are read, what they are multiplied with)
    let shards = [(vec![2_i64, 3, 3, 9], 0.25), (vec![3, 7], 1.5), (vec![1, 2, 9], -0.5)];
    let loss = |net: &Net, which: &[(Vec<i64>, f32)]| {
        let one = |(rows, factor): &(Vec<i64>, f32)| {
            let ids = TensorData::new(rows.clone(), [1, rows.len()]);
            let ids = Tensor::<2, Int>::from_data(ids, &device);
            (embedding_plain(net.table.val(), ids) * net.dense.val().detach().unsqueeze())
                .sum()
                .mul_scalar(*factor)
                + net.dense.val().sum().mul_scalar(*factor)
        };
        which.iter().map(one).reduce(|a, b| a + b).unwrap()
    };
    let quarters = |mut net: Net| {
        let round = |dense: Tensor<1>| ((dense * 16.0).round() / 4.0).into_data();
        net.dense = net.dense.map(|dense| Tensor::from_data(round(dense), &device).require_grad());
        net
    };
    let whole = quarters(net());
    let gradients = param_gradients(&whole, loss(&whole, &shards).backward());
    let whole = Optimizer::new(&stage(OptimizerKind::Adam)).step(whole, vec![gradients]);
    let split = quarters(net());
    let each = |sparse: bool| -> Vec<ParamGradients> {
        let one = |shard: &(Vec<i64>, f32)| {
            if !sparse {
                let loss = loss(&split, std::slice::from_ref(shard));
                return param_gradients(&split, loss.backward());
            }
            let ids = TensorData::new(shard.0.clone(), [1, shard.0.len()]);
            let words = embedding(split.table.val(), Tensor::from_data(ids, &device));
            let words = words * split.dense.val().detach().unsqueeze();
            let loss =
                words.sum().mul_scalar(shard.1) + split.dense.val().sum().mul_scalar(shard.1);
            param_gradients(&split, loss.backward())
        };
        shards.iter().map(one).collect()
    };
    for sparse in [false, true] {
        let gradients = each(sparse);
        let split = Optimizer::new(&stage(OptimizerKind::Adam)).step(split.clone(), gradients);
        assert_eq!(numbers(&split.table), numbers(&whole.table), "sparse: {sparse}");
        assert_eq!(numbers(&split.dense), numbers(&whole.dense), "sparse: {sparse}");
    }
}

/// Weights that nothing else holds are changed in place.
#[test]
fn an_update_does_not_copy() {
    let param = net().table;
    let mut before = std::ptr::null();
    let param = change(param, |weights| before = weights.as_ptr());
    let mut after = std::ptr::null();
    let param = change(param, |weights| after = weights.as_ptr());
    assert_eq!(before, after);
    let clone = param.clone();
    let changed = change(param, |weights| weights[0] += 1.0);
    assert!(numbers(&changed)[0] == numbers(&clone)[0] + 1.0);
}
