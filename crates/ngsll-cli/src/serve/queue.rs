//! The samples that wait for a network, and the threads that take them from there.
//!
//! A thread that becomes free takes the oldest request and with it what else is waiting for the same
//! model and K, as far as that fits into one pass through the network. Nobody waits for others to
//! come: an idle server answers at once, a busy one fills its batches.

use super::error::ApiError;
use super::metrics::Metrics;
use super::state::Model;
use ngsll::Explanation;
use ngsll::data::Samples;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Samples of several requests that go through the network together. A pass of this size stays on its thread.
const TOGETHER: usize = 16;
/// Samples that may wait; with more the answer is to come back later.
const WAITING: usize = 4096;

/// What a request gets back.
type Answer = Result<Vec<Explanation>, ApiError>;

/// A request's samples, and who waits for them.
struct Job {
    model: Arc<Model>,
    k: usize,
    samples: Samples,
    reply: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    samples: usize,
    closed: bool,
}

/// A bounded queue and its threads.
pub struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    metrics: Arc<Metrics>,
}

impl Queue {
    /// A queue and `threads` threads that work on it until it is closed.
    pub fn start(threads: usize, metrics: Arc<Metrics>) -> std::io::Result<Arc<Self>> {
        let queue = Arc::new(Self { waiting: Mutex::default(), arrived: Condvar::new(), metrics });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new().name("explain".into());
            thread.spawn(move || queue.work())?;
        }
        Ok(queue)
    }

    /// Queues samples, and waits for their explanations; refuses at once where too many wait already.
    pub async fn explain(&self, model: Arc<Model>, samples: Samples, k: usize) -> Answer {
        let (reply, answer) = oneshot::channel();
        self.push(Job { model, k, samples, reply })?;
        // The threads answer every job, so that an end without answer is a mistake.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once nothing is waiting.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(&self, job: Job) -> Result<(), ApiError> {
        let mut waiting = self.lock();
        let samples = job.samples.len();
        if waiting.samples + samples > WAITING {
            let message = format!(
                "{} samples are waiting already and at most {WAITING} may; try again in a second",
                waiting.samples
            );
            return Err(ApiError::busy(message));
        }
        waiting.samples += samples;
        waiting.jobs.push_back(job);
        self.metrics.waiting(waiting.samples);
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    fn work(&self) {
        while let Some(jobs) = self.next() {
            answer(jobs, &self.metrics);
        }
    }

    /// The oldest job and those that may go with it; `None` when the queue is closed and empty.
    fn next(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        loop {
            if let Some(first) = waiting.jobs.pop_front() {
                let mut samples = first.samples.len();
                let mut together = vec![first];
                let mut at = 0;
                while at < waiting.jobs.len() && samples < TOGETHER {
                    let job = &waiting.jobs[at];
                    let same =
                        Arc::ptr_eq(&job.model, &together[0].model) && job.k == together[0].k;
                    if same && samples + job.samples.len() <= TOGETHER {
                        samples += job.samples.len();
                        together.extend(waiting.jobs.remove(at));
                    } else {
                        at += 1;
                    }
                }
                waiting.samples -= samples;
                self.metrics.waiting(waiting.samples);
                return Some(together);
            }
            if waiting.closed {
                return None;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Explains jobs of one model and K together. Where that fails, each is asked alone, so that a bad sample fails its
/// own request only.
fn answer(mut jobs: Vec<Job>, metrics: &Metrics) {
    // Nobody waits for these any more.
    jobs.retain(|job| !job.reply.is_closed());
    if jobs.len() > 1
        && let Some(all) = together(&jobs)
        && let Ok(explanations) = explain(&jobs[0], &all)
    {
        metrics.batch(all.len());
        let mut explanations = explanations.into_iter();
        for job in jobs {
            let own = explanations.by_ref().take(job.samples.len()).collect();
            // It may have gone away by now.
            let _ = job.reply.send(Ok(own));
        }
        return;
    }
    for job in jobs {
        metrics.batch(job.samples.len());
        let answer = explain(&job, &job.samples);
        let _ = job.reply.send(answer);
    }
}

/// The samples of all jobs; `None` where they cannot go together.
fn together(jobs: &[Job]) -> Option<Samples> {
    let join = || Samples::join(jobs.iter().map(|job| &job.samples));
    catch_unwind(AssertUnwindSafe(join)).ok().flatten()
}

/// Explains with a job's model; a panic ends the request, not the thread.
fn explain(job: &Job, samples: &Samples) -> Answer {
    let explain = || job.model.predictor().explain(samples, Some(job.k));
    match catch_unwind(AssertUnwindSafe(explain)) {
        Ok(result) => Ok(result?),
        Err(_) => Err(ApiError::internal()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Limits;
    use super::super::tests::{images, models, state};
    use super::*;
    use ngsll::data::{Cell, ColumnBuilder, ColumnKind, ColumnSpec, Table};
    use std::time::Duration;

    /// Text i, longer or shorter.
    fn text(i: usize) -> Samples {
        Samples::Texts([format!("a good {} film {i}", "very ".repeat(i % 5))].iter().collect())
    }

    fn row(i: usize) -> Samples {
        let column = |name: &str, kind, cell: Cell| {
            let mut builder = ColumnBuilder::new(&ColumnSpec { name: name.into(), kind });
            builder.push(&cell).unwrap();
            builder.finish()
        };
        let colour = ["red", "blue", "pink", "NA"][i % 4];
        let columns = vec![
            column("size", ColumnKind::Numeric, Cell::Number(i as f64)),
            column("colour", ColumnKind::Categorical, Cell::Text(colour.into())),
        ];
        Samples::Table(Table { columns })
    }

    fn image(i: usize) -> Samples {
        images(i + 1).select(&[i])
    }

    /// Asks for samples 0 to 19 one after the other while nobody works, then lets this thread work.
    async fn together(name: &str, sample: fn(usize) -> Samples) -> (Vec<Explanation>, Vec<usize>) {
        let state = state(Limits { threads: 0, ..Limits::default() });
        let model = Arc::clone(state.model(name).unwrap());
        let mut asked = Vec::new();
        for i in 0..20 {
            let asking = Arc::clone(&model);
            asked.push(tokio::spawn(async move { asking.explain(sample(i), None).await }));
            while model.queue().lock().jobs.len() <= i {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        let mut sizes = Vec::new();
        model.queue().close();
        while let Some(jobs) = model.queue().next() {
            sizes.push(jobs.len());
            answer(jobs, state.metrics());
        }
        let mut all = Vec::new();
        for answer in asked {
            all.extend(answer.await.unwrap().unwrap());
        }
        (all, sizes)
    }

    #[tokio::test]
    async fn requests_in_flight_go_together_and_get_the_bits_they_get_alone() {
        for (name, sample) in [
            ("reviews", text as fn(usize) -> Samples),
            ("kinds", text),
            ("houses", row),
            ("digits", image),
        ] {
            let (answers, sizes) = together(name, sample).await;
            assert_eq!(sizes, [16, 4], "{name}");
            let alone = |i: usize| models()[name].explain(&sample(i), None).unwrap().remove(0);
            for (i, answer) in answers.iter().enumerate() {
                assert_eq!(*answer, alone(i), "{name}, sample {i}");
            }
        }
    }

    #[tokio::test]
    async fn only_requests_to_the_same_model_with_the_same_k_go_together() {
        let state = state(Limits { threads: 0, ..Limits::default() });
        let (reviews, kinds) = (state.model("reviews").unwrap(), state.model("kinds").unwrap());
        let queue = reviews.queue();
        let mut kept = Vec::new();
        let mut push = |model: &Arc<Model>, k: usize, n: usize| {
            let (reply, answer) = oneshot::channel();
            kept.push(answer);
            let samples = Samples::Texts(vec!["a"; n].into_iter().collect());
            queue.push(Job { model: Arc::clone(model), k, samples, reply }).unwrap();
        };
        push(reviews, 1, 3);
        push(kinds, 1, 1);
        push(reviews, 2, 1);
        push(reviews, 1, 14);
        push(reviews, 1, 13);
        push(reviews, 1, 100);
        queue.close();
        let next = || -> Option<Vec<usize>> {
            Some(queue.next()?.iter().map(|job| job.samples.len()).collect())
        };
        // The first takes what fits beside it; order is kept otherwise.
        assert_eq!(next(), Some(vec![3, 13]));
        assert_eq!([next(), next()], [Some(vec![1]), Some(vec![1])]);
        assert_eq!([next(), next(), next()], [Some(vec![14]), Some(vec![100]), None]);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_computed() {
        let state = state(Limits { threads: 0, ..Limits::default() });
        let model = Arc::clone(state.model("reviews").unwrap());
        let (reply, answer) = oneshot::channel();
        drop(answer);
        let job = Job { model: Arc::clone(&model), k: 1, samples: text(0), reply };
        super::answer(vec![job], state.metrics());
        assert!(state.metrics().text().contains("ngsll_batch_samples_count 0"));
    }
}
