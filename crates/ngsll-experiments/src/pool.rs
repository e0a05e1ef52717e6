//! Jobs side by side, each on a thread of its own, and how far they are.
//!
//! A training on one thread does more per core than one on two, and its result does not depend on
//! the number of threads; so every worker has a rayon pool of one thread.

use ngsll::error::{Error, Result};
use ngsll::train::Event;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Is told how far the work is, and may ask it to stop.
pub trait Observer: Sync {
    /// Takes news.
    fn news(&self, news: &News);

    /// Whether the work is to stop; finished cells are kept.
    fn stop(&self) -> bool;
}

/// How far the work is.
#[derive(Debug, Clone)]
pub struct News {
    /// Jobs that are done.
    pub done: usize,
    /// All jobs.
    pub jobs: usize,
    /// The share of the work that is done, by the guessed cost of the jobs.
    pub share: f64,
    /// A guess of the time left.
    pub left: Option<Duration>,
    /// What is running.
    pub running: Vec<String>,
    /// What was just finished, and how long it took.
    pub finished: Option<(String, Duration)>,
}

/// Something to compute.
#[derive(Debug, Clone)]
pub struct Job<T> {
    /// What people call it.
    pub title: String,
    /// About how long it takes, in any unit that is the same for all.
    pub cost: f64,
    /// Epochs that its trainings take if none ends early.
    pub epochs: f64,
    /// What is to be done.
    pub task: T,
}

/// The state of all jobs.
struct Board {
    started: Instant,
    /// Cost of each job, and the share of it that is done; by place in the list.
    shares: Vec<(f64, f64)>,
    titles: Vec<String>,
    running: Vec<usize>,
    done: usize,
}

impl Board {
    fn news(&self, finished: Option<(String, Duration)>) -> News {
        let total: f64 = self.shares.iter().map(|(cost, _)| cost).sum();
        let done: f64 = self.shares.iter().map(|(cost, share)| cost * share).sum();
        let share = if total > 0.0 { done / total } else { 1.0 };
        let elapsed = self.started.elapsed().as_secs_f64();
        // Before that a guess would be a wild one.
        let known = share > 0.005 && elapsed > 1.0;
        News {
            done: self.done,
            jobs: self.shares.len(),
            share,
            left: known.then(|| Duration::from_secs_f64(elapsed * (1.0 - share) / share)),
            running: self.running.iter().map(|&at| self.titles[at].clone()).collect(),
            finished,
        }
    }
}

/// A running job's line to the board.
pub struct Watch<'a> {
    board: &'a Mutex<Board>,
    observer: &'a dyn Observer,
    at: usize,
    epochs: f64,
    seen: f64,
    told: Instant,
}

/// The observer hears from a running job this often.
const TELL_EVERY: Duration = Duration::from_millis(200);

impl Watch<'_> {
    /// Takes an event of a training; asks to stop where the observer does.
    pub fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Step { step, steps, .. } => {
                self.come_to(self.seen + step as f64 / steps.max(1) as f64)
            }
            Event::Epoch { .. } => {
                self.seen += 1.0;
                self.come_to(self.seen)
            }
        }
    }

    /// So many of the job's epochs are behind it; asks to stop where the observer does.
    pub fn come_to(&mut self, now: f64) -> ControlFlow<()> {
        if self.told.elapsed() > TELL_EVERY {
            self.told = Instant::now();
            let news = {
                let mut board = lock(self.board);
                board.shares[self.at].1 = (now / self.epochs.max(1.0)).min(0.99);
                board.news(None)
            };
            self.observer.news(&news);
        }
        if self.observer.stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A job that ended without a result.
#[derive(Debug)]
pub struct Failure {
    /// What people call it.
    pub title: String,
    /// Why.
    pub error: Error,
}

/// Runs all jobs, the costly ones first, `workers` at a time. One that fails, as a training that
/// diverges does, does not keep the others from their work. When the observer asks, no new one is
/// begun, and the answer is [`Error::Interrupted`].
pub fn run<T: Sync>(
    mut jobs: Vec<Job<T>>,
    workers: usize,
    observer: &dyn Observer,
    work: impl Fn(&T, &mut Watch<'_>) -> Result<()> + Sync,
) -> Result<Vec<Failure>> {
    jobs.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    let board = Mutex::new(Board {
        started: Instant::now(),
        shares: jobs.iter().map(|job| (job.cost, 0.0)).collect(),
        titles: jobs.iter().map(|job| job.title.clone()).collect(),
        running: Vec::new(),
        done: 0,
    });
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..jobs.len()).collect());
    let failed: Mutex<Vec<Failure>> = Mutex::default();
    let worker = || {
        while let Some(at) = next(&queue, observer) {
            lock(&board).running.push(at);
            let (job, started) = (&jobs[at], Instant::now());
            let mut watch =
                Watch { board: &board, observer, at, epochs: job.epochs, seen: 0.0, told: started };
            let result = on_one_thread(|| work(&job.task, &mut watch));
            let mut board = lock(&board);
            board.running.retain(|&other| other != at);
            // Nothing more is to be waited for, whatever came of it.
            board.shares[at].1 = 1.0;
            match result {
                Ok(()) => {
                    board.done += 1;
                    let news = board.news(Some((job.title.clone(), started.elapsed())));
                    drop(board);
                    observer.news(&news);
                }
                Err(error) => {
                    lock(&failed).push(Failure { title: job.title.clone(), error });
                }
            }
        }
    };
    std::thread::scope(|scope| {
        (0..workers.clamp(1, jobs.len().max(1))).for_each(|_| drop(scope.spawn(worker)));
    });
    let failed = std::mem::take(&mut *lock(&failed));
    let interrupted = failed.iter().any(|f| matches!(f.error, Error::Interrupted));
    if interrupted || lock(&board).done + failed.len() < jobs.len() {
        return Err(Error::Interrupted);
    }
    Ok(failed)
}

fn next(queue: &Mutex<VecDeque<usize>>, observer: &dyn Observer) -> Option<usize> {
    if observer.stop() { None } else { lock(queue).pop_front() }
}

/// Runs `work` in a rayon pool of one thread; without one, where it is.
fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// A worker that panicked has left nothing half-done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Asks to stop after a number of finished jobs.
    struct StopAfter(usize, AtomicUsize);

    impl Observer for StopAfter {
        fn news(&self, news: &News) {
            self.1.store(news.done, Ordering::SeqCst);
        }

        fn stop(&self) -> bool {
            self.1.load(Ordering::SeqCst) >= self.0
        }
    }

    fn jobs(n: usize) -> Vec<Job<usize>> {
        (0..n).map(|i| Job { title: i.to_string(), cost: i as f64, epochs: 1.0, task: i }).collect()
    }

    #[test]
    fn every_job_runs_once_on_one_thread_of_rayon() {
        let done: Mutex<Vec<usize>> = Mutex::default();
        let observer = StopAfter(100, AtomicUsize::new(0));
        run(jobs(10), 3, &observer, |&i, _| {
            assert_eq!(rayon::current_num_threads(), 1);
            lock(&done).push(i);
            Ok(())
        })
        .unwrap();
        let mut done = lock(&done).clone();
        done.sort_unstable();
        assert_eq!(done, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn a_stop_leaves_the_rest_undone() {
        let count = AtomicUsize::new(0);
        let observer = StopAfter(2, AtomicUsize::new(0));
        let one = |_: &usize, _: &mut Watch<'_>| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        assert!(matches!(run(jobs(10), 1, &observer, one), Err(Error::Interrupted)));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn an_error_stops_its_own_job_alone_and_is_told() {
        let observer = StopAfter(100, AtomicUsize::new(0));
        let failing = |&i: &usize, _: &mut Watch<'_>| match i {
            7 => Err(Error::setting("x", 7, "not 7")),
            _ => Ok(()),
        };
        let failed = run(jobs(10), 1, &observer, failing).unwrap();
        let said: Vec<_> = failed.iter().map(|f| format!("{}: {}", f.title, f.error)).collect();
        assert_eq!(said, ["7: x = 7: not 7"]);
        assert_eq!(observer.1.load(Ordering::SeqCst), 9);
    }

    /// Keeps the share of the last news.
    struct Share(Mutex<f64>);

    impl Observer for Share {
        fn news(&self, news: &News) {
            *lock(&self.0) = news.share;
        }

        fn stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_job_that_failed_is_not_waited_for() {
        let observer = Share(Mutex::new(0.0));
        let failing = |&i: &usize, _: &mut Watch<'_>| match i {
            7 => Err(Error::setting("x", 7, "not 7")),
            _ => Ok(()),
        };
        run(jobs(10), 1, &observer, failing).unwrap();
        assert_eq!(*lock(&observer.0), 1.0);
    }
}
