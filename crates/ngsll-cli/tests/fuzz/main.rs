//! Every parser that meets foreign bytes: good files and requests, changed at random, by bytes and by their structure.
//! Inputs that once failed are in `corpus/TARGET/` and are read on every run.
//!
//! | variable | |
//! |---|---|
//! | `NGSLL_FUZZ` | changes of each target; the default is what CI has time for |
//! | `NGSLL_FUZZ_SECONDS` | no target takes longer |
//! | `NGSLL_FUZZ_JOBS` | threads of each target, 1 unless it is given |
//! | `NGSLL_FUZZ_FROM` | the number of the first change, to repeat one |
//!
//! `fuzz/run` is a long campaign. The program needs neither cargo nor the sources, so it can be run on another machine:
//! `NGSLL_FUZZ=1000000 NGSLL_FUZZ_JOBS=16 ./fuzz --test-threads=1`.

mod checkpoints;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod folders;
mod models;
mod mutate;
mod readers;
mod requests;

use mutate::Random;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Changes of each target unless `NGSLL_FUZZ` says otherwise.
const EXECUTIONS: u64 = 1500;
/// The default time of each target.
const SECONDS: u64 = 7;

/// Statistics of a target.
#[derive(Default)]
struct Tally {
    next: AtomicU64,
    done: AtomicU64,
    failed: AtomicBool,
    /// The slowest execution, and its number.
    longest: Mutex<(Duration, u64)>,
}

/// Calls what `worker` makes, once on each thread, with new random numbers for each execution. A panic is told
/// with the number that repeats it.
fn campaign<W: FnMut(&mut Random)>(target: &str, worker: impl Fn() -> W + Sync) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (asked, from) = (number("NGSLL_FUZZ"), number("NGSLL_FUZZ_FROM").unwrap_or(0));
    let limit = number("NGSLL_FUZZ_SECONDS").or(asked.is_none().then_some(SECONDS));
    let limit = limit.map_or(Duration::MAX, Duration::from_secs);
    let (executions, start, tally) =
        (asked.unwrap_or(EXECUTIONS), Instant::now(), Tally::default());
    let work = || {
        let mut run = worker();
        while !tally.failed.load(Relaxed) && start.elapsed() < limit {
            let at = tally.next.fetch_add(1, Relaxed);
            if at >= executions {
                break;
            }
            let (execution, begin) = (from.saturating_add(at), Instant::now());
            let mut random = Random::new(execution);
            if catch_unwind(AssertUnwindSafe(|| run(&mut random))).is_err() {
                tally.failed.store(true, Relaxed);
                say(&format!("{target} panics; repeat it with NGSLL_FUZZ_FROM={execution}"));
            }
            tally.done.fetch_add(1, Relaxed);
            let mut longest = tally.longest.lock().unwrap();
            *longest = (*longest).max((begin.elapsed(), execution));
        }
    };
    std::thread::scope(|scope| {
        (0..number("NGSLL_FUZZ_JOBS").unwrap_or(1)).for_each(|_| drop(scope.spawn(work)));
    });
    let (done, seconds) = (tally.done.into_inner(), start.elapsed().as_secs_f64());
    let (longest, slowest) = tally.longest.into_inner().unwrap();
    say(&format!(
        "{target:14} {done:9} executions in {seconds:6.1} s, {:8.0} a second; the longest {:.3} s, number {slowest}",
        done as f64 / seconds,
        longest.as_secs_f64()
    ));
    assert!(!tally.failed.into_inner(), "{target} panicked");
}

/// Not by eprintln!, which the test harness would swallow.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
