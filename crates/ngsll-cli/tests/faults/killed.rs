//! Training that is killed, or refused by the system, at any call that changes the disk: after each, the model is not
//! there or is whole, and `--resume` ends in the bytes of the run that nobody disturbed.
//!
//! `NGSLL_KILLS=200` tries so many places of each kind; the default is a sample.

use crate::common::{Desk, data};
use crate::strace;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

const TRAIN: &str = "train --task text --data reviews.tsv --k 2 --out model --quiet \
     --set training.epochs=4 --set generator.units=8 --set generator.filters=8 \
     --set generator.embedding=8";

/// What changes the disk; `write` also writes to terminals.
const CALLS: &str = "write,fsync,rename,renameat2,mkdir,unlink,unlinkat,rmdir";

/// Places that are tried for each kind of fault.
fn places() -> usize {
    std::env::var("NGSLL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("reviews.tsv", data::reviews());
    desk
}

/// The files by their names in the folder of the run.
fn files(desk: &Desk) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let relative = |path: PathBuf| path.strip_prefix(desk.path("")).unwrap().to_path_buf();
    desk.files().into_iter().map(|(path, bytes)| (relative(path), bytes)).collect()
}

/// The undisturbed run: its files, and how many calls change the disk.
fn reference() -> (BTreeMap<PathBuf, Option<Vec<u8>>>, usize) {
    let desk = desk();
    let trace = format!("-etrace={CALLS}");
    let done = strace::run(&desk, &[&trace, "-o", "record"], TRAIN);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let calls = desk.read_text("record").lines().count();
    std::fs::remove_file(desk.path("record")).unwrap();
    (files(&desk), calls)
}

/// Disturbs a run at places that are spread over its calls.
fn disturbed(test: &str, fault: &str, check: impl Fn(std::process::Output, usize)) {
    if !strace::is_there(test) {
        return;
    }
    let (expected, calls) = reference();
    assert!(calls > 20, "{calls}");
    let places = places().min(calls);
    for place in 0..places {
        let at = 1 + place * calls / places;
        let desk = desk();
        let inject = format!("-einject={CALLS}:{fault}:when={at}");
        let done = strace::run(&desk, &[&inject, "-o", "/dev/null"], TRAIN);
        check(done, at);
        if desk.path("model").exists() {
            desk.ok("describe model");
        }
        desk.ok(&format!("{TRAIN} --resume"));
        let found = files(&desk);
        let (names, wanted) = (found.keys(), expected.keys());
        assert!(names.clone().eq(wanted.clone()), "{fault} at {at}: {names:?}, not {wanted:?}");
        assert!(found == expected, "{fault} at {at}: other bytes");
    }
}

#[test]
fn a_run_that_is_killed_anywhere_goes_on_to_the_same_bytes() {
    disturbed("a run that is killed", "signal=KILL", |done, at| {
        let signal = done.status.signal().or(done.status.code().map(|code| code - 128));
        // In the last calls there is nothing left to be killed.
        assert!(signal == Some(9) || done.status.success(), "{at}: {:?}", done.status);
    });
}

#[test]
fn a_full_disk_is_a_sentence_and_nothing_is_lost() {
    disturbed("a full disk", "error=ENOSPC", |done, at| {
        let said = String::from_utf8_lossy(&done.stderr);
        let sentence = said.lines().count() == 1 && said.starts_with("error: ");
        let ignored = done.status.success();
        let told = done.status.code() == Some(2) && (sentence || said.is_empty());
        assert!(ignored || told, "{at}: {:?} {said}", done.status);
    });
}
