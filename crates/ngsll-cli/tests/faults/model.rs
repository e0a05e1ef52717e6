//! Model folders from a stranger, with a manifest that fits: sizes that cannot be, and sizes that can but are not
//! those of the weights.

use crate::common::{Desk, Done, QUICK, data};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::process::Command;

/// Sets a value in a file of the model and makes the manifest anew.
fn change(desk: &Desk, file: &str, pointer: &str, value: Value) {
    let mut content: Value = serde_json::from_slice(&desk.read(&format!("model/{file}"))).unwrap();
    let place = content.pointer_mut(pointer);
    *place.unwrap_or_else(|| panic!("{file} has no {pointer}")) = value;
    rewrite(desk, file, &content);
}

fn rewrite(desk: &Desk, file: &str, content: &Value) {
    rewrite_bytes(desk, file, &serde_json::to_vec(content).unwrap());
}

fn rewrite_bytes(desk: &Desk, file: &str, bytes: &[u8]) {
    let mut manifest: Value = serde_json::from_slice(&desk.read("model/manifest.json")).unwrap();
    manifest[file] =
        json!({"bytes": bytes.len(), "sha256": format!("{:x}", Sha256::digest(bytes))});
    desk.write(&format!("model/{file}"), bytes);
    desk.write("model/manifest.json", serde_json::to_string_pretty(&manifest).unwrap() + "\n");
}

/// Runs a command with at most 4 GiB of memory.
fn run_bounded(desk: &Desk, args: &str) -> Done {
    let inner = desk.command(args);
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -v 4194304; exec \"$0\" \"$@\"");
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(desk.path(""));
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Each change makes the folder one that is refused with a sentence which holds the words.
fn refused_after(desk: &Desk, args: &str, changes: &[(&str, &str, Value, &str)]) {
    let before = desk.files();
    for (file, pointer, value, words) in changes {
        change(desk, file, pointer, value.clone());
        let done = run_bounded(desk, args);
        let what = format!("{file} {pointer} = {value}\n{done:?}");
        assert_eq!(done.code, Some(2), "{what}");
        assert_eq!(done.err.lines().count(), 1, "{what}");
        assert!(done.err.starts_with("error: model/"), "{what}");
        assert!(done.err.contains(words), "{what}");
        for (path, bytes) in &before {
            bytes.iter().for_each(|bytes| std::fs::write(path, bytes).unwrap());
        }
    }
    desk.ok(args);
}

#[test]
fn sizes_of_a_text_model() {
    let desk = Desk::new();
    desk.text_model();
    let huge = json!(1_u64 << 40);
    let config = "config.json";
    refused_after(
        &desk,
        "predict model --data reviews.tsv",
        &[
            (config, "/config/generator/units", json!(65_536), "generator."),
            (config, "/config/generator/units", huge.clone(), "expected a size from 1 to 65536"),
            (config, "/config/generator/embedding", json!(9), "generator."),
            (config, "/config/generator/filters", json!(60_000), "generator."),
            (config, "/config/generator/widths", json!([1_000_000_000]), "from 1 to 64"),
            (config, "/config/generator/widths", json!(vec![3; 1000]), "at most 100"),
            (config, "/config/k", json!(0), "k = 0: K must be at least 1"),
            (config, "/config/k", json!(1_u64 << 60), "K may be at most 1048576"),
            (config, "/config/representation/max_tokens", huge.clone(), "from 1 to 1048576"),
            (config, "/config/task", json!("image"), "does not match the options"),
            (config, "/objective/classes", json!(["neg"]), "what is predicted is neither"),
            (config, "/objective/classes", json!(["neg", "neg"]), "what is predicted is neither"),
            (config, "/objective/kind", json!("classes"), "what is predicted is neither"),
            ("vocabulary.json", "/vocabulary", json!([]), "it has no words"),
            ("vocabulary.json", "/vocabulary", json!(["a", "a"]), "it contains a word twice"),
            ("vocabulary.json", "/config/max_tokens", json!(0), "from 1 to 1048576"),
        ],
    );
}

#[test]
fn sizes_of_an_image_model() {
    let desk = Desk::new();
    desk.image_model();
    let huge = json!(1_u64 << 40);
    let regions = |runs: Value| json!({"width": 8, "height": 8, "runs": runs, "names": []});
    let config = "config.json";
    let grid = desk.read("model/grid.json");
    let mut grid: Value = serde_json::from_slice(&grid).unwrap();
    grid["regions"] = Value::Null;
    rewrite(&desk, "grid.json", &grid);
    refused_after(
        &desk,
        "predict model --data images-idx3-ubyte",
        &[
            (config, "/config/generator/layers", json!(1_000_000_000), "at most 100"),
            (config, "/config/generator/channels", huge.clone(), "expected a list"),
            (config, "/config/generator/channels", json!([4, 1_u64 << 40]), "from 1 to 65536"),
            (config, "/config/generator/channels", json!([65_536, 65_536]), "generator."),
            ("grid.json", "/rows", json!(16), "do not fit images of 8×8 pixels"),
            ("grid.json", "/rows", huge.clone(), "do not fit"),
            ("grid.json", "/columns", json!(0), "do not fit"),
            ("grid.json", "/height", huge.clone(), "expected 1 to"),
            ("grid.json", "/width", json!(0), "expected 1 to"),
            ("grid.json", "/channels", huge.clone(), "expected 1 to"),
            (
                "grid.json",
                "/regions",
                regions(json!([[0, 1_u64 << 40]])),
                "the regions do not fit an image",
            ),
            ("grid.json", "/regions", regions(json!([[9, 64]])), "the regions do not fit an image"),
        ],
    );
}

#[test]
fn sizes_of_a_table_model() {
    let desk = Desk::new();
    desk.table_model();
    let config = "config.json";
    refused_after(
        &desk,
        "predict model --data houses.csv",
        &[
            (config, "/config/generator/units", json!(65_536), "the network"),
            (config, "/config/generator/layers", json!(1_000_000_000), "from 1 to 100"),
            (config, "/config/generator/members", json!(100), "model.safetensors"),
            (config, "/config/generator/embedding", json!(60_000), "model.safetensors"),
            (config, "/config/representation/bins", json!(1_u64 << 40), "from 0 to 65536"),
            ("columns.json", "/columns/0/deviation", json!(0.0), "not valid for a numeric column"),
            (
                "columns.json",
                "/columns/0/borders",
                json!([1.0, 1.0]),
                "not valid for a numeric column",
            ),
            (
                "columns.json",
                "/columns/0/borders",
                json!([1.0, 1e300]),
                "not valid for a numeric column",
            ),
            ("columns.json", "/columns", json!([]), "it has no columns"),
        ],
    );
}

#[test]
fn sizes_requested_in_training() {
    let desk = Desk::new();
    desk.text_model();
    std::fs::rename(desk.path("model"), desk.path("other")).unwrap();
    for (set, words) in [
        ("generator.units=65536", "parameters, at most 268435456 are possible"),
        ("generator.units=9999999999", "expected a size from 1 to 65536"),
        ("generator.widths=[1000000000]", "expected a size from 1 to 64"),
        ("generator.members=1000000000", "expected a size from 1 to 100"),
        ("training.batch_size=1099511627776", "a whole number from 1 to 65536"),
        ("representation.max_tokens=1099511627776", "a whole number from 1 to 1048576"),
    ] {
        // Two layers of units, so that their product counts.
        let kind = match set.starts_with("generator.units=65") {
            true => "--set generator.kind=sentence_cnn --set generator.layers=2 --evidence whole",
            false => "",
        };
        let args =
            format!("train --task text --data reviews.tsv --out model --quiet {kind} --set {set}");
        let done = run_bounded(&desk, &args);
        assert_eq!(done.code, Some(2), "{args}\n{done:?}");
        assert!(done.err.contains(words), "{args}\n{done:?}");
        assert!(!desk.path("model").exists() && !desk.path("model.checkpoint").exists());
    }
}

#[test]
fn a_number_that_cannot_be_predicted() {
    let desk = Desk::new();
    desk.write("houses.csv", data::houses());
    desk.ok(&format!(
        "train --task tabular --data houses.csv --target price --k 2 {QUICK} --out model"
    ));
    let scale = |correction: f64| {
        let scale = json!({"kind": "log", "correction": correction});
        json!({"kind": "regression", "target": "price", "mean": 5, "deviation": 1, "scale": scale})
    };
    let before = desk.read("model/config.json");
    let refused = [("config.json", "/objective", scale(1000.0), "what is predicted is neither")];
    refused_after(&desk, "predict model --data houses.csv", &refused);
    // A number has this logarithm, but none has one that is larger by what the network adds.
    change(&desk, "config.json", "/objective", scale(740.0));
    for command in ["predict", "explain"] {
        let done = desk.run(&format!("{command} model --data houses.csv --format json"));
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.err.contains("the model's prediction is not a finite number"), "{done:?}");
        assert_eq!(done.out, "", "{done:?}");
    }
    rewrite_bytes(&desk, "config.json", &before);
    desk.ok("predict model --data houses.csv");
}

#[test]
fn a_configuration_that_is_longer_than_any() {
    let desk = Desk::new();
    desk.text_model();
    let config = String::from_utf8(desk.read("model/config.json")).unwrap();
    // A list of nothing takes some thirty times its length where it is read as any JSON.
    let longer = |zeros: usize| {
        let list = "0,".repeat(zeros) + "0";
        config.replacen('{', &format!("{{\"more\": [{list}],"), 1)
    };
    rewrite_bytes(&desk, "config.json", longer(75 << 20).as_bytes());
    let done = run_bounded(&desk, "describe model");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.err.contains("config.json: ") && done.err.contains("at most 33554432"),
        "{done:?}"
    );
    rewrite_bytes(&desk, "config.json", longer(15 << 20).as_bytes());
    assert_eq!(run_bounded(&desk, "describe model").code, Some(0));
}

#[test]
fn activations_are_bounded() {
    let desk = Desk::new();
    desk.write("reviews.tsv", data::reviews());
    let wide = "--set generator.filters=65536 --set generator.embedding=1 --set generator.units=1 \
         --set generator.widths=[1] --set training.epochs=1";
    desk.ok(&format!("train --task text --data reviews.tsv --k 2 {wide} --out model --quiet"));
    desk.write("long.txt", format!("{}\n", "good film ".repeat(150)).repeat(16));
    let done = run_bounded(&desk, "predict model --data long.txt");
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn what_a_model_says_does_not_steer_the_terminal() {
    let desk = Desk::new();
    desk.table_model();
    let title = "\u{1b}]0;a title\u{7}\u{9b}31m";
    // A class, a fact of the model card, and a value that is quoted as wrong.
    change(&desk, "config.json", "/objective/classes/0", json!(format!("{title}big")));
    change(&desk, "config.json", "/notes/facts/0/1", json!(format!("{title}here")));
    let steers = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
    let shown = desk.ok("describe model");
    assert!(shown.contains("]0;a title") && !steers(&shown), "{shown:?}");
    change(&desk, "columns.json", "/columns/0/kind", json!(title));
    let refused = desk.run("describe model");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("]0;a title") && !steers(&refused.err), "{refused:?}");
}
