//! The network and the loss.

use super::super::loss::{CrossEntropies, divergence, one_hot};
use super::*;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// In training an image whose experts are all dropped has no attention at all.
    #[test]
    fn attention_is_positive_and_sums_to_one(
        (rows, columns, channels) in (1_usize..4, 1_usize..4, 1_usize..4),
        classes in 2_usize..5,
        seed in any::<u64>(),
        training in any::<bool>(),
    ) {
        let images = images(3, size(4 * rows, 4 * columns, channels), seed);
        let made = Made::new(&images, [3, 5], classes, seed);
        let dropout = match training {
            true => Dropout::on(stream(seed, Purpose::Dropout, 0, 0)),
            false => Dropout::off(),
        };
        let forward = made.forward(&images, dropout);
        for (a, y) in to_rows(forward.attention).into_iter().zip(to_rows(forward.prediction)) {
            let dropped = training && a.iter().all(|a| *a == 0.0);
            let whole = if dropped { 0.0 } else { 1.0 };
            prop_assert!(a.iter().all(|a| *a >= 0.0));
            prop_assert!((a.iter().sum::<f32>() - whole).abs() < 1e-6, "{a:?}");
            prop_assert!((y.iter().sum::<f32>() - whole).abs() < 1e-6, "{y:?}");
        }
    }

    /// A pixel changes its own expert and no other.
    #[test]
    fn experts_see_only_their_own_patch(
        (y, x, channel) in (0_usize..8, 0_usize..12, 0_usize..2),
        seed in any::<u64>(),
    ) {
        let before = images(2, size(8, 12, 2), seed);
        let made = Made::new(&before, [3, 5], 3, seed);
        let mut pixels = before.pixels().to_vec();
        let pixel = &mut pixels[(y * 12 + x) * 2 + channel];
        *pixel = pixel.wrapping_add(128);
        let after = Images::new(before.size(), pixels).unwrap();
        let [before, after] = [before, after].map(|images| made.forward(&images, Dropout::off()));
        let own = y / 4 * 3 + x / 4;
        let parts = |values: &Tensor<3>| -> Vec<Vec<f32>> {
            let width = values.dims()[2];
            numbers(values).chunks(width).map(<[f32]>::to_vec).collect()
        };
        for (before, after) in [(&before.h, &after.h), (&before.log_p, &after.log_p)] {
            for (at, (before, after)) in parts(before).iter().zip(&parts(after)).enumerate() {
                prop_assert_eq!(before != after, at == own, "expert {} of both images", at);
            }
        }
    }
}

/// Against Burn's own convolution; h are sums of up to 16 products.
#[test]
fn experts_are_two_convolutions_with_stride_two() {
    let (batch, [height, width, channels]) = (2, [8, 12, 3]);
    let images = images(batch, size(height, width, channels), 3);
    let made = Made::new(&images, [4, 5], 2, 3);
    let h = made.forward(&images, Dropout::off()).h;
    let pixels: Vec<f64> = images.pixels().iter().map(|&p| f64::from(p) / 255.0).collect();
    let mean = pixels.iter().sum::<f64>() / pixels.len() as f64;
    let variance = pixels.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / pixels.len() as f64;
    let scaled: Vec<f32> = pixels.iter().map(|p| ((p - mean) / variance.sqrt()) as f32).collect();
    let data = TensorData::new(scaled, [batch, height, width, channels]);
    let mut x = Tensor::<4>::from_data(data, &made.device).permute([0, 3, 1, 2]);
    for (layer, inputs, outputs) in [(&made.network.first, 3, 4), (&made.network.second, 4, 5)] {
        let kernel = layer.weight.val().reshape([2, 2, inputs, outputs]).permute([3, 2, 0, 1]);
        let options = ConvOptions::new([2, 2], [0, 0], [1, 1], 1);
        x = conv2d(x, kernel, Some(layer.bias.val()), options);
        x = x.clone().mask_where(x.clone().lower_elem(0.0), x.exp().sub_scalar(1.0));
    }
    let expected = x.permute([0, 2, 3, 1]).reshape([2, 6, 5]);
    let near = |(a, b): (f32, f32)| (a - b).abs() < 1e-5;
    assert!(numbers(&h).into_iter().zip(numbers(&expected)).all(near));
}

/// Another h_i changes every auxiliary head but the one without i, and that one has no gradient.
#[test]
fn a_leave_one_out_head_does_not_see_its_expert() {
    let images = images(1, size(8, 8, 1), 5);
    let network = Made::new(&images, [3, 5], 3, 5).network;
    let device = Device::default().autodiff();
    let h = random([2, 4, 5], 1, &device);
    let before = network.auxiliary(h.clone());
    for i in 0..4 {
        let other = h.clone().slice_assign([0..2, i..i + 1, 0..5], random([2, 1, 5], 2, &device));
        let after = network.auxiliary(other);
        for head in 0..5 {
            let of = |p: &Tensor<3>| numbers(&p.clone().slice([0..2, head..head + 1, 0..3]));
            assert_eq!(of(&before) == of(&after), head == i, "expert {i}, head {head}");
        }
    }
    let loss = (before * random([2, 5, 3], 3, &device)).sum();
    let gradient = numbers(&network.auxiliary.val().grad(&loss.backward()).unwrap());
    for (at, gradient) in gradient.into_iter().enumerate() {
        let (expert, head) = (at / (5 * 15), at % 15 / 3);
        assert_eq!(gradient == 0.0, expert == head, "expert {expert}, head {head}");
    }
}

/// The gradients of the loss by all parameters.
fn gradients(network: &MixtureNetwork, loss: &Tensor<1>) -> Vec<Vec<f32>> {
    let g = loss.backward();
    vec![
        numbers(&network.first.weight.grad(&g).unwrap()),
        numbers(&network.first.bias.grad(&g).unwrap()),
        numbers(&network.second.weight.grad(&g).unwrap()),
        numbers(&network.second.bias.grad(&g).unwrap()),
        numbers(&network.own.grad(&g).unwrap()),
        numbers(&network.own_bias.grad(&g).unwrap()),
        numbers(&network.context.grad(&g).unwrap()),
        numbers(&network.scale.grad(&g).unwrap()),
        numbers(&network.auxiliary.grad(&g).unwrap()),
        numbers(&network.auxiliary_bias.grad(&g).unwrap()),
    ]
}

#[test]
fn no_gradient_goes_through_the_granger_target() {
    let images = images(4, size(8, 8, 1), 7);
    let made = Made::new(&images, [3, 5], 2, 7);
    let truth = one_hot(&[0, 1, 1, 0], 2, &made.device);
    let run = |constant: Option<Vec<f32>>| {
        let forward = made.forward(&images, Dropout::off());
        let errors = CrossEntropies::of(&made.network, &forward, &truth);
        let target = match constant {
            None => errors.granger_target(),
            Some(values) => Tensor::from_data(TensorData::new(values, [4, 4]), &made.device),
        };
        let loss = errors.loss(&made.network, forward.attention.clone(), 0.5, Some(target.clone()));
        (numbers(&target), gradients(&made.network, &loss))
    };
    let (target, with_target) = run(None);
    assert!(target.iter().any(|w| *w > 0.3), "the target is not at its floor: {target:?}");
    assert_eq!(with_target, run(Some(target)).1);
}

/// Every part of the loss by hand, in f64.
#[test]
fn the_loss_has_all_its_parts() {
    let images = images(3, size(8, 4, 1), 9);
    let made = Made::new(&images, [3, 5], 3, 9);
    let labels = [2, 0, 1];
    let alpha = 0.25;
    let forward = made.forward(&images, Dropout::off());
    let errors = CrossEntropies::of(&made.network, &forward, &one_hot(&labels, 3, &made.device));
    let target = errors.granger_target();
    let loss: f64 =
        errors.loss(&made.network, forward.attention.clone(), alpha, Some(target)).into_scalar();

    let cross_entropies = |p: Tensor<3>| -> Vec<Vec<f64>> {
        let heads = p.dims()[1];
        let values: Vec<f64> = numbers(&p).into_iter().map(f64::from).collect();
        let sample = |(i, sample): (usize, &[f64])| {
            sample.chunks(3).map(|p| -p[labels[i]]).collect::<Vec<f64>>()
        };
        values.chunks(heads * 3).enumerate().map(sample).collect()
    };
    let auxiliary = made.network.auxiliary(forward.h);
    let (own, auxiliary) = (cross_entropies(forward.log_p), cross_entropies(auxiliary));
    let (prediction, attention) = (to_rows(forward.prediction), to_rows(forward.attention));
    let mut expected = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        let (without, all) = (&auxiliary[i][..2], auxiliary[i][2]);
        let delta: Vec<f64> = without.iter().map(|w| (w - all).max(1e-7)).collect();
        let kl = |(d, a): (&f64, &f32)| {
            let w = d / delta.iter().sum::<f64>();
            w * (w / f64::from(*a)).ln()
        };
        let granger: f64 = delta.iter().zip(&attention[i]).map(kl).sum();
        let heads: f64 = own[i].iter().chain(&auxiliary[i]).sum();
        let prediction = -f64::from(prediction[i][label]).ln();
        expected += ((1.0 - alpha) * prediction + alpha * granger + heads) / 3.0;
    }
    let kernels = [&made.network.first.weight, &made.network.second.weight];
    let squares: f64 =
        kernels.iter().flat_map(|k| numbers(&k.val())).map(|w| f64::from(w).powi(2)).sum();
    assert!((loss - expected - 0.01 * squares).abs() < 1e-5, "{loss} {expected} {squares}");
}

/// The penalty's gradient is 2 W for both kernels; nothing else has one.
#[test]
fn the_penalty_covers_exactly_the_kernels() {
    let network = Made::new(&images(1, size(8, 8, 1), 11), [3, 5], 2, 11).network;
    let g = network.kernel_squares().backward();
    for kernel in [&network.first.weight, &network.second.weight] {
        let twice: Vec<f32> = numbers(&kernel.val()).iter().map(|w| 2.0 * w).collect();
        assert_eq!(numbers(&kernel.grad(&g).unwrap()), twice);
    }
    assert!(network.first.bias.grad(&g).is_none() && network.second.bias.grad(&g).is_none());
    assert!(network.own.grad(&g).is_none() && network.own_bias.grad(&g).is_none());
    assert!(network.context.grad(&g).is_none() && network.scale.grad(&g).is_none());
    assert!(network.auxiliary.grad(&g).is_none() && network.auxiliary_bias.grad(&g).is_none());
}

/// KL is zero where both are equal, and finite where dropout has closed an expert.
#[test]
fn divergence_of_equal_and_of_closed_attention() {
    let device = Device::default();
    let kl = |a: [f32; 2], b: [f32; 2]| -> f64 {
        divergence(Tensor::from_data([a], &device), Tensor::from_data([b], &device)).into_scalar()
    };
    assert!(kl([0.25, 0.75], [0.25, 0.75]).abs() < 1e-7);
    assert!((kl([0.5, 0.5], [0.25, 0.75]) - 0.5 * (4.0_f64 / 3.0).ln()).abs() < 1e-6);
    assert!((kl([0.5, 0.5], [0.0, 1.0]) - 0.5 * (0.25 / 1e-7_f64).ln()).abs() < 1e-5);
}
