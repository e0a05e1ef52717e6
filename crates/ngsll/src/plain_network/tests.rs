//! Gradients against finite differences, and Grad-CAM by hand.

use super::*;
use crate::config::{Config, Task};
use crate::dataset::{Column, ImageSize, Images, Table};
use crate::evidence::Evidence;
use crate::random::{Purpose, stream};
use crate::representation::{PixelOwners, X};
use crate::setup::TrainingSetup;
use burn::tensor::TensorData;
use rand::RngExt;
use std::ops::ControlFlow;

fn trained(task: Task, data: &Dataset) -> PlainNetwork {
    let mut config = Config::with_evidence(task, Evidence::Whole);
    (config.k, config.training.epochs) = (1, Some(2));
    if task == Task::Text {
        config = config.with("representation.min_count", "1").unwrap();
    }
    let setup = TrainingSetup::new(config.check().unwrap(), data, None, &Device::default());
    setup.unwrap().fit_plain_network(&mut |_| ControlFlow::Continue(())).unwrap()
}

/// For every kind of samples, with two classes and with three.
fn networks() -> Vec<(PlainNetwork, Dataset)> {
    let mut rng = stream(1, Purpose::Sample, 0, 0);
    let mut all = Vec::new();
    for classes in [2, 3] {
        let labels = || (0..30).map(|i| format!("c{}", i % classes));
        let word = |i: usize, j: usize| format!("w{}", (i * 7 + j * j) % 11);
        let texts =
            (0..30).map(|i| (0..6).map(|j| word(i, j)).collect::<Vec<_>>().join(" ") + " rare");
        all.push((Task::Text, Dataset::texts(texts, labels()).unwrap()));
        let size = ImageSize { width: 9, height: 8, channels: 1 };
        let images = Images::new(size, (0..30 * size.bytes()).map(|_| rng.random()).collect());
        all.push((Task::Image, Dataset::images(images.unwrap(), labels()).unwrap()));
        let mut column = |name: &str| {
            Column::numeric(name, (0..30).map(|_| rng.random_range(-2.0..2.0))).unwrap()
        };
        let table = Table::new([column("a"), column("b"), column("c")]).unwrap();
        all.push((Task::Tabular, Dataset::table(table, labels()).unwrap()));
    }
    all.into_iter().map(|(task, data)| (trained(task, &data), data)).collect()
}

/// The score of the predicted class of one sample when feature `at` is scaled by `factor`.
fn scaled(network: &PlainNetwork, data: &Dataset, at: usize, factor: f32) -> f64 {
    let encoded = network.representation.encode(data.samples()).unwrap();
    let batch = network.representation.batch(&encoded, &[3], &network.device);
    let n = batch.features();
    let factors: Vec<f32> = (0..n).map(|j| if j == at { factor } else { 1.0 }).collect();
    let factors = Tensor::<2>::from_data(TensorData::new(factors, [1, n]), &network.device);
    let plain = Batch { x: batch.scaled(&factors, 1.0), ..batch.clone().plain() };
    let scores = forward(&network.network, plain).unwrap();
    predicted(scores).into_scalar()
}

#[test]
fn gradient_times_input_is_the_slope_by_a_feature_s_scale() {
    for (network, data) in networks() {
        let supports = &network.gradient_times_input(data.samples()).unwrap()[3];
        let own = network.scores(data.samples()).unwrap()[3].clone();
        let best = own.iter().fold(f64::MIN, |best, &s| best.max(s));
        let best = if own.len() == 1 { own[0].abs() } else { best };
        assert!((scaled(&network, &data, 0, 1.0) - best).abs() < 1e-4, "nothing is scaled");
        for (at, (name, support)) in supports.iter().enumerate() {
            let step = 0.01;
            let [less, more] =
                [1.0 - step, 1.0 + step].map(|factor| scaled(&network, &data, at, factor));
            let slope = (more - less) / (2.0 * f64::from(step));
            let near = (slope - support).abs() < 0.01 + 0.05 * support.abs();
            assert!(near, "{name}: {support} and not {slope}");
        }
    }
}

#[test]
fn it_is_the_sum_of_input_times_gradient() {
    let (network, data) = networks().swap_remove(1);
    let encoded = network.representation.encode(data.samples()).unwrap();
    let batch = network.representation.batch(&encoded, &[3], &network.device.clone().autodiff());
    let X::Images(x) = batch.x.clone() else { panic!("these are images") };
    let x = x.detach().require_grad();
    let plain = Batch { x: X::Images(x.clone()), ..batch.clone().plain() };
    let gradients = predicted(forward(&network.tracked, plain).unwrap()).sum().backward();
    let products = (x.grad(&gradients).unwrap() * x.inner()).into_data();
    let Some(PixelOwners::Shared(owners)) = batch.owners else { panic!("these have one grid") };
    let owners = owners.into_data();
    let mut sums = vec![0.0; network.representation.features()];
    for (owner, product) in owners.iter::<i64>().zip(products.iter::<f64>()) {
        sums[owner as usize] += product;
    }
    let supports = &network.gradient_times_input(data.samples()).unwrap()[3];
    for (name, support) in supports {
        let j = (0..sums.len()).find(|&j| network.representation.name(j) == *name).unwrap();
        let sum = sums[j];
        assert!((support - sum).abs() < 1e-4, "{name}: {support} and not {sum}");
    }
}

#[test]
fn the_maps_lead_to_the_same_scores() {
    let (network, data) = networks().swap_remove(1);
    let encoded = network.representation.encode(data.samples()).unwrap();
    let batch = network.representation.batch(&encoded, &[0, 1], &network.device).plain();
    let generator = network.network.generator();
    let maps = generator.maps(&batch.x).unwrap();
    let by_maps = network.network.scores(&batch, generator.forward_maps(maps, &batch.active));
    let by_maps: Vec<f64> = by_maps.into_data().iter::<f64>().collect();
    for (own, found) in network.scores(data.samples()).unwrap().iter().zip(by_maps) {
        assert!((own[0] - found).abs() < 1e-4, "{own:?} and {found}");
    }
    let cells = &network.grad_cam(data.samples()).unwrap()[0];
    assert_eq!(cells.len(), 49);
    assert!(cells.iter().all(|(_, heat)| *heat >= 0.0));
}

/// Two maps of 1×2; the first supports the class with mean gradient 0.5, the second counts against it.
#[test]
fn the_heat_of_two_maps_by_hand() {
    let device = Device::default();
    let maps = Tensor::<4>::from_data([[[[2.0, 1.0], [1.0, 4.0]]]], &device);
    let gradient = Tensor::<4>::from_data([[[[1.0, 0.0], [0.0, -1.0]]]], &device);
    // α = 0.5 and −0.5: 0.5·2 − 0.5·1 = 0.5, and 0.5·1 − 0.5·4 < 0.
    assert_eq!(heat(maps, gradient), [[[0.5, 0.0]]]);
}

#[test]
fn maps_are_interpolated_between_their_centres() {
    // Four pixels over two positions, whose centres are at 0.5 and 2.5 of the pixels' borders.
    let weights = |at| between(at, 4, 2).map(|(_, weight)| weight);
    assert_eq!(weights(0), [1.0, 0.0]);
    assert_eq!(weights(1), [0.75, 0.25]);
    assert_eq!(weights(2), [0.25, 0.75]);
    assert_eq!(between(3, 4, 2)[0].0, 1);
}
