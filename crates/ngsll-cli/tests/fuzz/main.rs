//! Damaged files for every parser that meets foreign bytes: read or refused, never a panic.
//!
//! Good files of each format are changed at random, by bytes and by their structure. `NGSLL_FUZZ=N` runs N changes of
//! each (`fuzz/run N` does that, for the requests to the server as well); the default is what CI has time for. What
//! once failed lies in `corpus/TARGET/` and is read on every run. Requests are changed in `ngsll-serve`, `damaged.rs`.

#[path = "../common/mod.rs"]
mod common;
mod folders;
mod mutate;
mod readers;

use mutate::Random;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Changes of each target unless `NGSLL_FUZZ` says otherwise.
const EXECUTIONS: u64 = 1500;
/// No target takes longer than this unless `NGSLL_FUZZ` asks for a number.
const TIME: Duration = Duration::from_secs(7);

/// Calls `run` with random numbers of its own for each execution. A panic is told with the number that repeats it:
/// `NGSLL_FUZZ_FROM=NUMBER`.
fn campaign(target: &str, mut run: impl FnMut(&mut Random)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (asked, from) = (number("NGSLL_FUZZ"), number("NGSLL_FUZZ_FROM").unwrap_or(0));
    let (start, mut done) = (Instant::now(), 0);
    for execution in from..from.saturating_add(asked.unwrap_or(EXECUTIONS)) {
        if asked.is_none() && start.elapsed() > TIME {
            break;
        }
        let mut random = Random::new(execution);
        let result = catch_unwind(AssertUnwindSafe(|| run(&mut random)));
        assert!(result.is_ok(), "{target} panics; repeat it with NGSLL_FUZZ_FROM={execution}");
        done += 1;
    }
    // Not by eprintln!, which the test harness would swallow.
    let seconds = start.elapsed().as_secs_f64();
    let _ = writeln!(std::io::stderr(), "{target}: {done} executions in {seconds:.1} s");
}

/// The files that once failed.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/corpus")).join(target);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}
