//! Texts whose words start from a file of vectors.

use crate::common::data::reviews;
use crate::common::{Desk, QUICK_TEXT};
use ngsll::representation::Tokenizer::Words;
use ngsll::representation::tokens;
use std::collections::BTreeSet;

/// A vector of 8 numbers for every word of the reviews, and for two that they lack.
pub fn glove() -> String {
    let reviews = reviews();
    let known: BTreeSet<&str> = tokens(&reviews, Words).map(|range| &reviews[range]).collect();
    let words = known.into_iter().chain(["marvellous", "New York"]).enumerate();
    let line = |(i, word): (usize, &str)| {
        let number = |j: usize| format!(" {:.4}", ((i + 1) as f64 * (j as f64 + 0.7)).sin());
        format!("{word}{}\n", (0..8).map(number).collect::<String>())
    };
    words.map(line).collect()
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("glove.txt", glove());
    desk
}

const TRAIN: &str = "train --task text --data reviews.tsv --set generator.vectors=glove.txt";

#[test]
fn the_file_is_needed_for_training_only() {
    let desk = desk();
    let printed = desk
        .run(&format!("{TRAIN} {QUICK_TEXT} --set generator.vectors_fixed=true --judge --out m"));
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    assert!(
        printed.err.contains(
            "of the training texts have a pretrained vector; words known only by their vectors: 3"
        ),
        "{}",
        printed.err
    );
    std::fs::remove_file(desk.path("glove.txt")).unwrap();
    desk.ok("explain m --data reviews.tsv");
    desk.ok("evaluate m --data reviews.tsv");
    desk.ok("export m --onnx m.onnx");
    desk.write("new.tsv", "marvellous\n");
    let explained = desk.ok("explain m --data new.tsv");
    assert!(explained.contains("marvellous"), "{explained}");
    // A judge is a training.
    desk.refused("judge m --data reviews.tsv", &["glove.txt: cannot read: No such file"]);
    desk.write("glove.txt", glove());
    desk.ok("judge m --data reviews.tsv");
}

#[test]
fn another_width_and_files_that_are_none() {
    let desk = desk();
    let narrow = format!("{TRAIN} --set generator.embedding=16 --out m");
    let expected =
        "--set generator.embedding=16: the word vectors have 8 numbers; leave this option out";
    desk.refused(&narrow, &[expected]);
    desk.write("cut.txt", glove() + "cut 1 2 3\n");
    let cut = format!("{TRAIN} {QUICK_TEXT} --set generator.vectors=cut.txt --out m");
    desk.refused(&cut, &["cut.txt line ", "expected a word and 8 numbers, found 3"]);
    let none = format!("{TRAIN} {QUICK_TEXT} --set generator.vectors=none.txt --out m");
    desk.refused(&none, &["none.txt: cannot read: No such file"]);
    let fixed = format!("train --task text --data reviews.tsv {QUICK_TEXT} --out m");
    let fixed = format!("{fixed} --set generator.vectors_fixed=true");
    desk.refused(&fixed, &["there are no vectors; name a file of them"]);
    let kind = format!("{TRAIN} --set generator.kind=sentence_cnn --out m");
    desk.refused(&kind, &["generator.vectors is not an option here; the options of generator are"]);
}

#[test]
fn tune_and_folds_read_the_file_once() {
    let desk = desk();
    desk.ok(&format!("{TRAIN} {QUICK_TEXT} --folds 2 --out folds"));
    let tune = TRAIN.replacen("train", "tune --trials 2 --jobs 1", 1);
    desk.ok(&format!("{tune} {QUICK_TEXT} --out tuned"));
}
