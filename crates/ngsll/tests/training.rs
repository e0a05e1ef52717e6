//! Training end to end on small data made here: repeatable, resumable, exact.

mod common;

use burn::tensor::Device;
use common::small::{bars, config, orders, table, texts};
use ngsll::config::Task;
use ngsll::data::Chunk;
use ngsll::examples::examples;
use ngsll::fit::{Fitted, Holdout, Prepared};
use ngsll::generator::Dropout;
use ngsll::model::Gating;
use ngsll::model_folder::{self, Notes};
use ngsll::train::{Checkpoints, Event, OptimizerKind, Preset, Stage, Weights, weights_of};
use ngsll::{Config, Error, Predictor};
use std::ops::ControlFlow;

fn prepared(config: Config, chunk: &Chunk) -> Prepared {
    Prepared::new(config, "label", chunk, Holdout::default()).unwrap()
}

fn fit(config: Config, chunk: &Chunk) -> Fitted {
    prepared(config, chunk).fit(None, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn weights(fitted: &Fitted) -> Weights {
    weights_of(fitted.predictor.model())
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let (config, chunk) = (config(Task::Text), orders(120));
    let first = weights(&fit(config.clone(), &chunk));
    assert_eq!(first, weights(&fit(config.clone(), &chunk)));
    assert_ne!(first, weights(&fit(Config { seed: 1, ..config }, &chunk)));
}

/// Moving images changes the course, and only as far as seed, stage, epoch and step say.
#[test]
fn moved_images_are_repeatable_and_resumable_and_off_by_choice() {
    let (config, chunk) = (config(Task::Image), bars(120, 10, 9));
    let still = weights(&fit(config.clone(), &chunk));
    let with = |shift: &str| config.with("training.shift", shift).unwrap();
    // The default is off at this size.
    assert_eq!(still, weights(&fit(with("0"), &chunk)));
    let moved = weights(&fit(with("2"), &chunk));
    assert_ne!(still, moved);
    let prepared = prepared(with("2"), &chunk);
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::new(folder.path().join("c"), prepared.fingerprint());
    let stopped = prepared.fit(Some(&checkpoints), &mut |event| match event {
        Event::Step { stage: 1, step: 3, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    let resumed = prepared.fit(Some(&checkpoints), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(moved, weights(&resumed));
}

#[test]
fn how_far_images_move_depends_on_their_size_and_the_preset() {
    let shift = |config: Config, chunk: &Chunk| {
        let prepared = prepared(config, chunk);
        prepared.config.training.shift(&prepared.representation).unwrap()
    };
    let large = bars(40, 30, 28);
    assert_eq!(shift(config(Task::Image), &large), 2);
    assert_eq!(shift(config(Task::Image).with("training.preset", "paper").unwrap(), &large), 0);
    assert_eq!(shift(config(Task::Image).with("training.shift", "9").unwrap(), &large), 9);
    assert_eq!(shift(config(Task::Text), &orders(40)), 0);
    for (task, chunk, value, expected) in [
        (Task::Image, bars(40, 10, 9), "9", "below 9"),
        (Task::Text, orders(40), "1", "only images"),
    ] {
        let config = config(task).with("training.shift", value).unwrap();
        let error = Prepared::new(config, "label", &chunk, Holdout::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Images with a second block that has its own way of convolving, texts, and tables.
#[test]
fn the_number_of_threads_does_not_change_a_bit_of_the_weights() {
    let image = config(Task::Image).with("generator.channels", "[16, 16]").unwrap();
    let cases = [
        (image, bars(160, 10, 9)),
        (config(Task::Text), orders(160)),
        (config(Task::Tabular), table(160)),
    ];
    for (config, chunk) in cases {
        let config = config.with("training.epochs", "5").unwrap();
        // Enough for more than one shard.
        let config = config.with("training.batch_size", "48").unwrap();
        let with_threads = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| weights(&fit(config.clone(), &chunk)))
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}

/// One step on all samples, in two shards of unequal weight, that moves nothing to speak of: the
/// loss it reports is that of the samples as a whole.
#[test]
fn the_loss_of_shards_is_the_loss_of_their_batch() {
    let rows = |i: usize| (format!("w{} w{}", i % 5, i % 3), ["few", "many"][usize::from(i >= 7)]);
    let chunk = texts((0..45).map(rows).collect());
    let mut config = config(Task::Text).with("generator.dropout", "0").unwrap();
    config = config.with("training.class_weights", "balanced").unwrap();
    config.training.batch_size = Some(45);
    let stage = Stage {
        k: config.k,
        temperature: 0.0,
        optimiser: OptimizerKind::Adam,
        learning_rate: 1e-12,
        max_epochs: 1,
        patience: 1,
    };
    config.training.stages = Some(vec![stage]);
    let holdout = Holdout { valid: Some(&chunk), ..Holdout::default() };
    let prepared = Prepared::new(config, "label", &chunk, holdout).unwrap();
    let fitted = prepared.fit(None, &mut |_| ControlFlow::Continue(())).unwrap();
    let [epoch] = &fitted.history[..] else { panic!("there is one epoch") };
    let (found, expected) = (epoch.train_loss, epoch.valid_loss);
    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn a_training_that_diverges_says_so() {
    for (task, chunk) in [(Task::Image, bars(80, 10, 9)), (Task::Text, orders(80))] {
        let mut config = config(task);
        let mut stages = Preset::Annealed.stages(config.k, 5);
        stages.iter_mut().for_each(|stage| stage.learning_rate = 1e30);
        config.training.stages = Some(stages);
        let end = prepared(config, &chunk).fit(None, &mut |_| ControlFlow::Continue(()));
        let message = end.unwrap_err().to_string();
        assert!(message.contains("is not a finite number"), "{message}");
    }
}

#[test]
fn a_run_stopped_in_the_middle_of_a_stage_resumes_to_the_same_weights() {
    let (config, chunk) = (config(Task::Text), orders(120));
    let whole = fit(config.clone(), &chunk);
    let prepared = prepared(config, &chunk);
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::new(folder.path().join("c"), prepared.fingerprint());
    // Stop in the second epoch of the first stage, after its first step, and once more in stage 3.
    for stop in [(0, 1, 1), (2, 0, 2)] {
        let stopped = prepared.fit(Some(&checkpoints), &mut |event| match event {
            Event::Step { stage, epoch, step, .. } if (stage, epoch, step) == stop => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        assert!(checkpoints.exists());
    }
    let resumed = prepared.fit(Some(&checkpoints), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(weights(&whole), weights(&resumed));
    assert_eq!(whole.history, resumed.history);
}

#[test]
fn a_checkpoint_of_other_data_or_options_is_refused() {
    let chunk = orders(120);
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = |p: &Prepared| Checkpoints::new(folder.path().join("c"), p.fingerprint());
    let first = prepared(config(Task::Text), &chunk);
    let stop = &mut |_: Event<'_>| ControlFlow::Break(());
    first.fit(Some(&checkpoints(&first)), stop).unwrap_err();
    for other in [
        prepared(Config { seed: 3, ..config(Task::Text) }, &chunk),
        prepared(config(Task::Text), &orders(121)),
    ] {
        let error = other.fit(Some(&checkpoints(&other)), stop).unwrap_err();
        assert!(error.to_string().contains("other data or options"), "{error}");
    }
}

#[test]
fn models_of_several_k_equal_those_trained_alone() {
    let (config, chunk) = (config(Task::Tabular), table(200));
    let mut together = Vec::new();
    prepared(config.clone(), &chunk)
        .fit_each(&[1, 3], &mut |_| ControlFlow::Continue(()), &mut |fitted| {
            together.push(fitted);
            Ok(())
        })
        .unwrap();
    for (k, fitted) in [1, 3].into_iter().zip(&together) {
        let alone = fit(Config { k, ..config.clone() }, &chunk);
        assert_eq!(weights(fitted), weights(&alone), "K = {k}");
        assert_eq!(fitted.predictor.k(), k);
    }
}

#[test]
fn contributions_add_up_and_are_at_most_k() {
    for (config, chunk) in [(config(Task::Text), orders(120)), (config(Task::Tabular), table(150))]
    {
        let fitted = fit(config, &chunk);
        for k in 1..=fitted.predictor.k() {
            for explanation in fitted.predictor.explain(&chunk.samples, Some(k)).unwrap() {
                for output in &explanation.outputs {
                    assert!(output.terms.len() <= k);
                    assert!(output.additivity_error() < 1e-5, "{output:?}");
                    let sizes: Vec<f64> =
                        output.terms.iter().map(|t| t.contribution.abs()).collect();
                    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
                }
            }
        }
        let error = fitted.predictor.explain(&chunk.samples, Some(99)).unwrap_err();
        assert!(error.to_string().contains("the K that this model was trained with"), "{error}");
    }
}

/// Explanations and training compute ŷ separately: they must mean the same.
#[test]
fn an_explained_score_is_the_network_s_score() {
    let chunk = table(150);
    let predictor = fit(config(Task::Tabular), &chunk).predictor;
    let representation = predictor.representation();
    let rows: Vec<usize> = (0..chunk.len()).collect();
    let batch = representation.batch(
        &representation.encode(&chunk.samples).unwrap(),
        &rows,
        &Device::default(),
    );
    let gating = Gating::Hard { k: predictor.k() };
    let forward = predictor.model().forward(&batch, gating, &mut Dropout::off()).unwrap();
    let scores: Vec<f64> = forward.scores.into_data().iter::<f64>().collect();
    for (explanation, score) in predictor.explain(&chunk.samples, None).unwrap().iter().zip(scores)
    {
        let explained = explanation.outputs[0].score;
        assert!(
            (explained - score).abs() < 1e-5 * score.abs().max(1.0),
            "{explained} instead of {score}"
        );
    }
}

#[test]
fn a_prediction_does_not_depend_on_its_batch() {
    let chunk = orders(120);
    let predictor = fit(config(Task::Text), &chunk).predictor;
    let together = predictor.explain(&chunk.samples, None).unwrap();
    for row in [0, 7, 30] {
        let alone = predictor.explain(&chunk.select(&[row]).samples, None).unwrap();
        let (a, b) = (&together[row].outputs[0], &alone[0].outputs[0]);
        assert!((a.score - b.score).abs() < 1e-5, "{} against {}", a.score, b.score);
        assert_eq!(a.terms[0].name, b.terms[0].name);
    }
}

#[test]
fn a_saved_model_explains_as_before_and_a_changed_byte_is_refused() {
    let chunk = table(150);
    let predictor = fit(config(Task::Tabular), &chunk).predictor;
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("model");
    let kept = examples(&chunk, &[3, 4, 5], predictor.objective(), 2).unwrap();
    let notes = Notes { examples: kept.clone(), ..Notes::default() };
    predictor.save(&folder, &notes).unwrap();
    assert_eq!(model_folder::examples(&folder).unwrap(), kept);
    let loaded = Predictor::load(&folder).unwrap();
    let explain = |p: &Predictor| p.explain(&chunk.samples, None).unwrap();
    assert_eq!(explain(&predictor), explain(&loaded));
    let again = predictor.save(&folder, &Notes::default()).unwrap_err();
    assert!(again.to_string().contains("exists already"), "{again}");
    let without = temporary.path().join("without");
    predictor.save(&without, &Notes::default()).unwrap();
    assert!(!without.join("examples.json").exists());
    assert_eq!(model_folder::examples(&without).unwrap(), []);
    let names = [
        "model.safetensors",
        "config.json",
        "columns.json",
        "train.toml",
        "README.md",
        "examples.json",
    ];
    for name in names {
        let path = folder.join(name);
        let whole = std::fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let error = Predictor::load(&folder).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("checksum"), "{error}");
        std::fs::write(&path, &whole[1..]).unwrap();
        let error = Predictor::load(&folder).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("bytes"), "{error}");
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(Predictor::load(&folder).is_ok());
}
