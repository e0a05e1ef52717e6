//! The training loop, and the models it returns.

use super::super::loss::{CrossEntropies, divergence, one_hot};
use super::*;

const SIZE: ImageSize = ImageSize { width: 12, height: 8, channels: 1 };

/// Noise, and in each patch an upright or a level bar that tells the class as often as it is
/// reliable.
fn images_with_bars(n: usize, reliable: [f64; 6], seed: u64) -> (Images, Vec<usize>) {
    let mut pixels = noise(n * SIZE.bytes(), seed);
    let mut rng = stream(seed, Purpose::Sample, 2, 0);
    let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
    for (image, label) in pixels.chunks_mut(SIZE.bytes()).zip(&labels) {
        for (patch, reliable) in reliable.into_iter().enumerate() {
            let upright = (*label == 0) == rng.random_bool(reliable);
            for (y, x) in (0..4).flat_map(|y| (0..4).map(move |x| (y, x))) {
                let along = if upright { x } else { y };
                let at = (patch / 3 * 4 + y) * 12 + patch % 3 * 4 + x;
                image[at] = if along == 1 { 200 } else { 20 } + image[at] / 10;
            }
        }
    }
    (Images::new(SIZE, pixels).unwrap(), labels)
}

/// One patch tells the class.
fn bars(n: usize, seed: u64) -> (Images, Vec<usize>) {
    images_with_bars(n, [0.5, 0.5, 0.5, 0.5, 1.0, 0.5], seed)
}

fn config() -> AmeConfig {
    let filters = [6, 8];
    AmeConfig { filters, batch_size: 20, learning_rate: 3e-3, max_epochs: 12, ..Default::default() }
}

fn go_on(_: AmeEvent<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_pattern_is_learned() {
    let [(train, labels), (valid, valid_labels), (test, test_labels)] =
        [(400, 1), (100, 2), (200, 3)].map(|(n, seed)| bars(n, seed));
    let train = LabelledImages { images: &train, labels: &labels };
    let valid = LabelledImages { images: &valid, labels: &valid_labels };
    let ame = Ame::fit(&config(), train, valid, 2, &mut go_on).unwrap();
    let accuracy = ame.accuracy(LabelledImages { images: &test, labels: &test_labels }).unwrap();
    assert!(accuracy > 0.97, "accuracy {accuracy}, {:?}", ame.history);
    let p = ame.predict(&test).unwrap();
    assert!(p.iter().all(|p| p.len() == 2 && (p[0] + p[1] - 1.0).abs() < 1e-6));
    let attention = ame.attention(&test).unwrap();
    assert_eq!(ame.experts(), 6);
    assert!(attention.iter().all(|a| a.len() == 6 && a[4] > 0.5), "the expert that knows");
}

/// Where several patches tell something, attention that only serves ŷ goes its own way.
#[test]
fn the_granger_objective_draws_the_attention_to_its_target() {
    let reliable = [0.9, 0.8, 0.7, 0.5, 0.5, 0.5];
    let [(train, labels), (valid, valid_labels)] =
        [(400, 1), (100, 2)].map(|(n, seed)| images_with_bars(n, reliable, seed));
    let train = LabelledImages { images: &train, labels: &labels };
    let valid = LabelledImages { images: &valid, labels: &valid_labels };
    let kl = |alpha: f64| {
        let config = AmeConfig { alpha, max_epochs: 20, ..config() };
        let ame = Ame::fit(&config, train, valid, 2, &mut go_on).unwrap();
        let mut kl = f64::NAN;
        ame.each_batch(valid.images, |_, forward| {
            let truth = one_hot(valid.labels, 2, &Device::default());
            let errors = CrossEntropies::of(&ame.network, &forward, &truth);
            kl = divergence(errors.granger_target(), forward.attention).into_scalar();
        })
        .unwrap();
        kl
    };
    let (without, with) = (kl(0.0), kl(0.05));
    assert!(with < 0.8 * without, "{with} against {without}");
}

/// Products of these sizes are shared out to threads.
#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let (images, labels) = bars(200, 4);
    let part = LabelledImages { images: &images, labels: &labels };
    let run = |seed: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let config = AmeConfig { alpha: 0.05, max_epochs: 1, seed, ..Default::default() };
        let ame = pool.install(|| Ame::fit(&config, part, part, 2, &mut go_on).unwrap());
        (ame.predict(&images).unwrap(), ame.history)
    };
    let one = run(1, 1);
    assert!(one == run(1, 3) && one == run(1, 1));
    assert!(one != run(2, 1));
}

/// Noise has nothing to teach, so the validation loss soon rises.
#[test]
fn the_rate_falls_training_ends_and_the_best_epoch_is_kept() {
    let (train, valid) = (images(60, SIZE, 5), images(60, SIZE, 6));
    let labels: Vec<usize> = (0..60).map(|i| i % 3).collect();
    let config = AmeConfig { rate_patience: 2, patience: 12, max_epochs: 200, ..config() };
    let (train, valid) = (
        LabelledImages { images: &train, labels: &labels },
        LabelledImages { images: &valid, labels: &labels },
    );
    let ame = Ame::fit(&config, train, valid, 3, &mut go_on).unwrap();
    let (mut best, mut plateau, mut rate, mut waited) = (f64::INFINITY, 0, 3e-3_f64, 0);
    for (i, epoch) in ame.history.iter().enumerate() {
        assert!(plateau < 12, "training went on after epoch {i}");
        assert_eq!((epoch.epoch, epoch.learning_rate), (i, rate));
        (plateau, waited) = (plateau + 1, waited + 1);
        if epoch.valid_loss < best {
            (best, plateau, waited) = (epoch.valid_loss, 0, 0);
        }
        if waited == 2 {
            (rate, waited) = ((rate * 0.1_f64.sqrt()).max(1e-5), 0);
        }
    }
    assert_eq!(plateau, 12);
    assert_eq!(rate, 1e-5);
    let responses = ame.predict(valid.images).unwrap();
    let errors = responses.iter().zip(&labels).map(|(p, &label)| -f64::from(p[label]).ln());
    assert!((errors.sum::<f64>() / 60.0 - best).abs() < 1e-5);
}

#[test]
fn training_can_be_stopped() {
    let (images, labels) = bars(60, 8);
    let part = LabelledImages { images: &images, labels: &labels };
    let mut steps = 0;
    let stopped = Ame::fit(&config(), part, part, 2, &mut |event| {
        assert!(matches!(event, AmeEvent::Step { epoch: 0, steps: 3, .. }));
        steps += 1;
        if steps == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(steps, 2);
}

#[test]
fn input_that_cannot_work_is_refused() {
    let (good, labels) = bars(10, 9);
    let part = LabelledImages { images: &good, labels: &labels };
    let refuse = |config: AmeConfig,
                  train: LabelledImages<'_>,
                  valid: LabelledImages<'_>,
                  classes: usize| {
        Ame::fit(&config, train, valid, classes, &mut go_on).unwrap_err().to_string()
    };
    let of = |images: &Images, labels: &[usize], expected: &str| {
        let error = refuse(config(), LabelledImages { images, labels }, part, 2);
        assert!(error.contains(expected), "{error}");
    };
    let odd = images(10, size(8, 10, 1), 1);
    of(&odd, &labels, "10×8 with 1 channel: sides that are multiples of 4");
    let none = Images::empty(SIZE).unwrap();
    of(&none, &[], "training images = 0");
    let grey = Images::new(SIZE, vec![7; 960]).unwrap();
    of(&grey, &labels, "all pixels are equal");
    let other = images(10, size(8, 8, 1), 1);
    of(&other, &labels, "12×8 with 1 channel: 8×8 with 1 channel, as in");
    of(&good, &labels[1..], "number of training labels = 9: one for each of the 10 images");
    of(&good, &[2; 10], "label of training image 1 = 2: the 2 classes are 0 to 1");

    let error = refuse(config(), part, LabelledImages { images: &good, labels: &[] }, 2);
    assert!(error.contains("number of validation labels = 0"), "{error}");
    assert!(refuse(config(), part, part, 1).contains("at least 2"));
    for (config, expected) in [
        (AmeConfig { filters: [0, 8], ..config() }, "filters = 0"),
        (AmeConfig { batch_size: 0, ..config() }, "batch_size = 0"),
        (AmeConfig { patience: 0, ..config() }, "patience = 0"),
        (AmeConfig { alpha: -0.1, ..config() }, "alpha = -0.1"),
        (AmeConfig { alpha: f64::NAN, ..config() }, "alpha = NaN"),
        (AmeConfig { learning_rate: 0.0, ..config() }, "learning_rate = 0"),
        (AmeConfig { min_learning_rate: f64::INFINITY, ..config() }, "min_learning_rate = inf"),
    ] {
        let error = refuse(config, part, part, 2);
        assert!(error.contains(expected), "{error}");
    }

    let short = AmeConfig { max_epochs: 1, ..config() };
    let ame = Ame::fit(&short, part, part, 2, &mut go_on).unwrap();
    assert!(ame.predict(&images(1, size(8, 8, 1), 1)).unwrap_err().to_string().contains("12×8"));
    assert!(ame.accuracy(LabelledImages { images: &good, labels: &[0; 9] }).is_err());
    assert!(ame.predict(&none).unwrap().is_empty());
}
