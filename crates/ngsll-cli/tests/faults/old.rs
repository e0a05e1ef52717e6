//! Model folders of every format that is read: they load, and give the same answers.
//!
//! A folder `format-N` holds models of `tests/common`'s data with few units, the samples that they were asked about,
//! and what the program of that time said (`ngsll explain MODEL --data FILE --format json`). Format 2 is of commit
//! 702306d, before models predicted from chosen features alone. Format 1, of the first hours, is refused.

use crate::common::Desk;
use serde_json::Value;
use std::path::Path;

/// Sums of single precision are made in another order than they once were, and another processor may round differently.
const TOLERANCE: f64 = 1e-6;
/// Every model, and what it is asked about. Not every format had all of them.
const MODELS: [(&str, &str); 5] = [
    ("text", "texts.txt"),
    ("whole", "texts.txt"),
    ("table", "rows.csv"),
    ("number", "kinds.csv"),
    ("image", "images-idx3-ubyte"),
];

#[test]
fn models_of_earlier_formats_answer_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/old_models");
    let desk = Desk::new();
    let mut formats = Vec::new();
    for format in std::fs::read_dir(&folder).unwrap() {
        let format = format.unwrap().path();
        let mut models = 0;
        for (model, data) in MODELS {
            let [path, data] = [model, data].map(|name| format.join(name).display().to_string());
            let Ok(expected) = std::fs::read(format.join(format!("{model}.answers.json"))) else {
                continue;
            };
            let found = desk.ok(&format!("explain {path} --data {data} --format json"));
            let found: Value = serde_json::from_str(&found).unwrap();
            alike(&found, &serde_json::from_slice(&expected).unwrap(), &path);
            desk.ok(&format!("describe {path}"));
            desk.ok(&format!("export {path} --onnx {model}.onnx"));
            std::fs::remove_file(desk.path(&format!("{model}.onnx"))).unwrap();
            models += 1;
        }
        assert!(models > 3, "{}", format.display());
        formats.push(format.file_name().unwrap().to_owned());
    }
    formats.sort();
    assert_eq!(formats, ["format-2", "format-3"]);
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
