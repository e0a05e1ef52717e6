//! Executions of a target by their numbers, on several threads, and what is kept of those that fail.

use crate::mutate::Random;
use std::any::Any;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Changes of each target unless `NGSLL_FUZZ` says otherwise.
const EXECUTIONS: u64 = 1500;
/// The time of each target where nothing is asked for.
const SECONDS: u64 = 7;
/// A target that fails as often as this is left.
const MOST_FAILURES: u64 = 20;

/// Statistics of a target.
#[derive(Default)]
struct Tally {
    next: AtomicU64,
    done: AtomicU64,
    failures: AtomicU64,
    stopped: AtomicBool,
    /// The slowest execution, and its number.
    longest: Mutex<(Duration, u64)>,
}

/// What a campaign may do.
struct Settings {
    executions: u64,
    /// The number of the first.
    from: u64,
    limit: Duration,
    jobs: u64,
    /// Where failures are kept.
    out: Option<PathBuf>,
}

impl Settings {
    fn of_environment() -> Self {
        let number =
            |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let asked = number("NGSLL_FUZZ");
        let limit = number("NGSLL_FUZZ_SECONDS").or(asked.is_none().then_some(SECONDS));
        Self {
            executions: asked.unwrap_or(EXECUTIONS),
            from: number("NGSLL_FUZZ_FROM").unwrap_or(0),
            limit: limit.map_or(Duration::MAX, Duration::from_secs),
            jobs: number("NGSLL_FUZZ_JOBS").unwrap_or(1),
            out: std::env::var_os("NGSLL_FUZZ_OUT").map(PathBuf::from),
        }
    }
}

/// Calls what `worker` makes, once on each thread, with random numbers of its own for each execution. A panic is told
/// with the number that repeats it, and kept with its input where there is a folder for that.
pub fn campaign<W: FnMut(&mut Random<'_>)>(target: &str, worker: impl Fn() -> W + Sync) {
    let failures = run(target, &Settings::of_environment(), worker);
    assert!(failures == 0, "{target} panicked {failures} times");
}

/// A campaign; the number of panics.
fn run<W: FnMut(&mut Random<'_>)>(
    target: &str,
    settings: &Settings,
    worker: impl Fn() -> W + Sync,
) -> u64 {
    let (out, start, tally) = (settings.out.as_deref(), Instant::now(), Tally::default());
    let kept = out.map(|out| Kept { out, target });
    let work = |job: u64| {
        let mut run = worker();
        // Some take seconds to be made, which are not those of the executions.
        let ready = Instant::now();
        let running = out.map(|_| Running::new(target, job));
        while !tally.stopped.load(Relaxed) && ready.elapsed() < settings.limit {
            let at = tally.next.fetch_add(1, Relaxed);
            if at >= settings.executions {
                break;
            }
            let (execution, begin) = (settings.from.saturating_add(at), Instant::now());
            if let Some(running) = &running {
                running.begins(execution);
            }
            // One that is repeated may end the program, so its input is kept before.
            let keep = kept.as_ref().filter(|_| settings.executions == 1);
            if let Err(panic) = try_one(&mut run, execution, keep) {
                say(&format!("{target} panics; repeat it with NGSLL_FUZZ_FROM={execution}"));
                // It may have left what it works on half changed.
                run = worker();
                if let Some(kept) = &kept {
                    kept.file(execution, "panic.txt", message(&*panic).as_bytes());
                    drop(try_one(&mut run, execution, Some(kept)));
                    run = worker();
                }
                let failures = tally.failures.fetch_add(1, Relaxed) + 1;
                if kept.is_none() || failures >= MOST_FAILURES {
                    tally.stopped.store(true, Relaxed);
                }
            }
            tally.done.fetch_add(1, Relaxed);
            let mut longest = tally.longest.lock().unwrap();
            *longest = (*longest).max((begin.elapsed(), execution));
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        (0..settings.jobs).for_each(|job| {
            scope.spawn(move || work(job));
        });
    });
    let (done, seconds) = (tally.done.into_inner(), start.elapsed().as_secs_f64());
    let (longest, slowest) = tally.longest.into_inner().unwrap();
    say(&format!(
        "{target:14} {done:9} executions in {seconds:6.1} s, {:8.0} a second; the longest {:.3} s, number {slowest}{}",
        done as f64 / seconds,
        longest.as_secs_f64(),
        peak_memory()
    ));
    tally.failures.into_inner()
}

/// One execution; the error is what it panicked with.
fn try_one(
    run: &mut impl FnMut(&mut Random<'_>),
    execution: u64,
    kept: Option<&Kept<'_>>,
) -> Result<(), Box<dyn Any + Send>> {
    let keep = |name: &str, bytes: &[u8]| {
        if let Some(kept) = kept {
            kept.file(execution, name, bytes);
        }
    };
    let mut random = Random::new(execution, kept.is_some().then_some(&keep));
    catch_unwind(AssertUnwindSafe(|| run(&mut random)))
}

/// Where inputs are kept.
struct Kept<'a> {
    out: &'a Path,
    target: &'a str,
}

impl Kept<'_> {
    fn file(&self, execution: u64, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.out).unwrap();
        let target = self.target.replace(' ', "_");
        fs::write(self.out.join(format!("{target}-{execution}.{name}")), bytes).unwrap();
    }
}

/// A file with the number of the execution that a thread is at: it is left where the program is ended in the middle.
struct Running {
    path: PathBuf,
    file: File,
}

impl Running {
    fn new(target: &str, job: u64) -> Self {
        // Not among what is kept: a disk that is busy may hold up a write for a minute.
        let name = format!("{}.{job}.running", target.replace(' ', "_"));
        let path = std::env::temp_dir().join(name);
        Self { file: File::create(&path).unwrap(), path }
    }

    fn begins(&self, execution: u64) {
        self.file.write_all_at(format!("{execution:020}\n").as_bytes(), 0).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The most memory that the program has had so far, where the system says it.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().split(' ').next()?.parse::<u64>().ok());
    kilobytes.map(|size| format!("; {} MiB at most", size / 1024)).unwrap_or_default()
}

/// Not by eprintln!, which the test harness would swallow.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn failures_are_kept_with_their_input() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let settings = |from, executions| Settings {
        executions,
        from,
        limit: Duration::MAX,
        jobs: 3,
        out: Some(out.clone()),
    };
    // What a worker does depends on the number of the execution alone.
    let worker = || {
        let mut broken = false;
        move |random: &mut Random<'_>| {
            assert!(!broken, "used after a panic");
            let input = random.below(100) as u8;
            random.reads("input", &[input]);
            broken = input < 2;
            assert!(!broken, "input {input}");
        }
    };
    let failures = run("a target", &settings(0, 200), worker);
    assert!(failures > 0 && failures < 20, "{failures}");
    let files: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len() as u64, 2 * failures, "{files:?}");
    for file in files.iter().filter(|file| file.extension().unwrap() == "input") {
        let [input] = fs::read(file).unwrap()[..] else { panic!("{file:?}") };
        let said = fs::read_to_string(file.with_extension("panic.txt")).unwrap();
        assert_eq!(said, format!("input {input}"));
    }
    // No more than enough, and one that is repeated is kept before.
    assert!(run("a target", &settings(0, 100_000), worker) < MOST_FAILURES + 3);
    fs::remove_dir_all(&out).unwrap();
    assert_eq!(
        run("a target", &settings(7, 1), worker) + fs::read_dir(&out).unwrap().count() as u64,
        1
    );
}
