//! Rows of tables.

use super::{get, models, post, server};
use serde_json::{Value, json};

#[tokio::test]
async fn rows_are_read_as_files_are() {
    let app = server();
    let rows = json!([
        { "size": 3.5, "colour": "red" },
        { "size": "3.5", "colour": " red " },
        { "size": null, "colour": null },
        { "size": "NA", "colour": "" },
    ]);
    let answer = post(&app, "houses/explain", json!({ "row": rows }).to_string()).await.ok();
    let explained = |i: usize| &answer["explanations"][i];
    assert_eq!(explained(0), explained(1));
    assert_eq!(explained(2), explained(3));
    // A missing column carries information, too.
    let missing = explained(2)["outputs"][0]["terms"].as_array().unwrap();
    assert_eq!(missing.len(), 2);
    assert!(missing.iter().all(|term| term["observed"] == "missing" && term["value"] == 0.0));
    let terms = explained(0)["outputs"][0]["terms"].as_array().unwrap();
    let size = terms.iter().find(|term| term["name"] == "size").unwrap();
    assert_eq!(size["observed"], "3.5");
    let colour = terms.iter().find(|term| term["name"] == "colour").unwrap();
    assert_eq!(colour["observed"], "red");

    let row = r#"{"row": {"size": 3.5, "colour": "red"}}"#;
    let price = post(&app, "prices/infer", row).await.ok();
    assert!(price["predictions"][0]["value"].is_f64(), "{price}");
}

#[tokio::test]
async fn a_level_that_training_never_saw_is_answered_with_a_note() {
    let app = server();
    let body = r#"{"row": [{"size": 1, "colour": "pink"}, {"size": 1, "colour": "red"}]}"#;
    let answer = post(&app, "houses/explain", body).await.ok();
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.contains("\"colour\"") && note.contains("in 1 of 2 rows"), "{note}");
    let inputs = json!({ "inputs": [
        { "name": "size", "shape": [1], "datatype": "FP64", "data": [1] },
        { "name": "colour", "shape": [1], "datatype": "BYTES", "data": ["pink"] },
    ] });
    let answer = post(&app, "houses/infer", inputs.to_string()).await.ok();
    let note = answer["parameters"]["notes"].as_str().unwrap();
    assert!(note.contains("in 1 of 1 rows"), "{note}");
}

#[tokio::test]
async fn bad_rows_are_refused_with_what_was_expected() {
    let app = server();
    for (row, parts) in [
        (r#"{"size": 1}"#, &["row 0", "\"colour\" (a text) is not given", "null stands"][..]),
        (r#"{}"#, &["columns \"size\" (a number), \"colour\" (a text) are not given"]),
        (r#"{"colour": "red"}"#, &["\"size\" (a number) is not given"]),
        (r#"{"size": 1, "colour": "red", "seize": 2}"#, &["no column \"seize\"", "size, colour"]),
        (r#"{"size": "big", "colour": "red"}"#, &["row 0, column \"size\"", "not a number"]),
        (r#"{"size": "inf", "colour": "red"}"#, &["inf is not a finite number"]),
        (r#"{"size": true, "colour": "red"}"#, &["\"true\" is not a number"]),
        (r#"{"size": 1e999, "colour": "red"}"#, &["number out of range"]),
        (r#"{"size": NaN, "colour": "red"}"#, &["not valid JSON"]),
        (r#"{"size": [1], "colour": "red"}"#, &["a number, a text, true, false or null"]),
        (r#"{"size": 1e300, "colour": "red"}"#, &["too large for this model"]),
        ("[]", &["0 samples"]),
        ("3", &["one sample or a list of samples"]),
    ] {
        post(&app, "houses/explain", format!("{{\"row\": {row}}}")).await.refused(400, parts);
    }
}

/// One bad request does not spoil those that are in flight with it.
#[tokio::test]
async fn a_bad_row_fails_its_own_request_only() {
    let app = server();
    let size = |i: usize| if i == 5 { 1e300 } else { i as f64 };
    let asked = (0..12).map(|i| {
        let body = json!({ "row": { "size": size(i), "colour": "red" } }).to_string();
        let app = app.clone();
        tokio::spawn(async move { post(&app, "houses/explain", body).await })
    });
    let asked: Vec<_> = asked.collect();
    for (i, answer) in asked.into_iter().enumerate() {
        assert_eq!(answer.await.unwrap().status, if i == 5 { 400 } else { 200 });
    }
}

#[tokio::test]
async fn the_metadata_name_every_column() {
    let app = server();
    let about = get(&app, "/v2/models/houses").await.ok();
    let tensor =
        |name: &str, datatype: &str| json!({ "name": name, "datatype": datatype, "shape": [-1] });
    assert_eq!(about["inputs"], json!([tensor("size", "FP64"), tensor("colour", "BYTES")]));
    assert_eq!(about["classes"], json!(models()["houses"].objective().classes()));
    let about = get(&app, "/v2/models/prices").await.ok();
    assert_eq!(
        (&about["outputs"], &about["classes"]),
        (&json!([tensor("value", "FP64")]), &Value::Array(vec![]))
    );
}
