//! Runs the command under `strace`, which records its system calls and can make them fail.

use crate::common::{Desk, left_out};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output};

/// Whether there is an `strace` that may trace.
pub fn is_there(test: &str) -> bool {
    let found = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let works = found.is_ok_and(|output| output.status.success());
    if !works {
        left_out(test, "strace");
    }
    works
}

/// Runs the command with options for `strace`.
pub fn run(desk: &Desk, options: &[&str], args: &str) -> Output {
    let traced = desk.command(args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(traced.get_program()).args(traced.get_args());
    command.current_dir(desk.path("")).output().expect("strace starts")
}

/// The same with the record of its calls, which is not left on the desk.
pub fn recorded(desk: &Desk, options: &[&str], args: &str) -> (Output, String) {
    let done = run(desk, &[options, &["-o", "record"]].concat(), args);
    let record = String::from_utf8_lossy(&desk.read("record")).into_owned();
    std::fs::remove_file(desk.path("record")).unwrap();
    (done, record)
}

/// A call that can be disturbed: strace counts the calls of each name by themselves, and those of each thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SystemCall {
    pub call: String,
    pub number: usize,
}

/// The places of a record in the order of time. Files that are opened elsewhere are left alone, and so is the start of
/// the program, which loads its libraries: a place is a number in every thread, so none may have such a file there.
pub fn places(record: &str, desk: &Desk) -> Vec<SystemCall> {
    let own = desk.path("").canonicalize().unwrap().display().to_string();
    let (mut counts, mut known) = (BTreeMap::new(), BTreeSet::new());
    let (mut elsewhere, mut last_library) = (BTreeSet::new(), 0);
    let mut places = Vec::new();
    for line in record.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or(("", line));
        // The rest of a call that another one has interrupted, a signal, an end.
        let Some((call, arguments)) = rest.trim_start().split_once('(') else { continue };
        if !call.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let number: &mut usize = counts.entry((thread, call)).or_default();
        *number += 1;
        let path = arguments.split('"').nth(1).unwrap_or_default();
        let is_own = call != "openat" || !path.starts_with('/') || path.starts_with(&own);
        let place = SystemCall { call: call.to_string(), number: *number };
        if !is_own {
            last_library =
                if path.contains(".so") { last_library.max(*number) } else { last_library };
            elsewhere.insert(place);
        } else if known.insert(place.clone()) {
            places.push(place);
        }
    }
    places.retain(|place| {
        place.call != "openat" || place.number > last_library && !elsewhere.contains(place)
    });
    places
}
