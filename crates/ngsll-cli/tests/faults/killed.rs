//! Work that is killed, or refused by the system, at any call that changes the disk, or at any moment: after each, a
//! model is absent or complete, and the same command once more ends in the bytes of an undisturbed run.
//!
//! `NGSLL_KILLS=200` tries that many points of each kind; the default is a sample. Downloads are disturbed beside their
//! code, in `commands/get`, where they can be led to a server of the test.

use crate::common::Desk;
use crate::strace::{self, SystemCall};
use crate::tasks::{Files, TASKS, Task};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// System calls that change the disk; `write` also writes to terminals, and `openat` also reads.
const CALLS: &str =
    "write,fsync,fdatasync,ftruncate,openat,rename,renameat2,linkat,mkdir,unlink,unlinkat,rmdir";

/// What happens at a place, in strace's words, and the calls that it can happen to.
struct Fault {
    what: &'static str,
    calls: &'static str,
    /// Whether it lasts.
    lasting: bool,
}

const KILL: Fault = Fault { what: "signal=KILL", calls: CALLS, lasting: false };
const FULL_DISK: Fault = Fault {
    what: "error=ENOSPC",
    calls: "write,fsync,fdatasync,ftruncate,openat,rename,renameat2,linkat,mkdir",
    lasting: false,
};
const READ_ONLY: Fault = Fault {
    what: "error=EROFS",
    calls: "openat,rename,renameat2,linkat,mkdir,unlink,unlinkat,rmdir",
    lasting: true,
};
const NO_DESCRIPTORS: Fault = Fault { what: "error=EMFILE", calls: "openat", lasting: true };

/// Places that are tried for each kind of fault.
fn places() -> usize {
    std::env::var("NGSLL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

/// Says what was done; not by eprintln!, which the test harness would swallow.
fn counted(what: &str, number: usize) {
    let _ = writeln!(std::io::stderr(), "{what}: {number} tried");
}

/// An undisturbed run.
struct Reference {
    files: Files,
    /// Where it can be disturbed, in the order of time.
    places: Vec<SystemCall>,
    /// How long it takes without being traced.
    time: Duration,
}

impl Task {
    fn desk(&self) -> Desk {
        let desk = Desk::new();
        (self.prepare)(&desk);
        desk
    }

    /// The files by their names in the folder of the run, without what equal runs differ in.
    fn files(&self, desk: &Desk) -> Files {
        let files = desk
            .files()
            .into_iter()
            .map(|(path, bytes)| (path.strip_prefix(desk.path("")).unwrap().to_path_buf(), bytes));
        (self.same)(files.collect())
    }

    fn reference(&self) -> Reference {
        let desk = self.desk();
        let start = Instant::now();
        desk.ok(self.command);
        let (files, time) = (self.files(&desk), start.elapsed());
        let desk = self.desk();
        let (done, record) = strace::recorded(&desk, &[&format!("-etrace={CALLS}")], self.command);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Reference { files, places: strace::places(&record, &desk), time }
    }

    /// Ends what was disturbed, and compares.
    fn ends_as(&self, expected: &Files, desk: &Desk, how: &str) {
        let name = self.name;
        for model in self.models {
            if desk.path(model).exists() {
                desk.ok(&format!("describe {model}"));
            }
        }
        desk.ok(&format!("{}{}", self.command, self.again));
        let found = self.files(desk);
        let (names, wanted) = (found.keys(), expected.keys());
        assert!(names.clone().eq(wanted.clone()), "{name}, {how}: {names:?}, not {wanted:?}");
        for (path, bytes) in expected {
            assert!(found[path] == *bytes, "{name}, {how}: other bytes in {}", path.display());
        }
    }
}

/// The undisturbed run of each task, made once for all tests.
fn references() -> impl Iterator<Item = (&'static Task, &'static Reference)> {
    static REFERENCES: OnceLock<Vec<Reference>> = OnceLock::new();
    let all = REFERENCES.get_or_init(|| TASKS.iter().map(Task::reference).collect());
    TASKS.iter().zip(all)
}

/// Disturbs each task at places that are spread over its time. A place counts if it was reached: threads take turns
/// at what they do, so that some have fewer calls than in the undisturbed run.
fn disturbed(test: &str, fault: &Fault, check: impl Fn(&Output, &str)) {
    if !strace::is_there(test) {
        return;
    }
    let Fault { what, calls, lasting } = fault;
    for (task, reference) in references() {
        let all = reference.places.iter().filter(|place| calls.split(',').any(|c| c == place.call));
        let all: Vec<&SystemCall> = all.collect();
        let tried = places().min(all.len());
        let mut reached = 0;
        for at in 0..tried {
            // In the middle of each part, so that few places are not all at the start.
            let SystemCall { call, number } = all[(2 * at + 1) * all.len() / (2 * tried)];
            let how = format!("{what} at {call} {number}");
            let desk = task.desk();
            let plus = if *lasting { "+" } else { "" };
            let inject = format!("-einject={call}:{what}:when={number}{plus}");
            let options = [&format!("-etrace={call}"), &inject];
            let (done, record) =
                strace::recorded(&desk, &options.map(String::as_str), task.command);
            reached += usize::from(is_killed(&done) || record.contains("(INJECTED)"));
            check(&done, &how);
            task.ends_as(&reference.files, &desk, &how);
        }
        assert!(tried > 0 && 2 * reached >= tried, "{}: {reached} of {tried} reached", task.name);
        counted(&format!("{} with {what}", task.name), reached);
    }
}

/// Whether the program, and strace with it, was killed.
fn is_killed(done: &Output) -> bool {
    done.status.signal() == Some(9) || done.status.code() == Some(128 + 9)
}

/// The program ends well or says in a sentence why it does not.
fn answers(done: &Output, how: &str) {
    let printed = String::from_utf8_lossy(&done.stderr);
    let sentence = printed.lines().count() == 1 && printed.starts_with("error: ");
    let told = done.status.code() == Some(2) && (sentence || printed.is_empty());
    assert!(done.status.success() || told, "{how}: {:?} {printed}", done.status);
}

#[test]
fn work_that_is_killed_at_any_call_goes_on_to_the_same_bytes() {
    disturbed("work that is killed", &KILL, |done, how| {
        assert!(is_killed(done) || done.status.success(), "{how}: {:?}", done.status);
    });
}

#[test]
fn a_full_disk_is_a_sentence_and_nothing_is_lost() {
    disturbed("a full disk", &FULL_DISK, answers);
}

#[test]
fn a_disk_that_becomes_read_only_is_a_sentence_and_nothing_is_lost() {
    disturbed("a disk that becomes read-only", &READ_ONLY, answers);
}

#[test]
fn no_descriptors_are_a_sentence_and_nothing_is_lost() {
    disturbed("no descriptors", &NO_DESCRIPTORS, answers);
}

#[test]
fn work_that_is_killed_at_any_moment_goes_on_to_the_same_bytes() {
    if !strace::is_there("work that is killed at any moment") {
        return;
    }
    let mut random = 1_u64;
    for (task, reference) in references() {
        let (mut killed, mut longest) = (0, reference.time);
        for _ in 0..2 * places() {
            if killed == places() {
                break;
            }
            // A linear congruential generator; its upper bits are good enough.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moment = longest.mul_f64((random >> 40) as f64 / (1 << 24) as f64);
            let desk = task.desk();
            let mut command = desk.command(task.command);
            let command = command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut process = command.spawn().unwrap();
            std::thread::sleep(moment);
            process.kill().unwrap();
            match process.wait().unwrap().signal() == Some(9) {
                true => killed += 1,
                // It had ended: the machine was busier in the undisturbed run.
                false => longest = moment,
            }
            task.ends_as(&reference.files, &desk, &format!("killed after {moment:?}"));
        }
        assert!(killed > 0, "{}: it always ended before", task.name);
        counted(&format!("{} killed at a moment", task.name), killed);
    }
}
