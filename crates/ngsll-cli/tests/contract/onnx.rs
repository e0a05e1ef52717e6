//! Exported files in ONNX Runtime.

use crate::common::data::{digit, digits, houses, idx, noisy_rows, png};
use crate::common::{Desk, QUICK, QUICK_IMAGE, QUICK_TEXT};
use crate::{python, run};
use std::process::Command;

/// Trains a model, exports it with each K, and compares what the runtime makes of `new` with `ngsll explain`.
#[track_caller]
fn compare(desk: &Desk, python: &str, train: &str, new: &str, ks: &[usize]) {
    let _ = std::fs::remove_dir_all(desk.path("m"));
    desk.ok(&format!("train {train} --k 2 --out m"));
    for k in ks {
        let file = format!("{k}.onnx");
        let _ = std::fs::remove_file(desk.path(&file));
        desk.ok(&format!("export m --onnx {file} --k {k}"));
        let explained = desk.ok(&format!("explain m --data {new} --format json --k {k}"));
        desk.write("explained.json", explained);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/onnx.py");
        let files = [&file, new, "explained.json"];
        run(Command::new(python).args(["-B", script]).args(files).current_dir(desk.path("")));
    }
}

/// A row with a number, a count, a level and noise; some cells are empty. With `unseen`, some numbers are far
/// away and some levels unknown.
fn row(i: usize, unseen: bool) -> String {
    let wave = |step: usize| ((i * step) as f64 * 0.37).sin();
    let size = if unseen && i.is_multiple_of(11) { 1e6 } else { 80.0 + 30.0 * wave(5) };
    let rooms = 1 + i * 7 % 6;
    let colour = if unseen && i.is_multiple_of(5) { "pink" } else { ["red", "blue", ""][i % 3] };
    let price = 900.0 + 30.0 * (80.0 + 30.0 * wave(5)) + 120.0 * rooms as f64 + wave(3);
    let kind = ["low", "middle", "high"][((price / 1500.0) as usize).min(2)];
    let size = if i.is_multiple_of(9) { String::new() } else { format!("{size:.2}") };
    format!("{size},{rooms},{colour},{:.3},{price:.2},{kind}\n", wave(13))
}

fn rows(n: usize, unseen: bool) -> String {
    let rows = (0..n).map(|i| row(i, unseen)).collect::<String>();
    "size,rooms,colour,noise,price,kind\n".to_string() + &rows
}

#[test]
fn tables() {
    let Some(python) = python("onnxruntime") else { return };
    let desk = Desk::new();
    desk.write("rows.csv", rows(300, false));
    desk.write("new.csv", rows(200, true));
    let train = format!("--task tabular --data rows.csv {QUICK}");
    let compare = |train: &str, ks: &[usize]| compare(&desk, &python, train, "new.csv", ks);
    compare(&format!("{train} --target kind"), &[1, 2, 3]);
    compare(&format!("{train} --target price"), &[1, 2, 4]);
    compare(&format!("{train} --target price --set training.log_target=true"), &[2]);
    compare(&format!("{train} --target kind --set generator.kind=tabular_mlp"), &[2]);
    compare(&format!("{train} --target kind --evidence whole"), &[1, 2]);
    let shared = "--evidence whole --set training.gate=shared";
    compare(&format!("{train} --target kind {shared}"), &[2]);
}

#[test]
fn columns_that_are_never_chosen_are_no_inputs() {
    let Some(python) = python("onnxruntime") else { return };
    let desk = Desk::new();
    desk.write("rows.csv", noisy_rows(2200));
    let train = "--task tabular --data rows.csv --target y --set training.epochs=3";
    compare(&desk, &python, &format!("{train} --set generator.units=16"), "rows.csv", &[1, 3]);
    let never = "never chosen, as they do not help: a, b, c, d, e, f, g, h\n";
    let about = desk.ok("describe m");
    assert!(about.contains(never), "{about}");
    let printed = desk.run("export m --onnx again.onnx").err;
    assert!(printed.contains("inputs   x, w\n"), "{printed}");
}

/// Texts of very different lengths, with words that occur twice and words that training never saw.
fn lines(n: usize, unseen: bool) -> String {
    let words = ["good", "bad", "fine", "dull", "film", "plot", "the", "a", "very", "not"];
    let line = |i: usize| {
        let text: Vec<&str> =
            (0..1 + i * 7 % 23).map(|w| words[(i * i + 3 * w * w) % 10]).collect();
        let (text, end) = (text.join(" "), if i.is_multiple_of(3) { "" } else { "." });
        let new = if unseen && i.is_multiple_of(4) { "Unheard of. " } else { "" };
        format!("{}\t{new}{text}{end}\n", ["neg", "pos", "odd"][(i * i + 1) % 10 % 3])
    };
    (0..n).map(line).collect::<String>() + if unseen { "pos\tunheard\n" } else { "" }
}

/// Vectors for some of these words, and for one that training never saw.
fn vectors() -> String {
    let words = ["good", "bad", "dull", "film", ".", "unheard"].iter().enumerate();
    let line = |(i, word): (usize, &&str)| {
        let number = |j: usize| format!(" {:.3}", (((i + 2) * (3 * j + 1)) as f64).sin());
        format!("{word}{}\n", (0..8).map(number).collect::<String>())
    };
    words.map(line).collect()
}

#[test]
fn texts() {
    let Some(python) = python("onnxruntime") else { return };
    let desk = Desk::new();
    desk.write("texts.tsv", lines(200, false));
    desk.write("new.tsv", lines(120, true));
    let train = format!("--task text --data texts.tsv {QUICK_TEXT}");
    let compare = |train: &str, ks: &[usize]| compare(&desk, &python, train, "new.tsv", ks);
    compare(&train, &[1, 2, 5]);
    compare(&format!("{train} --set generator.members=2 --set representation.max_tokens=9"), &[2]);
    compare(&format!("{train} --set generator.kind=sentence_cnn"), &[1, 2]);
    compare(&format!("{train} --set representation.unit=sentence"), &[1]);
    compare(&format!("{train} --evidence whole"), &[1, 2]);
    compare(&format!("{train} --evidence whole --set generator.kind=sentence_cnn"), &[2]);
    desk.write("vectors.txt", vectors());
    let train = format!("{train} --set generator.vectors=vectors.txt");
    compare(&train, &[2]);
    compare(&format!("{train} --set generator.vectors_fixed=true"), &[1, 2]);
}

#[test]
fn images() {
    let Some(python) = python("onnxruntime") else { return };
    let desk = Desk::new();
    let (images, _) = digits(120);
    desk.write("images-idx3-ubyte", images);
    let labels: Vec<u8> = (0..120).map(|i| (i % 2 + i % 3) as u8).collect();
    desk.write("labels-idx1-ubyte", idx(&[120], &labels));
    let train = format!("--task image --data images-idx3-ubyte {QUICK_IMAGE}");
    let compare =
        |train: &str, ks: &[usize]| compare(&desk, &python, train, "images-idx3-ubyte", ks);
    compare(&train, &[1, 2, 5, 16]);
    // Sizes that do not divide, and more blocks than there is to pool.
    let odd = "--set generator.channels=[3,4,2,2,2] --set representation.cells=[3,5]";
    compare(&format!("--task image --data images-idx3-ubyte {QUICK} {odd}"), &[2]);
    compare(
        &format!("{train} --set generator.kind=image_cnn --set generator.channels=[4,6]"),
        &[2],
    );
    compare(&format!("{train} --evidence whole --group 0=a,1-3=b"), &[1, 2]);
}

/// The code of a document, block by block.
fn python_blocks(document: &str) -> impl Iterator<Item = &str> {
    document.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next())
}

#[test]
fn the_python_of_the_documents_runs() {
    let Some(python) = python("onnxruntime") else { return };
    let desk = Desk::new();
    desk.three_models();
    desk.write("people.csv", houses());
    desk.write("picture.png", png(8, 8, &digit(0)));
    for (model, name) in [("houses", "income"), ("reviews", "reviews"), ("digits", "shapes")] {
        desk.ok(&format!("export {model} --onnx {name}.onnx"));
    }
    let document = include_str!("../../../../docs/export.md");
    assert_eq!(python_blocks(document).count(), 3);
    for block in python_blocks(document) {
        run(Command::new(&python).args(["-B", "-c", block]).current_dir(desk.path("")));
    }
}
