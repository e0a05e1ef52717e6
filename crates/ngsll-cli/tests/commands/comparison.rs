//! `compare`: two models on the same samples.

use crate::answers::parse;
use crate::common::data::houses;
use crate::common::{Desk, QUICK};
use serde_json::Value;

fn number(json: &Value, key: &str) -> f64 {
    json[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {json}"))
}

/// Two models of houses: of all columns, and of the size alone.
fn two_models(target: &str) -> Desk {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let train = format!("train --task tabular --data houses.csv --target {target} --k 2 {QUICK}");
    desk.ok(&format!("{train} --out all"));
    let other = if target == "kind" { "price" } else { "kind" };
    desk.ok(&format!("{train} --set data.drop=[\"{other}\"] --seed 3 --out some"));
    desk
}

#[test]
fn two_classifiers() {
    let desk = two_models("kind");
    let json = parse(&desk.ok("compare all some --data houses.csv --json"));
    let labels = |model: &str| -> Vec<String> {
        let csv = desk.ok(&format!("predict {model} --data houses.csv"));
        csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect()
    };
    let truths: Vec<String> =
        houses().lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_string()).collect();
    let (first, second) = (labels("all"), labels("some"));
    let rows = 0..truths.len();
    let only = |a: &[String], b: &[String]| {
        rows.clone().filter(|&i| a[i] == truths[i] && b[i] != truths[i]).count() as f64
    };
    let test = &json["accuracy_test"];
    assert_eq!(number(test, "only_first"), only(&first, &second));
    assert_eq!(number(test, "only_second"), only(&second, &first));
    let apart = rows.clone().filter(|&i| first[i] != second[i]).count();
    let disagreements = json["disagreements"].as_array().unwrap();
    assert_eq!(disagreements.len(), apart);
    for sample in disagreements {
        let row = number(sample, "row") as usize;
        assert_eq!(sample["truth"], truths[row].as_str());
        assert_eq!(sample["predictions"][1]["class"]["label"], second[row].as_str());
    }
    // The mean difference of the losses is that of the figures.
    for (model, name) in ["all", "some"].iter().enumerate() {
        let own = parse(&desk.ok(&format!("evaluate {name} --data houses.csv --json")));
        assert_eq!(json["metrics"][model]["log_loss"], own["log_loss"]);
    }
    let [a, b] = [0, 1].map(|model| number(&json["metrics"][model], "log_loss"));
    assert!((number(&json["loss_test"], "mean") - (a - b)).abs() < 1e-9);
    let overlap = number(&json["terms"], "overlap");
    assert!((0.0..=1.0).contains(&overlap));
    let shown = desk.ok("compare all some --data houses.csv");
    for part in ["On 80 samples", "McNemar's exact test", "paired permutation test", "Terms: "] {
        assert!(shown.contains(part), "no {part} in\n{shown}");
    }
    assert_eq!(shown, desk.ok("compare all some --data houses.csv"), "the same every time");
}

#[test]
fn a_model_is_like_itself() {
    let desk = Desk::new();
    desk.text_model();
    let json = parse(&desk.ok("compare model model --data reviews.tsv --json"));
    assert_eq!(
        (number(&json["loss_test"], "mean"), number(&json["loss_test"], "p_value")),
        (0.0, 1.0)
    );
    assert_eq!(json["disagreements"], Value::Array(Vec::new()));
    assert_eq!(
        (number(&json["terms"], "overlap"), number(&json["accuracy_test"], "p_value")),
        (1.0, 1.0)
    );
    let shown = desk.ok("compare model model --data reviews.tsv");
    assert!(
        shown.contains("Neither is better") && shown.contains("agree on every sample"),
        "{shown}"
    );
    assert!(shown.contains("model (first)") && shown.contains("model (second)"), "{shown}");
}

#[test]
fn two_models_of_a_number() {
    let desk = two_models("price");
    let json = parse(&desk.ok("compare all some --data houses.csv --json"));
    assert_eq!((&json["loss"], &json["accuracy_test"]), (&"squared_error".into(), &Value::Null));
    let [a, b] = [0, 1].map(|model| number(&json["metrics"][model], "rmse").powi(2));
    assert!((number(&json["loss_test"], "mean") - (a - b)).abs() < 1e-6 * a.max(b));
    assert_eq!(json["disagreements"].as_array().map(Vec::len), Some(80));
    let shown = desk.ok("compare all some --data houses.csv");
    assert!(shown.contains("Where they are furthest apart (20 samples)"), "{shown}");
}
