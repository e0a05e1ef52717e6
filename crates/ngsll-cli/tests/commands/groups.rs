//! `evaluate --by`, and columns whose use is reported.

use crate::answers::parse;
use crate::common::data::houses;
use crate::common::{Desk, QUICK};
use serde_json::Value;

fn number(json: &Value, key: &str) -> f64 {
    json[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {json}"))
}

#[test]
fn groups_of_a_column_that_the_model_does_not_use() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --set data.drop=[\"colour\",\"price\"]";
    desk.ok(&format!("train --task tabular {files} --k 1 {QUICK} --out model"));
    let json = parse(&desk.ok("evaluate model --data houses.csv --by colour --json"));
    let (by, predictions) = (&json["by"], desk.ok("predict model --data houses.csv"));
    assert_eq!(by["column"], "colour");
    let groups = by["groups"].as_array().unwrap();
    let names: Vec<&str> = groups.iter().map(|g| g["group"].as_str().unwrap()).collect();
    assert_eq!(names, ["blue", "green", "red", "missing"]);
    let truths: Vec<bool> = houses().lines().skip(1).map(|line| line.ends_with(",small")).collect();
    let predicted_positive: Vec<bool> =
        predictions.lines().skip(1).map(|line| line.split(',').nth(1) == Some("small")).collect();
    // Red is every fourth row from the first.
    let red = &groups[2];
    let rows: Vec<(bool, bool)> =
        (0..80).step_by(4).map(|i| (truths[i], predicted_positive[i])).collect();
    let share = |part: &dyn Fn(&&(bool, bool)) -> bool, of: &dyn Fn(&&(bool, bool)) -> bool| {
        let all = rows.iter().filter(of);
        let n = all.clone().count() as f64;
        all.filter(part).count() as f64 / n
    };
    assert_eq!(number(red, "n"), 20.0);
    for (key, expected) in [
        ("accuracy", share(&|(t, s)| t == s, &|_| true)),
        ("positive_rate", share(&|(_, s)| *s, &|_| true)),
        ("observed_rate", share(&|(t, _)| *t, &|_| true)),
        ("true_positive_rate", share(&|(_, s)| *s, &|(t, _)| *t)),
        ("false_positive_rate", share(&|(_, s)| *s, &|(t, _)| !*t)),
    ] {
        assert!((number(red, key) - expected).abs() < 1e-9, "{key}: {red} and not {expected}");
    }
    assert_eq!(red["terms"][0]["feature"], "size");
    assert_eq!(number(&red["terms"][0], "share"), 1.0);
    let shown = desk.ok("evaluate model --data houses.csv --by colour --report page.html");
    assert!(shown.contains("By colour") && shown.contains("size in 100 %"), "{shown}");
    assert!(desk.read_text("page.html").contains("<caption>By colour</caption>"));
}

#[test]
fn numbers_are_cut_and_a_number_is_predicted() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target price";
    desk.ok(&format!("train --task tabular {files} --k 2 {QUICK} --out model"));
    let json = parse(&desk.ok("evaluate model --data houses.csv --by size --json"));
    let groups = json["by"]["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["group"]), (5, &"up to 2.5".into()));
    let rows: f64 = groups.iter().map(|group| number(group, "n")).sum();
    assert_eq!(rows, 80.0);
    let squares: f64 = groups.iter().map(|g| number(g, "n") * number(g, "rmse").powi(2)).sum();
    assert!((squares / 80.0 - number(&json, "rmse").powi(2)).abs() < 1e-6);
    let shown = desk.ok("evaluate model --data houses.csv --by kind");
    assert!(shown.contains("bias") && !shown.contains("mean p"), "{shown}");
}

#[test]
fn texts_have_groups_where_their_file_has_columns() {
    let desk = Desk::new();
    let row = |i: usize| {
        format!("{},a {} film,{}\n", ["neg", "pos"][i % 2], ["bad", "good"][i % 2], i % 3)
    };
    let table = "label,text,source\n".to_string() + &(0..60).map(row).collect::<String>();
    desk.write("reviews.csv", table);
    let quick = crate::common::QUICK_TEXT;
    desk.ok(&format!("train --task text --data reviews.csv --k 1 {quick} --out model"));
    let json = parse(&desk.ok("evaluate model --data reviews.csv --by source --json"));
    let groups = json["by"]["groups"].as_array().unwrap();
    assert_eq!(groups.iter().map(|group| number(group, "n")).collect::<Vec<_>>(), [20.0; 3]);
}

#[test]
fn protected_columns_are_reported() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --target kind --set data.protected=[\"colour\"]";
    desk.ok(&format!(
        "train --task tabular {files} --k 3 --set training.screening=false {QUICK} --out model"
    ));
    let json = parse(&desk.ok("evaluate model --data houses.csv --json --report page.html"));
    assert_eq!(json["protected"]["columns"][0]["column"], "colour");
    assert_eq!(number(&json["protected"], "share"), 1.0, "of three columns all are named");
    assert!(desk.read_text("page.html").contains("colour (100.0 %); in 100.0 % of predictions"));
    let shown = desk.ok("evaluate model --data houses.csv --k 1");
    assert!(shown.contains("uses protected columns"), "{shown}");
}
