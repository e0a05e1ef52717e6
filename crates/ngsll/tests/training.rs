//! Training end to end on small data made here: repeatable, resumable, exact.

mod common;

use common::small::{
    With, bars, classes3, config, fit, go_on, orders, regression, setup, table, texts, whole,
    with_k, with_seed,
};
use ngsll::config::Task;
use ngsll::examples::{Example, Input};
use ngsll::generator::Dropout;
use ngsll::network::Gating;
use ngsll::train::{Checkpoints, Event, Preset, Weights, weights_of};
use ngsll::{
    Config, Dataset, Device, Error, Fitted, Model, ModelFolder, Notes, Samples, TrainingSetup,
};
use std::ops::ControlFlow;

fn weights(fitted: &Fitted) -> Weights {
    weights_of(fitted.model.network())
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let (text, table) = (orders(120), table(120));
    for (config, data) in
        [(config(Task::Text), &text), (config(Task::Tabular), &table), (whole(Task::Text), &text)]
    {
        let first = weights(&fit(config.clone(), data));
        assert_eq!(first, weights(&fit(config.clone(), data)));
        assert_ne!(first, weights(&fit(with_seed(config, 1), data)));
    }
}

/// Moving images changes the course, and only as far as seed, stage, epoch and step say.
#[test]
fn moved_images_are_repeatable_and_resumable_and_off_by_choice() {
    let (config, data) = (whole(Task::Image), bars(120, 10, 9));
    let still = weights(&fit(config.clone(), &data));
    let with = |shift: &str| config.with("training.shift", shift).unwrap();
    // The default is off at this size.
    assert_eq!(still, weights(&fit(with("0"), &data)));
    let moved = weights(&fit(with("2"), &data));
    assert_ne!(still, moved);
    let setup = setup(with("2"), &data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::new(folder.path().join("c"), setup.fingerprint());
    let stopped = setup.fit(Some(&checkpoints), &mut |event| match event {
        Event::Step { stage: 1, step: 3, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    let resumed = setup.fit(Some(&checkpoints), &mut go_on).unwrap();
    assert_eq!(moved, weights(&resumed));
}

#[test]
fn the_shift_of_images_depends_on_their_size_and_the_preset() {
    let shift = |config: Config, data: &Dataset| {
        let resolved = setup(config, data).unwrap().resolved_toml().unwrap();
        let line = resolved.lines().find_map(|line| line.strip_prefix("shift = "));
        line.unwrap().parse::<usize>().unwrap()
    };
    let large = bars(40, 30, 28);
    assert_eq!(shift(config(Task::Image), &large), 2);
    assert_eq!(shift(config(Task::Image).with("training.preset", "paper").unwrap(), &large), 0);
    assert_eq!(shift(config(Task::Image).with("training.shift", "9").unwrap(), &large), 9);
    assert_eq!(shift(config(Task::Text), &orders(40)), 0);
    for (task, data, value, expected) in [
        (Task::Image, bars(40, 10, 9), "9", "below 9"),
        (Task::Text, orders(40), "1", "only images"),
    ] {
        let config = config(task).with("training.shift", value).unwrap();
        let error = setup(config, &data).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Images with a second block that has its own way of convolving, texts, and tables.
#[test]
fn the_number_of_threads_does_not_change_a_bit_of_the_weights() {
    let wide = |config: Config| config.with("generator.channels", "[16, 16]").unwrap();
    let (images, texts, table) = (bars(320, 10, 9), orders(320), table(320));
    let cases = [
        (wide(whole(Task::Image)), &images),
        (wide(config(Task::Image)), &images),
        (whole(Task::Text), &texts),
        (config(Task::Text), &texts),
        (whole(Task::Tabular), &table),
        (config(Task::Tabular), &table),
    ];
    for (config, data) in cases {
        let config = config.with("training.epochs", "5").unwrap();
        // Enough for three shards of a table, and for a dozen of the others.
        let config = config.with("training.batch_size", "200").unwrap();
        let with_threads = |n: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| weights(&fit(config.clone(), data)))
        };
        let one = with_threads(1);
        assert_eq!(one, with_threads(3));
        assert_eq!(one, with_threads(16));
    }
}

/// One step on all samples, in two shards of unequal weight, that moves nothing to speak of: the
/// loss it reports is that of the samples as a whole.
#[test]
fn the_loss_of_shards_is_the_loss_of_their_batch() {
    let rows = |i: usize| (format!("w{} w{}", i % 5, i % 3), ["few", "many"][usize::from(i >= 7)]);
    let data = texts((0..45).map(rows).collect());
    let mut config = whole(Task::Text).with("generator.dropout", "0").unwrap();
    config = config.with("training.class_weights", "balanced").unwrap();
    config.training.batch_size = Some(45);
    let mut stage = Preset::Annealed.stages(config.k, 1).remove(0);
    (stage.k, stage.temperature, stage.learning_rate) = (config.k, 0.0, 1e-12);
    config.training.stages = Some(vec![stage]);
    let options = config.check().unwrap();
    let setup = TrainingSetup::new(options, &data, Some(&data), &Device::default()).unwrap();
    let fitted = setup.fit(None, &mut go_on).unwrap();
    let [epoch] = &fitted.history[..] else { panic!("there is one epoch") };
    let (found, expected) = (epoch.train_loss, epoch.valid_loss);
    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn a_training_that_diverges_says_so() {
    for (mut config, data) in [
        (whole(Task::Image), bars(80, 10, 9)),
        (whole(Task::Text), orders(80)),
        (config(Task::Image), bars(80, 10, 9)),
        (config(Task::Tabular), table(80)),
    ] {
        config.training.epochs = Some(5);
        let mut stages = config.stages(config.k, 80);
        stages.iter_mut().for_each(|stage| stage.learning_rate = 1e30);
        config.training.stages = Some(stages);
        let end = setup(config, &data).unwrap().fit(None, &mut go_on);
        let message = end.unwrap_err().to_string();
        assert!(message.contains("is not a finite number"), "{message}");
    }
}

#[test]
fn a_run_stopped_in_the_middle_of_a_stage_resumes_to_the_same_weights() {
    // Stop in the second epoch of the first stage, after its first step, and once more in stage 3.
    stopped_and_resumed(whole(Task::Text), &orders(120), &[(0, 1, 1), (2, 0, 2)]);
}

/// The step size comes down along a cosine: a resumed run goes on at that of its epoch, in the middle of
/// one, after its last step and at its first.
#[test]
fn a_run_stopped_in_the_middle_of_an_epoch_resumes_at_that_epoch_s_step_size() {
    let stops = [(0, 0, 2), (0, 3, 1), (0, 4, 6), (0, 5, 1), (0, 9, 3)];
    stopped_and_resumed(config(Task::Text), &orders(120), &stops);
    // So few rows would be trained as long as cross-validation says, which may be no epoch at all.
    let mut tabular = config(Task::Tabular);
    tabular.training.stages = Some(tabular.stages(tabular.k, 108));
    stopped_and_resumed(tabular, &table(120), &stops);
}

/// Trains, with stops at the given stages, epochs and steps, to the weights of a training without.
fn stopped_and_resumed(config: Config, data: &Dataset, stops: &[(usize, usize, usize)]) {
    let whole = fit(config.clone(), data);
    let setup = setup(config, data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::new(folder.path().join("c"), setup.fingerprint());
    for &stop in stops {
        let stopped = setup.fit(Some(&checkpoints), &mut |event| match event {
            Event::Step { stage, epoch, step, .. } if (stage, epoch, step) == stop => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        assert!(checkpoints.exists());
    }
    let resumed = setup.fit(Some(&checkpoints), &mut go_on).unwrap();
    assert_eq!(weights(&whole), weights(&resumed));
    assert_eq!(whole.history, resumed.history);
}

/// Ctrl-C while a table's terms are learned.
#[test]
fn terms_that_are_broken_off_add_up() {
    let (config, data) = (config(Task::Tabular), table(300));
    let whole = fit(config.clone(), &data).model;
    for stop in [1, 7] {
        let mut steps = 0;
        let mut hear = |event: Event<'_>| match event {
            Event::Terms { step, .. } => {
                steps = step;
                if step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            _ => ControlFlow::Continue(()),
        };
        let fresh = setup(config.clone(), &data).unwrap();
        assert!(matches!(fresh.fit(None, &mut hear), Err(Error::Interrupted)));
        let kept = fresh.keeping_when_stopped().fit(None, &mut hear).unwrap().model;
        assert_eq!(steps, stop);
        // The predicting networks are unchanged, and the one that divides the score has learned less.
        let part = |model: &Model, part: &str| -> Weights {
            let own = weights_of(model.network()).into_iter();
            own.filter(|(name, _)| name.starts_with(part)).collect()
        };
        assert_eq!(part(&kept, "generator."), part(&whole, "generator."));
        assert_ne!(part(&kept, "explainer."), part(&whole, "explainer."));
        for explained in kept.explain(&data).unwrap() {
            let output = &explained.outputs[0];
            let sum: f64 = output.terms.iter().map(|term| term.contribution).sum();
            assert!((output.intercept + sum - output.score).abs() < 1e-9);
        }
    }
}

#[test]
fn a_checkpoint_of_other_data_or_options_is_refused() {
    let data = orders(120);
    let folder = tempfile::tempdir().unwrap();
    let checkpoints =
        |p: &TrainingSetup| Checkpoints::new(folder.path().join("c"), p.fingerprint());
    let first = setup(config(Task::Text), &data).unwrap();
    let stop = &mut |_: Event<'_>| ControlFlow::Break(());
    first.fit(Some(&checkpoints(&first)), stop).unwrap_err();
    for other in [
        setup(with_seed(config(Task::Text), 3), &data).unwrap(),
        setup(config(Task::Text), &orders(121)).unwrap(),
    ] {
        let error = other.fit(Some(&checkpoints(&other)), stop).unwrap_err();
        assert!(error.to_string().contains("other data or options"), "{error}");
    }
}

#[test]
fn models_of_several_k_equal_those_trained_alone() {
    let (config, data) = (whole(Task::Tabular), table(200));
    let mut together = Vec::new();
    setup(config.clone(), &data)
        .unwrap()
        .fit_each(&[1, 3], &mut go_on, &mut |fitted| {
            together.push(fitted);
            Ok(())
        })
        .unwrap();
    for (k, fitted) in [1, 3].into_iter().zip(&together) {
        let alone = fit(with_k(config.clone(), k), &data);
        assert_eq!(weights(fitted), weights(&alone), "K = {k}");
        assert_eq!(fitted.model.k(), k);
    }
}

/// The scores of the network's own forward pass, in the user's units.
fn forward_scores(model: &Model, samples: &Samples, k: usize) -> Vec<f64> {
    let representation = model.representation();
    let rows: Vec<usize> = (0..samples.len()).collect();
    let encoded = representation.encode(samples).unwrap();
    let batch = representation.batch(&encoded, &rows, &Device::default());
    let forward = model.network().forward(&batch, Gating::Hard { k }, &mut Dropout::off()).unwrap();
    let (factor, offset) = model.objective().units();
    forward.scores.into_data().iter::<f64>().map(|score| score * factor + offset).collect()
}

/// Explanations and training compute ŷ separately: the terms must add up to what the network says,
/// for every kind of sample, for one gate per class and one for all, at every k. The same for predictions
/// from chosen features is in `evidence.rs`.
#[test]
fn the_terms_of_an_explanation_add_up_to_the_network_s_own_score() {
    let gate = |scope: &str| whole(Task::Tabular).with("training.gate", scope).unwrap();
    let text3 = |i: usize| (format!("w{} w{} w{}", i % 3, i % 5, i % 7), ["a", "b", "c"][i % 3]);
    for (config, data) in [
        (whole(Task::Text), orders(120)),
        (whole(Task::Text), texts((0..120).map(text3).collect())),
        (whole(Task::Image), bars(120, 10, 9)),
        (whole(Task::Tabular), table(150)),
        (whole(Task::Tabular), regression(150)),
        (gate("per-class"), classes3(150)),
        (gate("shared"), classes3(150)),
    ] {
        let model = fit(config, &data).model;
        for k in 1..=model.k() {
            let scores = forward_scores(&model, data.samples(), k);
            let explanations = model.explain_with(&data, Some(k)).unwrap();
            let outputs: Vec<_> = explanations.iter().flat_map(|e| &e.outputs).collect();
            assert_eq!(outputs.len(), scores.len());
            for (output, score) in outputs.into_iter().zip(scores) {
                assert!(output.terms.len() <= k);
                let sum: f64 = output.terms.iter().map(|t| t.contribution).sum();
                let sum = output.intercept + sum;
                assert!(
                    (sum - score).abs() < 1e-5 * score.abs().max(1.0),
                    "{output:?} instead of {score}"
                );
                assert!((sum - output.score).abs() < 1e-9 * score.abs().max(1.0), "{output:?}");
                let sizes: Vec<f64> = output.terms.iter().map(|t| t.contribution.abs()).collect();
                assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
            }
        }
        let metrics = model.evaluate(&data).unwrap();
        assert!(metrics.features_max <= model.k());
        // The reported difference exists, but is within single precision.
        let unit = model.objective().units().0;
        assert!((0.0..1e-4 * unit.max(1.0)).contains(&metrics.sum_difference_max), "{metrics:?}");
        let error = model.explain_with(&data, Some(99)).unwrap_err();
        assert!(error.to_string().contains("the K that this model was trained with"), "{error}");
    }
}

/// A prediction is the explanation's, whether terms are built or not.
#[test]
fn predictions_are_those_of_the_explanations() {
    for (config, data) in [
        (config(Task::Text), orders(60)),
        (config(Task::Image), bars(60, 10, 9)),
        (config(Task::Tabular), classes3(60)),
        (config(Task::Tabular), regression(60)),
        (whole(Task::Text), orders(60)),
        (whole(Task::Tabular), classes3(60)),
        (whole(Task::Tabular), regression(60)),
    ] {
        let model = fit(config.with("training.epochs", "2").unwrap(), &data).model;
        for k in 1..=model.k() {
            let explained = model.explain_with(&data, Some(k)).unwrap();
            let explained: Vec<_> = explained.into_iter().map(|e| e.prediction).collect();
            assert_eq!(model.predict_with(&data, Some(k)).unwrap(), explained);
        }
    }
}

#[test]
fn a_prediction_does_not_depend_on_its_batch() {
    let (texts, images, table) = (orders(120), bars(120, 10, 9), table(120));
    for (config, data) in [
        (config(Task::Text), &texts),
        (config(Task::Image), &images),
        (config(Task::Tabular), &table),
        (whole(Task::Text), &texts),
    ] {
        let model = fit(config, data).model;
        let together = model.explain(data).unwrap();
        for row in [0, 7, 30] {
            let alone = model.explain(data.select(&[row])).unwrap();
            let (a, b) = (&together[row].outputs[0], &alone[0].outputs[0]);
            assert!((a.score - b.score).abs() < 1e-5, "{} against {}", a.score, b.score);
            assert_eq!(a.terms[0].name, b.terms[0].name);
        }
    }
}

/// The only other device that every machine has is the CPU with autodiff.
#[test]
fn a_model_explains_the_same_on_the_device_it_is_loaded_onto() {
    let data = table(120);
    for config in [config(Task::Tabular), whole(Task::Tabular)] {
        let model = fit(config, &data).model;
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("model");
        model.save(&folder).unwrap();
        let expected = model.explain(&data).unwrap();
        for device in [Device::default(), Device::default().autodiff()] {
            let loaded = Model::load_on(&folder, &device).unwrap();
            assert_eq!(loaded.explain(&data).unwrap(), expected);
            assert_eq!(weights_of(loaded.network()), weights_of(model.network()));
        }
    }
}

#[test]
fn a_saved_model_explains_as_before_and_a_changed_byte_is_refused() {
    let data = table(150);
    let model = fit(config(Task::Tabular), &data).model;
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("model");
    let example = |label: &str| Example::new(Input::Text("x".into()), label);
    let mut notes = Notes::default();
    notes.examples = vec![example("yes"), example("no")];
    notes.facts = vec![("data".into(), "made here".into())];
    let model = model.with_notes(notes.clone());
    model.save(&folder).unwrap();
    assert_eq!(*ModelFolder::open(&folder).unwrap().notes(), notes);
    let loaded = Model::load(&folder).unwrap();
    assert_eq!(*loaded.notes(), notes);
    let explain = |model: &Model| model.explain(&data).unwrap();
    assert_eq!(explain(&model), explain(&loaded));
    let again = model.save(&folder).unwrap_err();
    assert!(again.to_string().contains("already exists"), "{again}");
    let without = temporary.path().join("without");
    model.clone().with_notes(Notes::default()).save(&without).unwrap();
    assert!(!without.join("examples.json").exists());
    assert_eq!(ModelFolder::open(&without).unwrap().notes().examples, []);
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
        let error = Model::load(&folder).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("checksum"), "{error}");
        std::fs::write(&path, &whole[1..]).unwrap();
        let error = Model::load(&folder).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("bytes"), "{error}");
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(Model::load(&folder).is_ok());
}
