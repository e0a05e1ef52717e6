//! Runs the command in a temporary folder, on data made there.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod data;
pub mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Options that make training a matter of a moment.
pub const QUICK: &str = "--set training.epochs=2 --set generator.units=8";
/// The same for text.
pub const QUICK_TEXT: &str = "--set training.epochs=2 --set generator.units=8 \
     --set generator.filters=8 --set generator.embedding=8";
/// The same for images of 8×8 pixels.
pub const QUICK_IMAGE: &str = "--set training.epochs=2 --set generator.units=8 \
     --set generator.channels=[4,4] --set representation.cells=[4,4]";

/// A folder in which commands run, so that messages name files as short as here.
pub struct Desk {
    folder: TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub struct Done {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Desk {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn read_text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The command with arguments that are separated by spaces.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ngsll"));
        command.args(args.split_whitespace()).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &str) -> Done {
        let output = self.command(args).output().expect("the command starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        Done { code: output.status.code(), out, err }
    }

    /// Runs a command that must succeed, and gives its output.
    #[track_caller]
    pub fn ok(&self, args: &str) -> String {
        let done = self.run(args);
        assert_eq!(done.code, Some(0), "ngsll {args}\n{}", done.err);
        done.out
    }

    /// Runs a command that must refuse with one sentence and leave everything unchanged; the
    /// sentence must hold all of `parts`.
    #[track_caller]
    pub fn refused(&self, args: &str, parts: &[&str]) {
        let before = self.files();
        let done = self.run(args);
        assert_eq!(done.code, Some(2), "ngsll {args}\n{done:?}");
        assert_eq!(done.err.lines().count(), 1, "not one line: ngsll {args}\n{}", done.err);
        let sentence = done.err.trim_end();
        assert!(sentence.starts_with("error: "), "ngsll {args}\n{sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{part:?} is not in {sentence:?}");
        }
        let after = self.files();
        assert!(before == after, "files changed: {:?} → {:?}", before.keys(), after.keys());
    }

    /// Every file with its content, every folder with none.
    pub fn files(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut files = BTreeMap::new();
        list(self.folder.path(), &mut files);
        files
    }

    /// Trains quick models `reviews`, `houses` and `digits`: text, a table, images.
    #[track_caller]
    pub fn three_models(&self) {
        let rename = |name: &str| fs::rename(self.path("model"), self.path(name)).unwrap();
        self.text_model();
        rename("reviews");
        self.table_model();
        rename("houses");
        self.image_model();
        rename("digits");
    }

    /// Trains a quick model `model` on texts of the classes neg and pos; K = 2.
    #[track_caller]
    pub fn text_model(&self) {
        self.write("reviews.tsv", data::reviews());
        self.ok(&format!("train --task text --data reviews.tsv --k 2 {QUICK_TEXT} --out model"));
    }

    /// Trains a quick model `model` on a table with the target `kind`; K = 2.
    #[track_caller]
    pub fn table_model(&self) {
        self.write("houses.csv", data::houses());
        let files = "--data houses.csv --target kind --out model";
        self.ok(&format!("train --task tabular {files} --k 2 {QUICK}"));
    }

    /// Trains a quick model `model` on IDX images of 8×8 pixels; K = 2.
    #[track_caller]
    pub fn image_model(&self) {
        let (images, labels) = data::digits(40);
        self.write("images-idx3-ubyte", images);
        self.write("labels-idx1-ubyte", labels);
        let files = "--data images-idx3-ubyte --out model";
        self.ok(&format!("train --task image {files} --k 2 {QUICK_IMAGE}"));
    }
}

fn list(folder: &Path, files: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, files);
            files.insert(path, None);
        } else {
            let bytes = fs::read(&path).unwrap();
            files.insert(path, Some(bytes));
        }
    }
}

/// Says that a part of a test was left out for want of `what`; where `CI=true` nothing may be left out.
#[track_caller]
pub fn left_out(test: &str, what: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{test} needs {what}");
    // Not by eprintln!, which the test harness would swallow.
    let _ = writeln!(std::io::stderr(), "left out: {test} needs {what}");
}
