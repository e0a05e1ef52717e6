//! Thresholds, costs and groups that make no sense.

use crate::common::data::houses;
use crate::common::{Desk, QUICK};

#[test]
fn thresholds_and_costs() {
    let desk = Desk::new();
    desk.text_model();
    let evaluate = |more: &str| format!("evaluate model --data reviews.tsv {more}");
    for (more, part) in [
        ("--threshold 1.5", "--threshold 1.5: expected a probability from 0 to 1"),
        ("--threshold -0.5", "--threshold -0.5: expected a probability from 0 to 1"),
        ("--threshold half", "'half'"),
        ("--cost-false-positive 1", "--cost-false-negative"),
        (
            "--cost-false-positive -1 --cost-false-negative 1",
            "--cost-false-positive -1: expected a number of at least 0",
        ),
        (
            "--cost-false-positive 0 --cost-false-negative 0",
            "if no error costs anything, every threshold is equally good",
        ),
        ("--keep-threshold", "--keep-threshold: nothing to keep; expected --threshold"),
    ] {
        desk.refused(&evaluate(more), &[part]);
    }
}

#[test]
fn a_number_has_no_threshold() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    desk.ok(&format!(
        "train --task tabular --data houses.csv --target price --k 2 {QUICK} --out model"
    ));
    let evaluate = "evaluate model --data houses.csv";
    desk.refused(&format!("{evaluate} --threshold 0.2"), &[
        "--threshold 0.2: only a model with two classes has a threshold, and this one predicts the number price",
    ]);
    desk.refused(
        &format!("{evaluate} --cost-false-positive 1 --cost-false-negative 2"),
        &["--cost-false-positive 1: only a model with two classes has a threshold"],
    );
}

#[test]
fn groups_and_protected_columns_that_are_not_there() {
    let desk = Desk::new();
    desk.table_model();
    desk.refused("evaluate model --data houses.csv --by color", &["houses.csv", "color", "colour"]);
    let train = format!("train --task tabular --data houses.csv --target kind {QUICK} --out other");
    desk.refused(
        &format!("{train} --set data.protected=[\"sex\"]"),
        &["data.protected=sex", "the data have no column of this name"],
    );
    desk.write("reviews.tsv", crate::common::data::reviews());
    let train = "train --task text --data reviews.tsv --out other";
    desk.refused(&format!("{train} --set data.protected=[\"sex\"]"), &["only tables have columns"]);
}

#[test]
fn images_have_no_columns() {
    let desk = Desk::new();
    desk.image_model();
    desk.refused("evaluate model --data images-idx3-ubyte --by source", &["images-idx3-ubyte"]);
}

#[test]
fn models_of_different_questions() {
    let desk = Desk::new();
    desk.three_models();
    desk.refused(
        "compare reviews houses --data reviews.tsv",
        &[
            "reviews predicts 2 classes (neg, pos), houses predicts 2 classes (big, small)",
            "only models with the same target can be compared",
        ],
    );
    desk.refused(
        "compare reviews nothing --data reviews.tsv",
        &["nothing", "no such model folder"],
    );
}

#[test]
fn drift_without_a_summary() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --set data.summary=false";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK} --out model"));
    assert!(!desk.path("model/summary.json").exists());
    desk.refused(
        "drift model --data houses.csv",
        &["model: there is no summary of the training data to compare with", "train it again"],
    );
}

#[test]
fn a_card_in_the_place_of_a_file() {
    let desk = Desk::new();
    desk.table_model();
    desk.refused("describe model --out houses.csv", &["houses.csv: already exists"]);
    desk.refused("describe model --json --out card.md", &["--json"]);
}
