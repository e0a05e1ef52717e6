//! Checks of what predict, explain and evaluate print, used for every kind of data.

use crate::common::Desk;
use serde_json::Value;

/// Properties of a model's answers.
pub struct Expected<'a> {
    /// The file or folder.
    pub data: &'a str,
    pub rows: usize,
    /// The model's K.
    pub k: usize,
    /// The classes, or none in regression.
    pub classes: &'a [&'a str],
    /// The prefix of the names of features.
    pub features: &'a [&'a str],
    /// The evidence of the model.
    pub evidence: &'a str,
}

/// Checks all kinds of answers of the model `model`.
#[track_caller]
pub fn check(desk: &Desk, expected: &Expected<'_>) {
    predict(desk, expected);
    explain(desk, expected);
    evaluate(desk, expected);
    let about = desk.ok("describe model");
    assert!(about.contains(&format!("at most {}", expected.k)), "{about}");
    let json = parse(&desk.ok("describe model --json"));
    assert_eq!(json["k"], expected.k);
    let (promise, most) = match expected.evidence {
        "chosen" => ("saw nothing else", &json["features"]),
        _ => ("a term need not be the reason", &json["k"]),
    };
    assert_eq!((&json["evidence"], &json["largest_k"]), (&expected.evidence.into(), most));
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(about).contains(promise));
    assert_eq!(json["trust"], Value::Array(Vec::new()));
    let table = desk.ok(&format!("explain model --data {} --rows 0", expected.data));
    assert!(words(table.clone()).contains(promise), "{table}");
    assert_eq!(table.contains("with no feature known"), expected.evidence == "chosen", "{table}");
}

#[track_caller]
pub fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn predict(desk: &Desk, expected: &Expected<'_>) {
    let Expected { data, rows, classes, .. } = expected;
    let csv = desk.ok(&format!("predict model --data {data}"));
    assert_eq!(csv.lines().count(), rows + 1);
    assert!(csv.starts_with("row,"), "{csv}");
    let json = parse(&desk.ok(&format!("predict model --data {data} --format json")));
    let list = json.as_array().unwrap();
    assert_eq!(list.len(), *rows);
    for (row, (entry, line)) in list.iter().zip(csv.lines().skip(1)).enumerate() {
        assert_eq!(entry["row"], row);
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], row.to_string());
        if classes.is_empty() {
            let value = entry["prediction"]["value"].as_f64().unwrap();
            assert_eq!(cells[1].parse::<f64>().unwrap(), value);
            continue;
        }
        let class = &entry["prediction"]["class"];
        assert!(classes.contains(&class["label"].as_str().unwrap()), "{class}");
        assert_eq!(class["label"], cells[1]);
        let probabilities = class["probabilities"].as_array().unwrap();
        // Images in a folder also have their file's name.
        let file = usize::from(entry.get("file").is_some());
        assert_eq!((probabilities.len(), cells.len()), (classes.len(), classes.len() + 2 + file));
        let sum: f64 = probabilities.iter().map(|p| p["probability"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{line}");
    }
    desk.ok(&format!("predict model --data {data} --out predictions.csv"));
    assert_eq!(desk.read_text("predictions.csv"), csv);
    std::fs::remove_file(desk.path("predictions.csv")).unwrap();
}

#[track_caller]
fn explain(desk: &Desk, expected: &Expected<'_>) {
    let Expected { data, rows, k, features, .. } = expected;
    let ask = |more: &str| desk.ok(&format!("explain model --data {data} {more}"));
    let whole = parse(&ask("--format json"));
    assert_eq!(terms(&whole, *rows, *k), *k, "no score uses all of its K terms");
    assert_eq!(terms(&parse(&ask("--format json --k 1")), *rows, 1), 1);

    let some = parse(&ask("--format json --rows 1,3-4"));
    let list = whole.as_array().unwrap();
    for term in list.iter().flat_map(outputs).flat_map(|o| of(o, "terms")) {
        let name = term["name"].as_str().unwrap();
        assert!(features.iter().any(|start| name.starts_with(start)), "{term}");
    }
    assert_eq!(some.as_array().unwrap()[..], [list[1].clone(), list[3].clone(), list[4].clone()]);

    let csv = ask("--format csv --rows 0-2");
    let header = "row,output,score,intercept,feature,value,observed,weight,level,contribution";
    assert!(csv.starts_with(header), "{csv}");
    let lines: usize = list[..3].iter().flat_map(outputs).map(|o| of(o, "terms").len()).sum();
    assert_eq!(csv.lines().count(), 1 + lines);

    let table = ask("--rows 0,2");
    // "row 0:", or "row 0 (left.png):" where every sample has its own file.
    let file = whole[0]["file"].as_str().map(|path| path.rsplit('/').next().unwrap());
    let headline = |row: usize, file: Option<&str>| match file {
        Some(file) => format!("row {row} ({file}): predicted"),
        None => format!("row {row}: predicted"),
    };
    assert!(table.contains(&headline(0, file)) && table.contains("row 2"), "{table}");
    assert_eq!(table.matches(" predicted ").count(), 2, "{table}");
    assert!(!table.contains('\u{1b}'), "{table}");

    ask("--format html --out page.html");
    let page = desk.read_text("page.html");
    assert!(page.starts_with("<!") && page.trim_end().ends_with("</html>"));
    // Addresses that only name a namespace are not loaded.
    let loads = page.replace("http://www.w3.org/", "");
    for foreign in ["http://", "https://", "src=\"//", "@import"] {
        assert!(!loads.contains(foreign), "the page has {foreign}");
    }
    std::fs::remove_file(desk.path("page.html")).unwrap();
}

/// The list that an object has under a name.
#[track_caller]
fn of<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().unwrap_or_else(|| panic!("no list {name} in {object}"))
}

fn outputs(explanation: &Value) -> &[Value] {
    of(explanation, "outputs")
}

/// Checks that every score is the sum of its at most `k` terms; gives the most that any has.
#[track_caller]
fn terms(explanations: &Value, rows: usize, k: usize) -> usize {
    let list = explanations.as_array().unwrap();
    assert_eq!(list.len(), rows);
    let mut most = 0;
    for output in list.iter().flat_map(outputs) {
        let terms = of(output, "terms");
        most = most.max(terms.len());
        assert!(terms.len() <= k, "{output}");
        let sum: f64 = terms.iter().map(|t| t["contribution"].as_f64().unwrap()).sum();
        let (score, intercept) = (&output["score"], &output["intercept"]);
        let error = score.as_f64().unwrap() - intercept.as_f64().unwrap() - sum;
        assert!(error.abs() <= 1e-4, "{output}");
        for term in terms {
            let [value, weight, contribution] =
                ["value", "weight", "contribution"].map(|key| term[key].as_f64().unwrap());
            let level = term.get("level").map_or(0.0, |level| level.as_f64().unwrap());
            assert!((level + value * weight - contribution).abs() <= 1e-9, "{term}");
        }
    }
    most
}

#[track_caller]
fn evaluate(desk: &Desk, expected: &Expected<'_>) {
    let Expected { data, rows, k, classes, .. } = expected;
    let report = parse(&desk.ok(&format!("evaluate model --data {data} --json")));
    assert_eq!((&report["n"], &report["k"]), (&(*rows).into(), &(*k).into()));
    assert!(["text", "image", "tabular"].contains(&report["task"].as_str().unwrap()));
    assert!(report["features_max"].as_u64().unwrap() as usize <= *k);
    assert!(report["features_mean"].as_f64().unwrap() <= *k as f64);
    assert!(report["sum_difference_max"].as_f64().unwrap() <= 1e-4);
    assert!(report["seconds"].as_f64().unwrap() >= 0.0);
    let metrics: &[&str] = match classes.len() {
        0 => &["r2", "rmse", "mae", "median_error"],
        2 => &["accuracy", "auroc", "log_loss", "brier"],
        _ => &["accuracy", "log_loss", "brier"],
    };
    let all = ["accuracy", "auroc", "log_loss", "brier", "r2", "rmse", "mae", "median_error"];
    for metric in all {
        assert_eq!(report[metric].is_f64(), metrics.contains(&metric), "{metric} in {report}");
    }
    let smaller = parse(&desk.ok(&format!("evaluate model --data {data} --json --k 1")));
    assert_eq!((&smaller["k"], &smaller["features_max"]), (&1.into(), &1.into()));
    let lines = desk.ok(&format!("evaluate model --data {data}"));
    assert!(lines.contains("samples") && lines.contains("seconds"), "{lines}");
    let printed: &[&str] =
        if classes.is_empty() { &["MAE", "median error"] } else { &["log loss", "Brier score"] };
    assert!(printed.iter().all(|name| lines.contains(name)), "{lines}");
}
