//! The state of the disk when the power goes: a model is complete before its checkpoint is removed.

use crate::common::{Desk, QUICK_TEXT, data};
use crate::strace;
use std::collections::{BTreeMap, BTreeSet};

/// Files and folders that one line of a record names.
struct Call {
    name: String,
    line: String,
}

impl Call {
    fn is(&self, name: &str, path: &str) -> bool {
        self.name.starts_with(name) && self.line.contains(path)
    }
}

/// The successful calls in the order of their ends; with `-y` every descriptor has its path.
fn calls(record: &str) -> Vec<Call> {
    // A call during which another thread made one is on two lines.
    let mut begun = BTreeMap::new();
    let mut calls = Vec::new();
    for line in record.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or(("", line));
        let rest = rest.trim_start();
        if let Some((begin, _)) = rest.split_once(" <unfinished ...>") {
            begun.insert(thread, begin);
            continue;
        }
        let end = rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>"));
        let line = match end {
            Some((_, end)) => format!("{}{end}", begun.remove(thread).unwrap_or_default()),
            None => rest.to_string(),
        };
        let name = line.split('(').next().unwrap_or_default().to_string();
        calls.push(Call { name, line });
    }
    calls.retain(|call| !call.line.contains(" = -1 "));
    calls
}

#[test]
fn a_model_is_on_disk_before_its_checkpoint_is_removed() {
    if !strace::is_there("a_model_is_on_disk_before_its_checkpoint_is_removed") {
        return;
    }
    let desk = Desk::new();
    desk.write("reviews.tsv", data::reviews());
    let traced = "-etrace=openat,fsync,rename,renameat,renameat2,mkdir,unlink,unlinkat,rmdir";
    let args = format!("train --task text --data reviews.tsv --k 2 {QUICK_TEXT} --out new/model");
    let done = strace::run(&desk, &["-y", traced, "-o", "record"], &args);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let calls = calls(&desk.read_text("record"));
    let at = |name: &str, path: &str, after: usize| {
        let found = calls[after..].iter().position(|call| call.is(name, path));
        found.map(|at| after + at).unwrap_or_else(|| panic!("no {name} of {path}"))
    };
    let rename = at("rename", "\"new/model\"", 0);
    // Every file of the model has been synced by then, and the folder.
    let written: BTreeSet<String> = std::fs::read_dir(desk.path("new/model"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(written.len() > 4, "{written:?}");
    for name in &written {
        let synced = calls[..rename].iter().any(|call| {
            call.is("fsync", &format!("/{name}>")) && call.line.contains("/.model.tmp-")
        });
        assert!(synced, "{name} is not synced before the folder gets its name");
    }
    let last = calls[..rename].iter().rposition(|call| call.name == "fsync").unwrap();
    assert!(calls[last].line.contains("/.model.tmp-"), "{}", calls[last].line);
    assert!(!calls[last].line.contains(".json>"), "the folder itself is the last");
    // Then its name, and only then is the checkpoint removed.
    let parent = at("fsync", "/new>", rename);
    let removed = at("unlink", "model.checkpoint/state.json", 0);
    assert!(rename < parent && parent < removed);
    // The name of the folder that was made for it lasts, too.
    let made = at("mkdir", "\"new\"", 0);
    assert!(
        at("fsync", &format!("{}>", desk.path(".").canonicalize().unwrap().display()), made)
            < removed
    );
}
