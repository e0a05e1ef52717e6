//! Judges, and what they say.

use crate::common::data::{houses, reviews};
use crate::common::{Desk, QUICK, QUICK_TEXT};
use serde_json::Value;

#[test]
fn a_judge_comes_with_training_and_evaluate_asks_it() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.ok(&format!("train --task text --data reviews.tsv --judge {QUICK_TEXT} --out model"));
    let shown = desk.ok("evaluate model --data reviews.tsv --k 1 --report report.html");
    for part in ["Can the terms be trusted?", "encoding gap", "contest rate", "stability"] {
        assert!(shown.contains(part), "no {part} in\n{shown}");
    }
    assert!(desk.read_text("report.html").contains("Can the terms be trusted?"));
    let json: Value =
        serde_json::from_str(&desk.ok("evaluate model --data reviews.tsv --k 1 --json")).unwrap();
    let trust = &json["trust"];
    assert_eq!((&trust["k"], &trust["samples"]), (&1.into(), &60.into()));
    assert_eq!(trust["own"]["accuracy"], json["accuracy"]);
}

#[test]
fn a_judge_is_added_to_a_model_of_either_kind() {
    for evidence in ["chosen", "whole"] {
        let desk = Desk::new();
        desk.write("houses.csv", houses());
        let files = "--data houses.csv --target kind";
        desk.ok(&format!(
            "train --task tabular {files} --evidence {evidence} --k 2 {QUICK} --out model"
        ));
        let before = desk.ok("predict model --data houses.csv");
        let shown = desk.ok("evaluate model --data houses.csv");
        assert!(shown.contains("Not measured: ngsll judge model --data TRAINING-FILE"), "{shown}");
        desk.ok("judge model --data houses.csv --quiet");
        let shown = desk.ok("evaluate model --data houses.csv");
        assert!(shown.contains("chosen features alone"), "{shown}");
        assert_eq!(desk.ok("predict model --data houses.csv"), before, "the model is the same");
    }
}

#[test]
fn a_few_terms_are_found_where_they_are_enough() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.ok(&format!("train --task text --data reviews.tsv --k auto {QUICK_TEXT} --out model"));
    let about: Value = serde_json::from_str(&desk.ok("describe model --json")).unwrap();
    let k = about["k"].as_u64().unwrap();
    assert!(k >= 1 && k <= about["largest_k"].as_u64().unwrap());
    assert!(desk.read_text("model/train.toml").lines().any(|line| line == format!("k = {k}")));
}
