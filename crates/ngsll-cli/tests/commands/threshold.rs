//! `evaluate --threshold`, the costs of errors, and the threshold that a folder keeps.

use crate::answers::parse;
use crate::common::{Desk, QUICK_TEXT};
use serde_json::Value;

/// Labels and probabilities of pos, as `predict` gives them.
fn predicted(desk: &Desk) -> Vec<(String, f64)> {
    let csv = desk.ok("predict model --data reviews.tsv");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[1].to_string(), fields[3].parse().unwrap())
    };
    csv.lines().skip(1).map(row).collect()
}

fn number(json: &Value, key: &str) -> f64 {
    json[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {json}"))
}

#[test]
fn figures_of_the_classes_are_those_of_the_predictions() {
    let desk = Desk::new();
    desk.text_model();
    let json = parse(&desk.ok("evaluate model --data reviews.tsv --json"));
    let rows: Vec<(bool, bool)> = predicted(&desk)
        .iter()
        .enumerate()
        .map(|(i, (label, _))| (i % 2 == 1, label == "pos"))
        .collect();
    let count = |truth: bool, predicted: bool| {
        rows.iter().filter(|row| **row == (truth, predicted)).count() as f64
    };
    for (c, class) in [false, true].into_iter().enumerate() {
        let found = count(class, class);
        let f1 = 2.0 * found / (2.0 * found + count(class, !class) + count(!class, class));
        assert!((number(&json["by_class"][c], "f1") - f1).abs() < 1e-9, "{json}");
    }
    let shown = desk.ok("evaluate model --data reviews.tsv");
    for name in ["F1", "average precision (PR-AUC)", "lift of the top tenth"] {
        assert!(shown.contains(name), "no {name} in\n{shown}");
    }
    assert!(!shown.contains("threshold"), "nobody has set one:\n{shown}");
}

#[test]
fn a_threshold_is_for_now_unless_it_is_kept() {
    let desk = Desk::new();
    desk.text_model();
    let (files, before) = (desk.files(), predicted(&desk));
    // Between the probabilities, so that it parts the samples in another way than ½ does.
    let mut all: Vec<f64> = before.iter().map(|(_, p)| *p).collect();
    all.sort_by(f64::total_cmp);
    let low = (all[0] / 2.0 * 1e4).round() / 1e4;
    let evaluate = format!("evaluate model --data reviews.tsv --threshold {low}");
    let json = parse(&desk.ok(&format!("{evaluate} --json")));
    let at = &json["threshold"];
    assert_eq!((&at["positive"], number(at, "value")), (&"pos".into(), low));
    assert_eq!((number(at, "true_positives"), number(at, "false_positives")), (30.0, 30.0));
    assert_eq!((number(at, "false_negatives"), number(at, "true_negatives")), (0.0, 0.0));
    assert!(desk.files() == files, "it is not kept");

    let kept = desk.run(&format!("{evaluate} --keep-threshold --report page.html"));
    assert!(kept.err.contains("note: the threshold is saved in model"), "{kept:?}");
    assert!(kept.out.contains(" for pos\n"), "{kept:?}");
    assert!(desk.read_text("page.html").contains("At the threshold"));
    let after = predicted(&desk);
    for ((_, was), (label, is)) in before.iter().zip(&after) {
        assert_eq!((label.as_str(), is), ("pos", was), "the probability stays");
    }
    let explained = desk.ok("explain model --data reviews.tsv --rows 0");
    assert!(explained.contains(&format!("; threshold {low} for pos)")), "{explained}");
    assert!(explained.contains("→ pos"), "{explained}");
    let json = parse(&desk.ok("explain model --data reviews.tsv --rows 0 --format json"));
    assert_eq!(json[0]["prediction"]["class"]["threshold"], low);
    assert!(desk.ok("describe model").contains(&format!("{low} for pos")));
    // It is there for evaluations without the option, too, and ½ takes it away again.
    let json = parse(&desk.ok("evaluate model --data reviews.tsv --json"));
    assert_eq!(json["threshold"]["value"], low);
    desk.ok("evaluate model --data reviews.tsv --threshold 0.5 --keep-threshold");
    assert_eq!(predicted(&desk), before);
    let json = parse(&desk.ok("evaluate model --data reviews.tsv --json"));
    assert_eq!(json["threshold"], Value::Null);
}

#[test]
fn the_least_costly_threshold_is_found_and_what_was_measured_is_dropped_with_another() {
    let desk = Desk::new();
    let reviews = crate::common::data::reviews();
    // Figures of the training file would not be kept.
    desk.write("older.tsv", reviews.repeat(2));
    desk.write("reviews.tsv", reviews);
    desk.ok(&format!("train --task text --data older.tsv --judge {QUICK_TEXT} --out model"));
    desk.ok("evaluate model --data reviews.tsv");
    let probabilities = predicted(&desk);
    let cost = |threshold: f64| {
        let of = |(i, (_, p)): (usize, &(String, f64))| match (i % 2 == 1, *p > threshold) {
            (true, false) => 5.0,
            (false, true) => 1.0,
            _ => 0.0,
        };
        probabilities.iter().enumerate().map(of).sum::<f64>()
    };
    let costs = "--cost-false-positive 1 --cost-false-negative 5";
    let for_now = desk.run(&format!("evaluate model --data reviews.tsv {costs} --json"));
    let json = parse(&for_now.out);
    let at = &json["threshold"];
    let least = (0..=1000).map(|t| cost(f64::from(t) / 1000.0)).fold(f64::INFINITY, f64::min);
    assert!(number(at, "cost") <= least, "{at}");
    assert_eq!(number(at, "cost_at_half"), cost(0.5));
    let counted = number(at, "false_positives") + 5.0 * number(at, "false_negatives");
    assert_eq!((number(at, "cost"), &at["found"]), (counted, &true.into()));
    // Figures of the terms with a threshold that the folder does not have are not kept there.
    assert!(!for_now.err.contains("figures are kept"), "{}", for_now.err);
    let shown = desk.ok(&format!("evaluate model --data reviews.tsv {costs}"));
    assert!(shown.contains("the least costly on these samples"), "{shown}");
    assert!(shown.contains("with a threshold of 0.5"), "{shown}");
    desk.ok("evaluate model --data reviews.tsv --threshold 0.4 --keep-threshold");
    let about = parse(&desk.ok("describe model --json"));
    assert_eq!(about["trust"].as_array().map(Vec::len), Some(1), "measured anew");
}
