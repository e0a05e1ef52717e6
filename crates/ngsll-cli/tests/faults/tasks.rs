//! The disturbed commands: a training of each kind of sample, and the paper's experiments.

use crate::common::{Desk, data};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files with their content, folders with none.
pub type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Work that a command does.
pub struct Task {
    pub name: &'static str,
    pub prepare: fn(&Desk),
    pub command: &'static str,
    /// The arguments added when the command is resumed.
    pub again: &'static str,
    /// Model folders, which are whole wherever they are.
    pub models: &'static [&'static str],
    /// Takes away what differs between equal runs, such as times.
    pub same: fn(Files) -> Files,
}

pub const TASKS: [Task; 4] = [
    Task {
        name: "training on texts",
        prepare: |desk| desk.write("reviews.tsv", data::reviews()),
        command: "train --task text --data reviews.tsv --k 2 --out model --quiet \
             --set training.epochs=4 --set generator.units=8 --set generator.filters=8 \
             --set generator.embedding=8",
        again: " --resume",
        models: &["model"],
        same: |files| files,
    },
    Task {
        name: "training on a table",
        prepare: |desk| desk.write("houses.csv", data::houses()),
        command: "train --task tabular --data houses.csv --target kind --k 2 --out model --quiet --judge \
             --set training.epochs=2 --set generator.units=8",
        again: " --resume",
        models: &["model"],
        same: |files| files,
    },
    Task {
        name: "training on images",
        prepare: |desk| {
            let (images, labels) = data::digits(40);
            desk.write("images-idx3-ubyte", images);
            desk.write("labels-idx1-ubyte", labels);
        },
        command: "train --task image --data images-idx3-ubyte --k 2 --out model --quiet \
             --set training.epochs=2 --set generator.units=8 --set generator.channels=[4,4] \
             --set representation.cells=[4,4]",
        again: " --resume",
        models: &["model"],
        same: |files| files,
    },
    Task {
        name: "reproduce",
        prepare: paper_like,
        command: "reproduce text-accuracy --data data --out out --methods ridge,ngsll --k 1 --seeds 1 \
             --epochs 1 --jobs 1 --quiet",
        again: "",
        models: &[],
        same: without_times,
    },
];

/// Small files in the places of the paper's data sets.
fn paper_like(desk: &Desk) {
    let words = ["what", "who", "where", "why", "when", "how many"];
    let lines = |classes: usize, from: usize| -> String {
        let line = |i: usize| format!("{}\t{} is it {}\n", i % classes, words[i % classes], i % 5);
        (from..from + 60).map(line).collect()
    };
    for (name, classes) in [("mpqa", 2), ("subj", 2)] {
        desk.write(&format!("data/{name}/{name}.tsv"), lines(classes, 0));
        desk.write(&format!("data/{name}/labels.txt"), "a\nb\n");
    }
    desk.write("data/trec/train.tsv", lines(6, 0));
    desk.write("data/trec/test.tsv", lines(6, 60));
    desk.write("data/trec/labels.txt", "a\nb\nc\nd\ne\nf\n");
}

/// Results are the same except for the seconds that they took; records and page name these and the machine's.
fn without_times(mut files: Files) -> Files {
    for (path, bytes) in &mut files {
        let Some(bytes) = bytes else { continue };
        match path.to_str().unwrap() {
            "out/results.csv" => {
                let text = String::from_utf8(std::mem::take(bytes)).unwrap();
                let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
                let names = rows.next().unwrap();
                let time = names.iter().position(|name| name.starts_with("seconds")).unwrap();
                let kept = rows.map(|mut row| {
                    row.remove(time);
                    row.join(",") + "\n"
                });
                *bytes = kept.collect::<String>().into_bytes();
            }
            "out/records.jsonl" | "out/README.md" => bytes.clear(),
            _ => {}
        }
    }
    files
}
