//! The same seed gives the same model, whatever happens on the way.

use crate::common::data::{houses, reviews};
use crate::common::{Desk, QUICK, QUICK_TEXT};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

fn weights(desk: &Desk, model: &str) -> Vec<u8> {
    desk.read(&format!("{model}/model.safetensors"))
}

#[test]
fn a_seed_decides_the_model() {
    let desk = Desk::new();
    desk.write("houses.csv", houses());
    let train = format!("train --task tabular --data houses.csv --target kind --k 2 {QUICK}");
    for (seed, out) in [(7, "one"), (7, "two"), (8, "three")] {
        desk.ok(&format!("{train} --seed {seed} --out {out}"));
    }
    assert!(weights(&desk, "one") == weights(&desk, "two"), "the same seed, other weights");
    assert!(weights(&desk, "one") != weights(&desk, "three"), "another seed, the same weights");
}

#[test]
fn a_models_own_options_make_it_again() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let options = format!("--k 3 --seed 5 --valid-fraction 0.2 {QUICK_TEXT}");
    desk.ok(&format!("train --task text --data reviews.tsv {options} --out model"));
    desk.ok("train --config model/train.toml --out again");
    assert_eq!(desk.read_text("model/train.toml"), desk.read_text("again/train.toml"));
    assert!(weights(&desk, "model") == weights(&desk, "again"), "the same options, other weights");
    // Flags go before the file.
    desk.ok("train --config model/train.toml --k 1 --out smaller");
    assert!(desk.ok("describe smaller").contains("at most 1"));
}

#[test]
#[cfg(unix)]
fn an_interrupted_training_resumes_to_the_same_model() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews().repeat(20));
    let train = format!(
        "train --task text --data reviews.tsv --k 2 {QUICK_TEXT} --set training.epochs=20 \
         --set training.batch_size=16"
    );
    desk.ok(&format!("{train} --out whole"));

    let mut command = desk.command(&format!("{train} --out model"));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("epoch 1/")), "no line about an epoch");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let last = lines.last().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{last}");
    assert!(last.starts_with("error: ") && last.contains("--resume"), "{last}");
    assert!(desk.path("model.checkpoint/state.json").exists());
    assert!(!desk.path("model").exists());

    desk.ok(&format!("{train} --out model --resume"));
    assert!(!desk.path("model.checkpoint").exists());
    assert!(weights(&desk, "whole") == weights(&desk, "model"), "resumed to other weights");
}
