//! Judges, and what they say.

use crate::common::data::{houses, reviews};
use crate::common::{Desk, QUICK, QUICK_TEXT};
use serde_json::Value;

#[test]
fn a_judge_comes_with_training_and_evaluate_asks_it() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.ok(&format!("train --task text --data reviews.tsv --judge {QUICK_TEXT} --out model"));
    let explained = words(&desk.ok("explain model --data reviews.tsv --rows 0"));
    let how =
        "not been measured for this model: ngsll evaluate model --data TEST-FILE measures it.";
    assert!(explained.ends_with(how), "{explained}");
    // Figures of the training samples, or of a few, are shown and not kept.
    let done = desk.run("evaluate model --data reviews.tsv");
    let why = "note: the figures are not saved with the model: it was trained on these samples; use others";
    assert!(done.out.contains("encoding gap") && done.err.contains(why), "{done:?}");
    desk.write(
        "few.tsv",
        reviews().lines().take(9).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let done = desk.run("evaluate model --data few.tsv");
    let why = "not saved with the model: 9 samples are too few, at least 30 are needed";
    assert!(done.err.contains(why), "{}", done.err);
    assert!(!desk.path("model/trust.json").exists());

    desk.write("new.tsv", reviews() + "pos\tgood film\n");
    let shown = desk.ok("evaluate model --data new.tsv --k 1 --report report.html");
    for part in ["Can the terms be trusted?", "encoding gap", "contest rate", "stability"] {
        assert!(shown.contains(part), "no {part} in\n{shown}");
    }
    assert!(desk.read_text("report.html").contains("Can the terms be trusted?"));
    let json: Value =
        serde_json::from_str(&desk.ok("evaluate model --data new.tsv --k 1 --json")).unwrap();
    let trust = &json["trust"];
    assert_eq!((&trust["k"], &trust["samples"]), (&1.into(), &61.into()));
    assert_eq!(trust["own"]["accuracy"], json["accuracy"]);

    // The figures stay with the model, and stand beside the promise.
    let about: Value = serde_json::from_str(&desk.ok("describe model --json")).unwrap();
    assert_eq!(about["trust"], Value::from(vec![trust.clone()]));
    desk.ok("explain model --data reviews.tsv --rows 0 --format html --out page.html");
    let how = "Measured with K = 1 on 61 samples of new.tsv: encoding gap ";
    for command in ["describe model", "explain model --data reviews.tsv --rows 0"] {
        let printed = words(&desk.ok(command));
        assert!(printed.contains(how) && printed.contains("contest rate "), "{printed}");
    }
    for page in ["page.html", "report.html"] {
        let page = desk.read_text(page);
        assert!(page.contains("Measured with K = 1 on 61 samples of new.tsv:"), "{page}");
    }
}

/// Words with one space between them, however lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn training_with_a_judge_measures_on_the_rows_it_holds_out() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --test-fraction 0.2";
    let done = desk.run(&format!("train --task tabular {files} --judge --k 2 {QUICK} --out model"));
    assert!(done.err.contains("Can the terms be trusted?"), "{}", done.err);
    let about = words(&desk.ok("describe model"));
    assert!(about.contains("samples of houses.csv (held out): encoding gap"), "{about}");
    // Another judge has not measured yet.
    desk.ok("judge model --data houses.csv --quiet");
    assert!(words(&desk.ok("describe model")).contains("has not been measured for this model"));
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
        desk.write("new.csv", houses() + "1,red,2,big\n");
        let shown = desk.run("evaluate model --data new.csv");
        assert!(shown.out.contains("chosen features alone"), "{shown:?}");
        assert!(shown.err.contains("note: the figures are saved in model"), "{shown:?}");
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
