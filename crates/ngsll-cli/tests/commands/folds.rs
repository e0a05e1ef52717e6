//! Several trainings, and the rows that were set aside.

use crate::answers::parse;
use crate::common::data::{houses, reviews};
use crate::common::{Desk, QUICK, QUICK_TEXT};

#[test]
fn folds_measure_every_row_and_change_nothing_of_the_model() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let train = format!("train --task tabular --data houses.csv --target kind --k 2 {QUICK}");
    desk.ok(&format!("{train} --out plain"));
    let done = desk.run(&format!("{train} --folds 3 --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("fold 2, seed 0: accuracy "), "{}", done.err);
    assert!(
        done.err.contains("Measured in 3 folds, each time on samples that training had not seen")
    );
    let fact = |line: &&str| line.starts_with("accuracy in 3 folds") && line.contains(" ± ");
    assert!(done.err.lines().any(|line| fact(&line)), "{}", done.err);
    assert!(!done.err.contains("figures from 8 validation rows"), "there are better ones");
    assert!(desk.read("plain/model.safetensors") == desk.read("model/model.safetensors"));
    assert!(!desk.path("model.folds").exists());

    let spread = &parse(&desk.ok("describe model --json"))["spread"];
    let runs = spread["runs"].as_array().unwrap();
    let samples: u64 = runs.iter().map(|run| run["metrics"]["n"].as_u64().unwrap()).sum();
    assert_eq!((runs.len(), samples), (3, 80));
    assert!(desk.read_text("model/README.md").contains("| standard deviation |  | "));
    assert!(desk.ok("describe model").contains("log loss in 3 folds"));
}

#[test]
fn seeds_are_measured_on_the_same_test_rows() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let train = format!("train --task tabular --data houses.csv --target price {QUICK}");
    let done = desk.run(&format!("{train} --seeds 2 --test-fraction 0.2 --seed 7 --out model"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("seed 7: R² ") && done.err.contains("seed 8: R² "), "{}", done.err);
    assert!(done.err.contains("RMSE over 2 seeds"), "{}", done.err);
    desk.refused(
        &format!("{train} --seeds 2 --out other"),
        &["--seeds 2: measuring needs a test share or folds"],
    );
    desk.refused(
        &format!("{train} --folds 1 --out other"),
        &["--folds 1: expected a number from 2 to 80"],
    );
}

#[test]
fn test_rows_can_be_measured_later_from_the_same_file_only() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    desk.write("reviews.tsv", reviews());
    for (train, data, more) in [
        ("train --task tabular --target kind --data houses.csv", "houses.csv", QUICK),
        ("train --task text --data reviews.tsv", "reviews.tsv", QUICK_TEXT),
    ] {
        let done = desk.run(&format!("{train} --k 2 --test-fraction 0.2 {more} --out model"));
        let figure = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            line.unwrap_or_else(|| panic!("{name}: {text}")).rsplit(' ').next().unwrap().to_string()
        };
        let report = desk.ok(&format!("evaluate model --data {data} --part test"));
        for name in ["samples", "accuracy", "log loss"] {
            assert_eq!(figure(&report, name), figure(&done.err, &format!("test {name}")));
        }
        let text = desk.read_text(data);
        desk.write(&format!("copy-{data}"), &text);
        desk.ok(&format!("evaluate model --data copy-{data} --part test --report page.html"));
        std::fs::remove_file(desk.path("page.html")).unwrap();
        std::fs::remove_dir_all(desk.path("model")).unwrap();
    }
}

#[test]
fn another_file_has_no_test_rows() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let train = format!("train --task tabular --data houses.csv --target kind --k 2 {QUICK}");
    desk.ok(&format!("{train} --test-fraction 0.2 --out model"));
    desk.ok(&format!("{train} --out plain"));
    let mut lines: Vec<String> = houses().lines().map(String::from).collect();
    desk.write("fewer.csv", lines[..70].join("\n") + "\n");
    lines.swap(3, 4);
    desk.write("other.csv", lines.join("\n") + "\n");
    desk.refused(
        "evaluate model --data other.csv --part test",
        &["other.csv: these are not the samples that the model was trained on"],
    );
    desk.refused(
        "evaluate model --data fewer.csv --part test",
        &["fewer.csv: there are 69 samples, but the model was trained on 80"],
    );
    desk.refused(
        "evaluate plain --data houses.csv --part test",
        &["--part test: plain keeps no test rows, as it was trained without --test-fraction"],
    );
}
