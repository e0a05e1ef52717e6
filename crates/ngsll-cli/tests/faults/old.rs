//! Model folders of every format that was ever written: they load, and give the same answers.
//!
//! A folder `format-N` holds models of `tests/common`'s data with few units, the samples that they were asked about,
//! and what the program of that time said (`ngsll explain MODEL --data FILE --format json`).

use crate::common::Desk;
use serde_json::Value;
use std::path::Path;

/// Another processor may round differently.
const TOLERANCE: f64 = 1e-4;

#[test]
fn models_of_earlier_formats_answer_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/old_models");
    let desk = Desk::new();
    let mut formats = 0;
    for format in std::fs::read_dir(&folder).unwrap() {
        let format = format.unwrap().path();
        let mut models = 0;
        for (model, data) in [
            ("text", "texts.jsonl"),
            ("whole", "texts.jsonl"),
            ("table", "rows.csv"),
            ("image", "images-idx3-ubyte"),
        ] {
            let [path, data] = [model, data].map(|name| format.join(name).display().to_string());
            // Not every format had all of these.
            let Ok(expected) = std::fs::read(format.join(format!("{model}.answers.json"))) else {
                continue;
            };
            let found = desk.ok(&format!("explain {path} --data {data} --format json"));
            let found: Value = serde_json::from_str(&found).unwrap();
            alike(&found, &serde_json::from_slice(&expected).unwrap(), &path);
            models += 1;
        }
        assert!(models > 2, "{}", format.display());
        formats += 1;
    }
    assert!(formats > 0);
}

/// All that was said then is said now; what is new may stand beside it.
fn alike(found: &Value, expected: &Value, at: &str) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (name, value) in expected {
                let own = found.get(name).unwrap_or_else(|| panic!("{at}/{name} is missing"));
                alike(own, value, &format!("{at}/{name}"));
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{at}");
            for (i, pair) in found.iter().zip(expected).enumerate() {
                alike(pair.0, pair.1, &format!("{at}/{i}"));
            }
        }
        (Value::Number(found), Value::Number(expected)) => {
            let [a, b] = [found, expected].map(|number| number.as_f64().unwrap());
            assert!((a - b).abs() <= TOLERANCE * b.abs().max(1.0), "{at}: {a}, not {b}");
        }
        _ => assert_eq!(found, expected, "{at}"),
    }
}
