//! The samples that wait for a network, and the threads that take them from there.
//!
//! A thread that becomes free takes the oldest request and with it what else is waiting for the same
//! model and K, as far as that fits into one pass through the network. Nobody waits for others to
//! come: an idle server answers at once, a busy one fills its batches. Of a large request a piece is
//! explained, and the rest goes to the end of the queue, so that small ones need not wait for all of it.

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
/// Samples of a large request that are explained before others have their turn: several passes, side by side.
const PIECE: usize = 4 * TOGETHER;
/// Samples that may wait; with more the answer is to come back later.
const WAITING: usize = 4096;

/// What a request gets back.
type Answer = Result<Vec<Explanation>, ApiError>;

/// A request's samples, and who waits for them.
struct Job {
    model: Arc<Model>,
    k: usize,
    samples: Samples,
    /// Explanations of the first samples.
    found: Vec<Explanation>,
    reply: oneshot::Sender<Answer>,
}

impl Job {
    /// Samples without an explanation.
    fn left(&self) -> usize {
        self.samples.len() - self.found.len()
    }
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
        self.push(Job { model, k, samples, found: Vec::new(), reply })?;
        // The threads answer every job, so that an end without answer is a mistake.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once nothing is waiting.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(&self, job: Job) -> Result<(), ApiError> {
        let waiting = self.lock();
        let samples = job.left();
        if waiting.samples + samples > WAITING {
            let message = format!(
                "{} samples are waiting already and at most {WAITING} may; try again in a second",
                waiting.samples
            );
            return Err(ApiError::busy(message));
        }
        self.append(waiting, job);
        Ok(())
    }

    fn append(&self, mut waiting: MutexGuard<'_, Waiting>, job: Job) {
        waiting.samples += job.left();
        waiting.jobs.push_back(job);
        self.metrics.waiting(waiting.samples);
        drop(waiting);
        self.arrived.notify_one();
    }

    fn work(&self) {
        while let Some(jobs) = self.next() {
            if let Some(rest) = answer(jobs, &self.metrics) {
                // It was let in before, however many wait by now.
                self.append(self.lock(), rest);
            }
        }
    }

    /// The oldest job and those that may go with it; `None` when the queue is closed and empty.
    fn next(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        loop {
            if let Some(first) = waiting.jobs.pop_front() {
                let mut samples = first.left();
                let mut together = vec![first];
                let mut at = 0;
                while at < waiting.jobs.len() && samples < TOGETHER {
                    let job = &waiting.jobs[at];
                    let same =
                        Arc::ptr_eq(&job.model, &together[0].model) && job.k == together[0].k;
                    // A large job's last samples are explained by its own turn.
                    if same && job.found.is_empty() && samples + job.left() <= TOGETHER {
                        samples += job.left();
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
/// own request only. Gives back a job that is not done yet.
fn answer(mut jobs: Vec<Job>, metrics: &Metrics) -> Option<Job> {
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
        return None;
    }
    let mut rest = None;
    for job in jobs {
        // Only a job that goes alone is larger than a piece.
        rest = go_on(job, metrics);
    }
    rest
}

/// Explains a piece of a job; answers it, or gives it back.
fn go_on(mut job: Job, metrics: &Metrics) -> Option<Job> {
    let first = job.found.len();
    let rows: Vec<usize> = (first..job.samples.len()).take(PIECE).collect();
    metrics.batch(rows.len());
    let found = match rows.len() == job.samples.len() {
        true => explain(&job, &job.samples),
        false => explain(&job, &job.samples.select(&rows)),
    };
    let answer = match found {
        Ok(found) => {
            job.found.extend(found);
            if job.left() > 0 {
                return Some(job);
            }
            Ok(job.found)
        }
        Err(error) => Err(error),
    };
    let _ = job.reply.send(answer);
    None
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
            assert!(answer(jobs, state.metrics()).is_none());
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
            let model = Arc::clone(model);
            queue.push(Job { model, k, samples, found: Vec::new(), reply }).unwrap();
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

    /// A request of 150 samples is explained 64 at a time, and one that comes meanwhile is answered in between.
    #[tokio::test]
    async fn a_large_request_does_not_keep_a_small_one_waiting() {
        let state = state(Limits { threads: 0, ..Limits::default() });
        let model = state.model("kinds").unwrap();
        let (queue, metrics) = (model.queue(), state.metrics());
        let push = |samples: Samples| {
            let (reply, answer) = oneshot::channel();
            let (model, found) = (Arc::clone(model), Vec::new());
            queue.push(Job { model, k: 2, samples, found, reply }).unwrap();
            answer
        };
        let many = Samples::join(&(0..150).map(text).collect::<Vec<_>>()).unwrap();
        let mut large = push(many.clone());
        let mut small = push(text(0));
        let turn = || {
            let rest = super::answer(queue.next().unwrap(), metrics)?;
            let left = rest.left();
            queue.append(queue.lock(), rest);
            Some(left)
        };
        assert_eq!(turn(), Some(86));
        assert_eq!(turn(), None);
        assert_eq!(small.try_recv().unwrap().unwrap().len(), 1);
        assert!(metrics.text().contains("ngsll_queue_samples 86"));
        assert_eq!([turn(), turn()], [Some(22), None]);
        let found = large.try_recv().unwrap().unwrap();
        assert_eq!(found, model.predictor().explain(&many, None).unwrap());
        assert!(metrics.text().contains("ngsll_queue_samples 0"));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_computed() {
        let state = state(Limits { threads: 0, ..Limits::default() });
        let model = Arc::clone(state.model("reviews").unwrap());
        let (reply, answer) = oneshot::channel();
        drop(answer);
        let found = Vec::new();
        let job = Job { model: Arc::clone(&model), k: 1, samples: text(0), found, reply };
        assert!(super::answer(vec![job], state.metrics()).is_none());
        assert!(state.metrics().text().contains("ngsll_batch_samples_count 0"));
    }
}
