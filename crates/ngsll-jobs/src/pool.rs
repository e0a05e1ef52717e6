//! Runs jobs in parallel, each on its own threads, and reports their progress.
//!
//! Training on one thread gets more done per core than training on two, and its result does not
//! depend on the number of threads, so each job has its own rayon pool, of one thread where there are
//! as many jobs as cores.

use ngsll::error::{Error, Result};
use ngsll::train::Event;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Receives progress updates and may request a stop.
pub trait Observer: Sync {
    /// Called when a job finishes and regularly while jobs run, from the threads of the jobs.
    fn update(&self, update: &ProgressUpdate);

    /// Whether the work should stop; finished results are kept.
    fn should_stop(&self) -> bool;
}

/// The progress of all jobs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// The number of finished jobs.
    pub done: usize,
    /// The number of all jobs.
    pub jobs: usize,
    /// The fraction of the work that is done, by the estimated cost of the jobs: 0 to 1.
    pub fraction: f64,
    /// The estimated time left, once there is enough progress to estimate it from.
    pub time_left: Option<Duration>,
    /// The titles of the running jobs.
    pub running: Vec<String>,
    /// The title and duration of the job that has just finished, if this update reports one.
    pub finished: Option<(String, Duration)>,
}

/// A unit of work.
#[derive(Debug, Clone)]
pub struct Job<T> {
    /// Its name in progress updates and errors.
    pub title: String,
    /// Its estimated duration, in any unit that is the same for all jobs.
    pub cost: f64,
    /// The number of epochs it trains for if none of its trainings stops early.
    pub epochs: f64,
    /// The argument of the worker function.
    pub task: T,
}

/// The state of all jobs.
struct PoolState {
    started: Instant,
    /// The cost of each job and the fraction of it that is done.
    shares: Vec<(f64, f64)>,
    titles: Vec<String>,
    /// Indices of the running jobs.
    running: Vec<usize>,
    done: usize,
}

impl PoolState {
    fn update(&self, finished: Option<(String, Duration)>) -> ProgressUpdate {
        let total: f64 = self.shares.iter().map(|(cost, _)| cost).sum();
        let done: f64 = self.shares.iter().map(|(cost, share)| cost * share).sum();
        let fraction = if total > 0.0 { done / total } else { 1.0 };
        let elapsed = self.started.elapsed().as_secs_f64();
        // An earlier estimate would be far off.
        let known = fraction > 0.005 && elapsed > 1.0;
        ProgressUpdate {
            done: self.done,
            jobs: self.shares.len(),
            fraction,
            time_left: known
                .then(|| Duration::from_secs_f64(elapsed * (1.0 - fraction) / fraction)),
            running: self.running.iter().map(|&at| self.titles[at].clone()).collect(),
            finished,
        }
    }
}

/// Reports the progress of one running job.
pub struct JobProgress<'a> {
    state: &'a Mutex<PoolState>,
    observer: &'a dyn Observer,
    /// The job's index.
    job: usize,
    epochs: f64,
    epochs_done: f64,
    last_update: Instant,
}

impl std::fmt::Debug for JobProgress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobProgress").field("job", &self.job).finish_non_exhaustive()
    }
}

/// The interval between updates of the observer by a running job.
const UPDATE_EVERY: Duration = Duration::from_millis(200);

impl JobProgress<'_> {
    /// Counts a training event; breaks when the observer requests a stop.
    pub fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Step { step, steps, .. } => {
                self.advance_to(self.epochs_done + step as f64 / steps.max(1) as f64)
            }
            Event::Epoch { .. } => {
                self.epochs_done += 1.0;
                self.advance_to(self.epochs_done)
            }
            _ => self.advance_to(self.epochs_done),
        }
    }

    /// Sets how many of the job's epochs are done; breaks when the observer requests a stop.
    pub fn advance_to(&mut self, epochs: f64) -> ControlFlow<()> {
        if self.last_update.elapsed() > UPDATE_EVERY {
            self.last_update = Instant::now();
            let update = {
                let mut state = lock(self.state);
                state.shares[self.job].1 = (epochs / self.epochs.max(1.0)).min(0.99);
                state.update(None)
            };
            self.observer.update(&update);
        }
        if self.observer.should_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A job that ended without a result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The job's title.
    pub title: String,
    /// Why it failed.
    pub error: Error,
}

/// Runs all jobs, the most expensive first, `workers` at a time. A job that fails, such as a training
/// that diverges, does not stop the others. When the observer requests a stop, no further job is
/// started and the result is [`Error::Interrupted`].
///
/// `threads` are those of each job.
pub fn run<T: Sync>(
    mut jobs: Vec<Job<T>>,
    workers: usize,
    threads: usize,
    observer: &dyn Observer,
    work: impl Fn(&T, &mut JobProgress<'_>) -> Result<()> + Sync,
) -> Result<Vec<Failure>> {
    jobs.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    let state = Mutex::new(PoolState {
        started: Instant::now(),
        shares: jobs.iter().map(|job| (job.cost, 0.0)).collect(),
        titles: jobs.iter().map(|job| job.title.clone()).collect(),
        running: Vec::new(),
        done: 0,
    });
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..jobs.len()).collect());
    let failed: Mutex<Vec<Failure>> = Mutex::default();
    let worker = || {
        while let Some(index) = next(&queue, observer) {
            lock(&state).running.push(index);
            let (job, started) = (&jobs[index], Instant::now());
            let mut progress = JobProgress {
                state: &state,
                observer,
                job: index,
                epochs: job.epochs,
                epochs_done: 0.0,
                last_update: started,
            };
            let result = on_threads(threads, || work(&job.task, &mut progress));
            let mut state = lock(&state);
            state.running.retain(|&other| other != index);
            // A failed job takes no more time either.
            state.shares[index].1 = 1.0;
            match result {
                Ok(()) => {
                    state.done += 1;
                    let update = state.update(Some((job.title.clone(), started.elapsed())));
                    drop(state);
                    observer.update(&update);
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
    if interrupted || lock(&state).done + failed.len() < jobs.len() {
        return Err(Error::Interrupted);
    }
    Ok(failed)
}

fn next(queue: &Mutex<VecDeque<usize>>, observer: &dyn Observer) -> Option<usize> {
    if observer.should_stop() { None } else { lock(queue).pop_front() }
}

/// Runs `work` in a rayon pool of so many threads, or on the current thread if none can be created.
fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Nothing panics while it holds one of these locks, so a poisoned one still guards valid data.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Requests a stop after a number of finished jobs.
    struct StopAfter(usize, AtomicUsize);

    impl Observer for StopAfter {
        fn update(&self, update: &ProgressUpdate) {
            self.1.store(update.done, Ordering::SeqCst);
        }

        fn should_stop(&self) -> bool {
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
        run(jobs(10), 3, 1, &observer, |&i, _| {
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
        let one = |_: &usize, _: &mut JobProgress<'_>| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        assert!(matches!(run(jobs(10), 1, 1, &observer, one), Err(Error::Interrupted)));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn an_error_stops_only_its_own_job_and_is_reported() {
        let observer = StopAfter(100, AtomicUsize::new(0));
        let failing = |&i: &usize, _: &mut JobProgress<'_>| match i {
            7 => Err(Error::setting("x", 7, "not 7")),
            _ => Ok(()),
        };
        let failed = run(jobs(10), 1, 1, &observer, failing).unwrap();
        let failures: Vec<_> = failed.iter().map(|f| format!("{}: {}", f.title, f.error)).collect();
        assert_eq!(failures, ["7: x = 7: not 7"]);
        assert_eq!(observer.1.load(Ordering::SeqCst), 9);
    }

    /// Stores the fraction of the last update.
    struct LastFraction(Mutex<f64>);

    impl Observer for LastFraction {
        fn update(&self, update: &ProgressUpdate) {
            *lock(&self.0) = update.fraction;
        }

        fn should_stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_failed_job_counts_as_done_in_the_fraction() {
        let observer = LastFraction(Mutex::new(0.0));
        let failing = |&i: &usize, _: &mut JobProgress<'_>| match i {
            7 => Err(Error::setting("x", 7, "not 7")),
            _ => Ok(()),
        };
        run(jobs(10), 1, 1, &observer, failing).unwrap();
        assert_eq!(*lock(&observer.0), 1.0);
    }
}
