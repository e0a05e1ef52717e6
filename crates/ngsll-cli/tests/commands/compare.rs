//! A table's model beside other methods.

use crate::answers::parse;
use crate::common::data::houses;
use crate::common::{Desk, QUICK};
use serde_json::Value;

/// Trains with `--compare` and more options; gives what was said.
#[track_caller]
fn trained(desk: &Desk, more: &str) -> String {
    desk.write("houses.csv", houses());
    let files = "--data houses.csv --compare --out model";
    let done = desk.run(&format!("train --task tabular {files} {QUICK} {more}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    done.err
}

/// The names of the methods that `evaluate --json` gives.
fn names(yardstick: &Value) -> Vec<&str> {
    let methods = yardstick["methods"].as_array().unwrap();
    methods.iter().map(|method| method["name"].as_str().unwrap()).collect()
}

#[test]
fn numbers_with_test_rows() {
    let desk = Desk::new();
    let printed = trained(&desk, "--target price --k 1 --test-fraction 0.2");
    let caption = "Compared with other methods, measured in training on 16 test rows\n";
    let shown = desk.ok("evaluate model --data houses.csv --report page.html");
    for text in [&printed, &shown] {
        assert!(text.contains(caption), "{text}");
        let lines: Vec<&str> =
            text.lines().skip_while(|l| !l.contains("Compared with other")).collect();
        assert!(lines[1].trim_start().starts_with("method"), "{text}");
        let ends = |line: &str| line.trim_end().chars().count();
        assert!(lines[2..7].iter().all(|line| ends(line) == ends(lines[1])), "{text}");
    }
    let page = desk.read_text("page.html");
    assert!(page.contains("on 16 test rows</caption>") && page.contains("<td>boosted trees</td>"));
    assert!(desk.read_text("model/README.md").contains("| boosted trees | "));

    let json = parse(&desk.ok("evaluate model --data houses.csv --json"));
    let yardstick = &json["yardstick"];
    assert_eq!((&yardstick["measured_on"], &yardstick["n"]), (&"test".into(), &16.into()));
    let ours = ["NGSLL, K = 1", "NGSLL, all 3 columns"];
    let others = ["base rate", "ridge regression", "boosted trees"];
    assert_eq!(names(yardstick), [&others[..], &ours[..]].concat());
    for method in yardstick["methods"].as_array().unwrap() {
        for figure in ["r2", "rmse", "mae", "seconds"] {
            assert!(method[figure].is_f64(), "{figure} in {method}");
        }
        assert!(method.get("accuracy").is_none(), "{method}");
    }
    // The price is a sum of what the size and the row say.
    assert!(yardstick["methods"][1]["rmse"].as_f64() < yardstick["methods"][0]["rmse"].as_f64());

    desk.ok("judge model --data houses.csv --quiet");
    let again = parse(&desk.ok("evaluate model --data houses.csv --json"));
    assert_eq!(&again["yardstick"], yardstick, "a judge changes nothing of it");
}

#[test]
fn classes_without_test_rows_and_the_same_figures_on_any_number_of_threads() {
    let mut found = Vec::new();
    for threads in ["1", "3"] {
        let desk = Desk::new();
        desk.write("houses.csv", houses());
        let files = "--data houses.csv --target kind --compare --evidence whole --k 2 --out model";
        let mut command = desk.command(&format!("train --task tabular {files} {QUICK}"));
        let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(
            printed.contains(" validation rows, which each also used to choose its settings"),
            "{printed}"
        );
        let mut json = parse(&desk.ok("evaluate model --data houses.csv --json"));
        let yardstick = &mut json["yardstick"];
        let all = ["base rate", "logistic regression", "boosted trees", "NGSLL, K = 2"];
        assert_eq!(names(yardstick), all);
        for method in yardstick["methods"].as_array_mut().unwrap() {
            let seconds = method.as_object_mut().unwrap().remove("seconds");
            assert!(seconds.is_some() && method["log_loss"].is_f64(), "{method}");
        }
        found.push(yardstick.take());
    }
    assert_eq!(found[0], found[1]);
}
