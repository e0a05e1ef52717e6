//! Looking for better options.

use crate::answers::parse;
use crate::common::data::houses;
use crate::common::{Desk, QUICK};

/// Small networks only.
const SMALL: &str = "--set generator.units=8 --set generator.members=2 --set training.epochs=2";

#[test]
fn the_best_options_make_the_model() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let tune =
        format!("tune --task tabular --data houses.csv --target kind --k 2 {SMALL} --jobs 2");
    let done = desk.run(&format!("{tune} --trials 3 --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("3 trials, by the log loss on 8 validation samples"), "{}", done.err);
    assert!(done.err.contains("as given"), "{}", done.err);
    assert!(done.err.contains("options written to model.tune/train.toml"), "{}", done.err);
    let records = desk.read_text("model.tune/records.jsonl");
    assert_eq!(records.lines().count(), 3);
    // Options that were set are not tried.
    assert!(!records.contains("units") && !records.contains("members"), "{records}");
    let best = records.lines().map(parse).min_by(|a, b| {
        let loss = |line: &serde_json::Value| line["record"]["loss"].as_f64().unwrap();
        loss(a).total_cmp(&loss(b))
    });
    let best = best.unwrap()["key"].as_str().unwrap().to_string();
    assert!(done.err.contains(&format!("best: {best}\n")), "{best}: {}", done.err);

    // The same options again make the same model, and nothing is tried twice.
    desk.ok("train --config model.tune/train.toml --out again");
    assert!(desk.read("model/model.safetensors") == desk.read("again/model.safetensors"));
    std::fs::remove_dir_all(desk.path("model")).unwrap();
    let more = desk.run(&format!("{tune} --trials 4 --options-only --quiet --out model"));
    assert_eq!((more.code, more.err.as_str()), (Some(0), ""));
    let after = desk.read_text("model.tune/records.jsonl");
    assert!(after.starts_with(&records) && after.lines().count() == 4, "{after}");
    assert!(!desk.path("model").exists());
}

#[test]
fn folds_choose_among_numbers_and_the_jobs_do_not_matter() {
    let mut found = Vec::new();
    for jobs in ["1", "3"] {
        let desk = Desk::new();
        desk.write("houses.csv", houses());
        let files = "--data houses.csv --target price --folds 2 --options-only --out model";
        let done =
            desk.run(&format!("tune --task tabular {files} {SMALL} --trials 2 --jobs {jobs}"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.err.contains("2 trials, by the RMSE in 2 folds"), "{}", done.err);
        let records = desk.read_text("model.tune/records.jsonl");
        let mut losses: Vec<(String, String)> = records
            .lines()
            .map(parse)
            .map(|line| (line["key"].to_string(), line["record"]["loss"].to_string()))
            .collect();
        losses.sort();
        found.push(losses);
    }
    assert_eq!(found[0], found[1]);
}

#[test]
fn findings_are_printed_once_and_before_the_trials() {
    let desk = Desk::new();
    // The sign of a decimal comma, an id, and a column that knows the answer.
    let row = |i: usize| {
        let (size, kind) = (i * 37 % 101, ["flat", "house"][i * 7 % 10 / 5]);
        format!("{};{size},5;{};{kind}\n", 1000 + i, u8::from(kind == "house"))
    };
    let rows: String = (0..120).map(row).collect();
    desk.write("houses.csv", format!("id;size;has_roof;kind\n{rows}"));
    let tune = format!("tune --task tabular --data houses.csv --target kind --k 2 {SMALL}");
    let done = desk.run(&format!("{tune} --trials 2 --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let trials = done.err.find("2 trials, by").unwrap();
    for note in [
        "decimal comma",
        "note: column \"id\" has 120 distinct values",
        "note: column \"has_roof\" predicts the target by itself",
        "note: figures from 12 validation rows are rough",
    ] {
        assert_eq!(done.err.matches(note).count(), 1, "{note}: {}", done.err);
        assert!(done.err.find(note).unwrap() < trials, "{note}: {}", done.err);
    }
}

#[test]
fn nothing_to_try_is_refused() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let tune = format!("tune --task tabular --data houses.csv --target kind {QUICK} --out model");
    desk.refused(&format!("{tune} --trials 0"), &["--trials 0: expected at least 1"]);
    let many = ["--trials 4000000000: expected at most 10000", "a few hundred"];
    desk.refused(&format!("{tune} --trials 4000000000"), &many);
    desk.refused(&format!("{tune} --jobs 0"), &["--jobs 0: expected at least 1"]);
    desk.refused(&format!("{tune} --folds 1"), &["--folds 1: expected a number from 2 to 80"]);
}
