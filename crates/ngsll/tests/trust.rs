//! The judge, what it says about the terms of models, and the folders that keep it.

mod common;

use common::small::{
    With, bars, classes3, config, fit, go_on, orders, regression, table, texts, whole, with_k,
};
use ngsll::config::Task;
use ngsll::dataset::{Column, Table};
use ngsll::metrics::Quality;
use ngsll::random::{Purpose, stream};
use ngsll::train::weights_of;
use ngsll::{Config, Dataset, Device, Evidence, Judge, Model, ModelFolder, Trust};
use rand::RngExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// A judge for models of these options.
fn judge(config: &Config, data: &Dataset) -> Judge {
    let options = config.clone().check().unwrap();
    Judge::fit(options, data, None, &Device::default(), &mut go_on).unwrap()
}

/// Six numbers, of which one decides.
fn planted(n: usize, seed: u64) -> Dataset {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    let mut draw = || -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let values: Vec<Vec<f64>> = (0..6).map(|_| draw()).collect();
    let labels: Vec<&str> = values[2].iter().map(|&v| if v > 0.0 { "yes" } else { "no" }).collect();
    let name = |c: usize| format!("v{c}");
    let columns = values.iter().enumerate().map(|(c, v)| Column::numeric(name(c), v.clone()));
    Dataset::table(Table::new(columns.map(Result::unwrap)).unwrap(), labels).unwrap()
}

#[test]
fn the_judge_knows_what_a_planted_column_is_worth() {
    let (data, new) = (planted(1200, 1), planted(300, 2));
    let config = with_k(config(Task::Tabular), 1).with("training.epochs", "30").unwrap();
    let model = fit(config.clone(), &data).model;
    let named = |e: &ngsll::Explanation| e.outputs[0].terms[0].name == "v2";
    let found = model.explain(&new).unwrap().iter().filter(|e| named(e)).count();
    // Near its border the column says little, and any other may seem to say more.
    assert!(found >= 255, "{found} of 300");
    let judge = judge(&config, &data);
    let trust = Trust::measure(&model, &judge, &new, None).unwrap();
    let accuracy = |quality: Quality| quality.accuracy.unwrap();
    assert_eq!((trust.samples, trust.k), (300, 1));
    assert!(trust.contest_rate.is_some());
    assert!(accuracy(trust.own) > 0.93 && accuracy(trust.chosen) > 0.9, "{trust:?}");
    assert!(accuracy(trust.all) > 0.9, "{trust:?}");
    // One of six at random: half right, and right where it is the one.
    assert!(accuracy(trust.random) < 0.75, "{trust:?}");
    assert!((accuracy(trust.removed) - 0.5).abs() < 0.12, "{trust:?}");
    assert!(trust.encoding_gap.unwrap().abs() < 0.05, "{trust:?}");
    assert!(trust.removal.most_influential.unwrap() > 0.9, "{trust:?}");
    assert!(trust.removal.sign.unwrap() > 0.9, "{trust:?}");
    check(&trust);
    // The same again to the last bit.
    assert_eq!(Trust::measure(&model, &judge, &new, Some(1)).unwrap(), trust);
    // The others do not help, and are never chosen.
    let five = model.explain_with(&new, Some(5)).unwrap();
    assert!(five.iter().all(|e| e.outputs[0].terms.iter().all(|t| t.name == "v2")));
    // All columns as terms, where nothing is left out.
    let model = fit(config.with("training.screening", "false").unwrap(), &data).model;
    let all = Trust::measure(&model, &judge, &new, Some(6)).unwrap();
    assert_eq!(all.chosen, all.all);
    // No other features are left.
    assert_eq!(all.contest_rate, None);
    check(&all);
}

/// Every figure is what it is said to be.
fn check(trust: &Trust) {
    let share = |value: Option<f64>| {
        assert!(value.is_none_or(|value| (0.0..=1.0).contains(&value)), "{value:?} in {trust:?}");
    };
    for quality in [trust.own, trust.chosen, trust.random, trust.all, trust.removed] {
        share(quality.accuracy);
        share(quality.auroc);
        assert!(quality.accuracy.is_some() != quality.r2.is_some(), "{trust:?}");
        assert!(quality.r2.is_none_or(|r2| r2 <= 1.0), "{trust:?}");
    }
    let gap = trust.own.main().unwrap() - trust.chosen.main().unwrap();
    assert_eq!(trust.encoding_gap, Some(gap));
    share(trust.contest_rate);
    assert!(trust.contest_rate.is_none() || trust.own.accuracy.is_some());
    for what_if in &trust.what_if {
        share(what_if.sign);
        assert!(what_if.r2.is_none_or(|r2| r2 <= 1.0), "{trust:?}");
    }
    share(trust.removal.sign);
    share(trust.removal.most_influential);
    let rank = trust.removal.rank_correlation;
    assert!(rank.is_none_or(|rank| (-1.0..=1.0 + 1e-12).contains(&rank)), "{trust:?}");
    share(trust.stability);
    share(trust.seed_stability);
    let sentences = trust.sentences();
    assert!(sentences.iter().all(|s| !s.meaning.is_empty() && s.figure.parse::<f64>().is_ok()));
    assert_eq!(sentences[0].name, "model");
    let json = serde_json::to_string(trust).unwrap();
    assert_eq!(serde_json::from_str::<Trust>(&json).unwrap(), *trust);
}

/// Numbers can be moved, and there is a figure for it; words, cells and levels cannot.
#[test]
fn terms_of_any_model_are_measured() {
    let three = |i: usize| (format!("w{} w{} w{}", i % 3, i % 5, i % 7), ["a", "b", "c"][i % 3]);
    let texts3 = texts((0..90).map(three).collect());
    let (orders, bars, table) = (orders(80), bars(80, 10, 9), table(90));
    let (classes3, regression) = (classes3(90), regression(90));
    for (config, data, numbers) in [
        (config(Task::Text), &texts3, false),
        (whole(Task::Text), &orders, false),
        (config(Task::Image), &bars, false),
        (whole(Task::Image), &bars, false),
        (config(Task::Tabular), &table, true),
        // More levels than there are columns, and more terms.
        (with_k(whole(Task::Tabular), 5), &table, true),
        (whole(Task::Tabular), &classes3, true),
        (config(Task::Tabular), &regression, true),
        (whole(Task::Tabular), &regression, true),
    ] {
        let config = config.with("training.epochs", "2").unwrap();
        let model = fit(config.clone(), data).model;
        let trust = Trust::measure(&model, &judge(&config, data), data, None).unwrap();
        check(&trust);
        assert_eq!((trust.samples, trust.k), (data.len(), model.k()));
        assert_eq!(trust.what_if.len(), if numbers { 2 } else { 0 }, "{trust:?}");
        assert!(trust.stability.is_some() && trust.removal.most_influential.is_some());
        let chooses = model.evidence() == Evidence::Chosen;
        assert_eq!(trust.seed_stability.is_some(), chooses, "{trust:?}");
        let none = Trust::measure(&model, &judge(&config, data), &data.select(&[]), None);
        let error = none.unwrap_err().to_string();
        assert!(error.contains("at least one"), "{error}");
    }
}

/// K counts levels where the model's features are levels; a judge's are columns, which are fewer.
#[test]
fn a_model_with_more_terms_than_columns_has_a_judge() {
    let colours = ["red", "green", "blue", "grey", "pink", "teal", "gold"];
    let colour = Column::categorical("colour", (0..84).map(|i| Some(colours[i % 7])));
    let size = Column::numeric("size", (0..84).map(|i| (i % 11) as f64)).unwrap();
    let data = Dataset::table(Table::new([colour, size]).unwrap(), (0..84).map(|i| i % 2)).unwrap();
    let config = with_k(whole(Task::Tabular), 7).with("training.epochs", "1").unwrap();
    let (model, judge) = (fit(config.clone(), &data).model, judge(&config, &data));
    check(&Trust::measure(&model, &judge, &data, None).unwrap());
}

#[test]
fn a_judge_is_another_network_than_the_model_and_repeats_itself() {
    let data = table(90);
    let config = config(Task::Tabular).with("training.epochs", "2").unwrap();
    let model = fit(config.clone(), &data).model;
    let files = |judge: Judge| {
        let folder = tempfile::tempdir().unwrap();
        model.clone().with_judge(judge).save(folder.path().join("m")).unwrap();
        ["model.safetensors", "judge.safetensors"]
            .map(|name| std::fs::read(folder.path().join("m").join(name)).unwrap())
    };
    let [first, again] = [(); 2].map(|()| files(judge(&config, &data)));
    assert_eq!(first, again);
    assert_ne!(first[0], first[1]);
}

/// A folder with a judge, and one without, give back what was put in.
#[test]
fn a_judge_is_kept_with_its_model() {
    for (config, data) in [
        (config(Task::Text), orders(60)),
        (config(Task::Image), bars(60, 10, 9)),
        (config(Task::Tabular), table(90)),
        (whole(Task::Tabular), regression(90)),
    ] {
        let config = config.with("training.epochs", "2").unwrap();
        let model = fit(config.clone(), &data).model;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("model");
        model.save(&folder).unwrap();
        assert_eq!(format(&folder), 3);
        let loaded = Model::load(&folder).unwrap();
        assert!(loaded.judge().is_none() && !folder.join("judge.json").exists());
        assert_eq!(loaded.explain(&data).unwrap(), model.explain(&data).unwrap());
        assert_eq!((loaded.evidence(), loaded.k()), (model.evidence(), model.k()));
        // In the place of the folder that the model was loaded from.
        let judged = loaded.with_judge(judge(&config, &data));
        let trust = |model: &Model| {
            Trust::measure(model, model.judge().expect("it has one"), &data, Some(1)).unwrap()
        };
        judged.save_over(&folder).unwrap();
        assert!(judged.trust().is_empty() && !folder.join("trust.json").exists());
        let again = ModelFolder::open(&folder).unwrap().model().unwrap();
        assert_eq!(trust(&again), trust(&judged));
        assert_eq!(again.explain(&data).unwrap(), model.explain(&data).unwrap());
        assert_eq!(weights_of(again.network()), weights_of(model.network()));
        let beside: Vec<_> = std::fs::read_dir(folder.parent().unwrap()).unwrap().collect();
        assert_eq!(beside.len(), 1, "{beside:?}");
        for name in ["judge.safetensors", "judge.json"] {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[1..]).unwrap();
            let error = Model::load(&folder).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            std::fs::write(&path, &bytes).unwrap();
        }
    }
}

/// Figures are kept for each K, and only as long as they belong to this model and this judge.
#[test]
fn trust_figures_are_kept_with_the_model_and_its_judge() {
    let data = table(90);
    let config = config(Task::Tabular).with("training.epochs", "2").unwrap();
    let model = fit(config.clone(), &data).model.with_judge(judge(&config, &data));
    let measure = |k: usize| {
        let trust = Trust::measure(&model, model.judge().unwrap(), &data, Some(k)).unwrap();
        trust.with_data("table.csv")
    };
    let (one, two) = (measure(1), measure(2));
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("model");
    // With the model, and later.
    model.clone().with_trust(two.clone()).save(&folder).unwrap();
    assert_eq!(Model::load(&folder).unwrap().trust_near(1), Some(&two));
    ModelFolder::keep_trust(&folder, one.clone()).unwrap();
    let loaded = Model::load(&folder).unwrap();
    assert_eq!(loaded.trust(), [one.clone(), two.clone()]);
    assert_eq!(loaded.trust_near(1), Some(&one));
    assert_eq!(loaded.trust_near(7), Some(&two));
    // Again for the same K.
    let again = one.clone().with_data("other.csv");
    ModelFolder::keep_trust(&folder, again.clone()).unwrap();
    assert_eq!(Model::load(&folder).unwrap().trust(), [again, two]);
    let beside: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(beside.len(), 9, "{beside:?}");

    let path = folder.join("trust.json");
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(11) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&path, bad).unwrap();
        let error = Model::load(&folder).unwrap_err().to_string();
        assert!(error.contains("trust.json: it"), "byte {at}: {error}");
    }
    // Figures of a model without a judge, or with another one.
    let other = temporary.path().join("other");
    fit(config.clone(), &data).model.save(&other).unwrap();
    std::fs::write(other.join("trust.json"), &good).unwrap();
    let error = Model::load(&other).unwrap_err().to_string();
    assert!(error.contains("remove the file and measure again"), "{error}");
    std::fs::write(&path, &good).unwrap();
    let judged = Model::load(&folder).unwrap().with_judge(judge(&config, &data));
    judged.save_over(&folder).unwrap();
    assert!(Model::load(&folder).unwrap().trust().is_empty());
    // A folder that is not there.
    assert!(ModelFolder::keep_trust(temporary.path().join("none"), one).is_err());
}

/// There is nothing to replace, and nothing is left behind.
#[test]
fn a_folder_that_is_not_there_is_not_replaced() {
    let data = orders(40);
    let model = fit(config(Task::Text).with("training.epochs", "1").unwrap(), &data).model;
    let temporary = tempfile::tempdir().unwrap();
    assert!(model.save_over(temporary.path().join("model")).is_err());
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

/// Folders of the version before hold models that have seen whole samples.
#[test]
fn a_folder_of_format_2_is_read() {
    for (config, data) in [
        (whole(Task::Text), orders(60)),
        (whole(Task::Image), bars(60, 10, 9)),
        (whole(Task::Tabular), table(90)),
    ] {
        let model = fit(config.with("training.epochs", "2").unwrap(), &data).model;
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("model");
        model.save(&folder).unwrap();
        rewrite_format(&folder, 2);
        assert_eq!(format(&folder), 2);
        let loaded = Model::load(&folder).unwrap();
        assert_eq!(loaded.explain(&data).unwrap(), model.explain(&data).unwrap());
        for other in [1, 4] {
            rewrite_format(&folder, other);
            let error = Model::load(&folder).unwrap_err().to_string();
            assert!(error.contains("this program reads versions 2 to 3"), "{error}");
        }
    }
}

fn format(folder: &Path) -> u64 {
    let config: Value =
        serde_json::from_slice(&std::fs::read(folder.join("config.json")).unwrap()).unwrap();
    config["format"].as_u64().unwrap()
}

/// Writes another format into `config.json`, and its checksum into the manifest.
fn rewrite_format(folder: &Path, format: u64) {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Entry {
        bytes: usize,
        sha256: String,
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let before = format!("\"format\": {}", self::format(folder));
    let config = String::from_utf8(read("config.json")).unwrap();
    let config = config.replace(&before, &format!("\"format\": {format}")).into_bytes();
    let mut manifest: BTreeMap<String, Entry> =
        serde_json::from_slice(&read("manifest.json")).unwrap();
    let sha256 = format!("{:x}", Sha256::digest(&config));
    manifest.insert("config.json".into(), Entry { bytes: config.len(), sha256 });
    std::fs::write(folder.join("config.json"), config).unwrap();
    let mut manifest = serde_json::to_vec_pretty(&manifest).unwrap();
    manifest.push(b'\n');
    std::fs::write(folder.join("manifest.json"), manifest).unwrap();
}
