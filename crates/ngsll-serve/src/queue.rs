//! The requests that wait, and the threads that work on them.
//!
//! A thread that becomes free reads some of the waiting requests, as many as may fill a pass through a
//! network. Then it takes the oldest that is read and with it what else waits for the same model and K,
//! as far as that fits into one pass, and writes the answers. Nobody waits for others to come: an idle
//! server answers at once, a busy one fills its batches. Large requests wait in a line of their own and
//! are explained piece by piece, in turns with small ones, which so need not wait for all of it.
//!
//! The threads of the connections carry bytes and do none of this.

use super::body::Body;
use super::error::ApiError;
use super::metrics::Metrics;
use super::state::Model;
use axum::response::Response;
use ngsll::Explanation;
use ngsll::data::Samples;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Samples of several requests that go through the network together. A pass of this size stays on its thread.
const TOGETHER: usize = 16;
/// Samples of a large request, one with more, that are explained before others have their turn: several passes,
/// side by side.
const PIECE: usize = 4 * TOGETHER;
/// Large requests that may wait once they are read, and their bytes then; with more the answer is to come back later.
const LARGE: usize = 32;
const LARGE_BYTES: usize = 256 << 20;
/// Bytes of bodies that may wait; with more the answer is to come back later.
pub const WAITING: usize = 32 << 20;

/// What a request asks, and how its answer is written.
pub struct Order {
    /// Whom it asks.
    pub model: Arc<Model>,
    /// Terms of each score; the model can.
    pub k: usize,
    /// Samples of this model.
    pub samples: Samples,
    /// Makes the answer of the samples' explanations.
    pub write: Box<dyn FnOnce(Vec<Explanation>) -> Response + Send>,
}

type Answer = Result<Response, ApiError>;

/// A request that nobody has read yet.
struct Unread {
    /// Requests are numbered as they come.
    number: u64,
    bytes: usize,
    read: Box<dyn FnOnce() -> Result<Order, ApiError> + Send>,
    reply: oneshot::Sender<Answer>,
}

/// A request that was read.
struct Job {
    number: u64,
    order: Order,
    /// Explanations of the first samples.
    found: Vec<Explanation>,
    reply: oneshot::Sender<Answer>,
}

impl Job {
    /// Samples without an explanation.
    fn left(&self) -> usize {
        self.order.samples.len() - self.found.len()
    }

    /// Whether it is explained piece by piece.
    fn is_large(&self) -> bool {
        self.order.samples.len() > PIECE
    }

    /// Whether both may go through the network together.
    fn goes_with(&self, other: &Self) -> bool {
        let (a, b) = (&self.order, &other.order);
        Arc::ptr_eq(&a.model, &b.model) && a.k == b.k
    }

    /// About how much memory its samples take.
    fn bytes(&self) -> usize {
        match &self.order.samples {
            Samples::Images(images) => images.pixels.len(),
            Samples::Texts(texts) => texts.iter().map(str::len).sum(),
            Samples::Table(table) => table.len() * table.columns.len() * size_of::<f64>(),
        }
    }
}

#[derive(Default)]
struct Waiting {
    /// Requests that came so far.
    came: u64,
    unread: VecDeque<Unread>,
    /// Of the unread ones.
    bytes: usize,
    jobs: VecDeque<Job>,
    /// Jobs that are explained piece by piece, in the order in which they came.
    large: VecDeque<Job>,
    /// Whether a large job's piece is next, where others wait as well.
    large_next: bool,
    /// Requests that were read, and their samples, since some were explained: who sends what is refused,
    /// however much, must not keep others waiting.
    reads: usize,
    read_samples: usize,
    closed: bool,
}

/// What a thread does next.
enum Task {
    Read(Unread),
    Explain(Vec<Job>),
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
            thread.spawn(move || while queue.turn() {})?;
        }
        Ok(queue)
    }

    /// Queues a body that `read` will read, and waits for the answer; refuses at once where too much waits already.
    pub async fn answer(
        &self,
        body: Body,
        read: impl FnOnce(Body) -> Result<Order, ApiError> + Send + 'static,
    ) -> Answer {
        let (reply, answer) = oneshot::channel();
        let bytes = body.len();
        self.push(bytes, Box::new(move || read(body)), reply)?;
        // The threads answer every request, so that an end without answer is a mistake.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once nothing is waiting.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(
        &self,
        bytes: usize,
        read: Box<dyn FnOnce() -> Result<Order, ApiError> + Send>,
        reply: oneshot::Sender<Answer>,
    ) -> Result<(), ApiError> {
        let mut waiting = self.lock();
        if waiting.bytes + bytes > WAITING {
            let most = WAITING >> 20;
            let message = format!(
                "requests of {most} MiB are waiting and there may not be more; try again in a second"
            );
            return Err(ApiError::busy(message));
        }
        waiting.bytes += bytes;
        waiting.came += 1;
        let number = waiting.came;
        waiting.unread.push_back(Unread { number, bytes, read, reply });
        self.count(&waiting);
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    /// Does what is to be done next; `false` when the queue is closed and empty.
    fn turn(&self) -> bool {
        match self.next() {
            Some(Task::Read(request)) => self.read(request),
            Some(Task::Explain(jobs)) => {
                // This thread looks at the queue again, so that no other need be told of the rest.
                if let Some(rest) = explain_all(jobs, &self.metrics) {
                    let mut waiting = self.lock();
                    waiting.insert(rest);
                    self.count(&waiting);
                }
            }
            None => return false,
        }
        true
    }

    /// Reads a request and puts it where it waits for its turn.
    fn read(&self, request: Unread) {
        let Some(job) = read(request) else { return };
        let mut waiting = self.lock();
        waiting.read_samples += job.left();
        if let Some(job) = waiting.take(job) {
            drop(waiting);
            let message = "too many large requests are waiting; try again in a second";
            let _ = job.reply.send(Err(ApiError::busy(message)));
            return;
        }
        self.count(&waiting);
    }

    fn next(&self) -> Option<Task> {
        let mut waiting = self.lock();
        loop {
            while waiting.may_read()
                && let Some(request) = waiting.unread.pop_front()
            {
                waiting.bytes -= request.bytes;
                // What nobody waits for any more is not read.
                if !request.reply.is_closed() {
                    waiting.reads += 1;
                    self.count(&waiting);
                    return Some(Task::Read(request));
                }
            }
            if let Some(jobs) = waiting.batch() {
                (waiting.reads, waiting.read_samples) = (0, 0);
                self.count(&waiting);
                return Some(Task::Explain(jobs));
            }
            if waiting.closed {
                return None;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self, waiting: &Waiting) {
        let all = waiting.unread.len() + waiting.jobs.len() + waiting.large.len();
        self.metrics.waiting(all);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Whether a request is to be read before more are explained; not many while small jobs wait.
    fn may_read(&self) -> bool {
        let filled = self.jobs.len() >= TOGETHER || self.read_samples >= TOGETHER;
        let idle = self.jobs.is_empty() && self.large.is_empty();
        idle || self.reads < TOGETHER && (self.jobs.is_empty() || !filled)
    }

    /// Lets a new job wait for its turn; gives back a large one that has no room.
    fn take(&mut self, job: Job) -> Option<Job> {
        if !job.is_large() {
            self.jobs.push_back(job);
            return None;
        }
        self.large.retain(|job| !job.reply.is_closed());
        let bytes: usize = self.large.iter().chain([&job]).map(Job::bytes).sum();
        if !self.large.is_empty() && (self.large.len() >= LARGE || bytes > LARGE_BYTES) {
            return Some(job);
        }
        self.insert(job);
        None
    }

    /// Puts a large job, or its rest, behind those that came before it.
    fn insert(&mut self, job: Job) {
        let at = self.large.partition_point(|other| other.number < job.number);
        self.large.insert(at, job);
    }

    /// What is explained next: small and large jobs take turns.
    fn batch(&mut self) -> Option<Vec<Job>> {
        if self.jobs.is_empty() || self.large_next && !self.large.is_empty() {
            self.large_next = false;
            return Some(vec![self.large.pop_front()?]);
        }
        self.large_next = true;
        Some(self.together())
    }

    /// The oldest small job and those that go with it.
    fn together(&mut self) -> Vec<Job> {
        let mut together: Vec<Job> = self.jobs.pop_front().into_iter().collect();
        let mut samples: usize = together.iter().map(Job::left).sum();
        let mut at = 0;
        while at < self.jobs.len() && samples < TOGETHER {
            let job = &self.jobs[at];
            if job.goes_with(&together[0]) && samples + job.left() <= TOGETHER {
                samples += job.left();
                together.extend(self.jobs.remove(at));
            } else {
                at += 1;
            }
        }
        together
    }
}

/// Reads a request, unless it is refused.
fn read(Unread { number, read, reply, .. }: Unread) -> Option<Job> {
    match caught(read).and_then(|order| order) {
        Ok(order) => Some(Job { number, order, found: Vec::new(), reply }),
        Err(error) => {
            // It may have gone away by now.
            let _ = reply.send(Err(error));
            None
        }
    }
}

/// Explains jobs of one model and K together. Where that fails, each is asked alone, so that a bad sample fails its
/// own request only. Gives back a job that is not done yet.
fn explain_all(mut jobs: Vec<Job>, metrics: &Metrics) -> Option<Job> {
    jobs.retain(|job| !job.reply.is_closed());
    if jobs.len() > 1
        && let Ok(Some(all)) = caught(|| Samples::join(jobs.iter().map(|job| &job.order.samples)))
        && let Ok(explanations) = explain(&jobs[0].order, &all)
    {
        metrics.batch(all.len());
        let mut explanations = explanations.into_iter();
        for job in jobs {
            let own = explanations.by_ref().take(job.left()).collect();
            write(job, own);
        }
        return None;
    }
    let mut rest = None;
    for job in jobs {
        // Large jobs go alone, so that there is one rest at most.
        rest = explain_piece(job, metrics).or(rest);
    }
    rest
}

/// Explains a piece of a job; answers it, or gives it back.
fn explain_piece(mut job: Job, metrics: &Metrics) -> Option<Job> {
    let samples = &job.order.samples;
    let rows: Vec<usize> = (job.found.len()..samples.len()).take(PIECE).collect();
    metrics.batch(rows.len());
    let found = match rows.len() == samples.len() {
        true => explain(&job.order, samples),
        false => caught(|| samples.select(&rows)).and_then(|piece| explain(&job.order, &piece)),
    };
    match found {
        Ok(found) => job.found.extend(found),
        Err(error) => {
            let _ = job.reply.send(Err(error));
            return None;
        }
    }
    if job.left() > 0 {
        return Some(job);
    }
    let found = std::mem::take(&mut job.found);
    write(job, found);
    None
}

fn explain(order: &Order, samples: &Samples) -> Result<Vec<Explanation>, ApiError> {
    Ok(caught(|| order.model.predictor().explain(samples, Some(order.k)))??)
}

fn write(job: Job, explanations: Vec<Explanation>) {
    let answer = caught(|| (job.order.write)(explanations));
    let _ = job.reply.send(answer);
}

/// A panic ends the request, not the thread.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| ApiError::internal())
}

#[cfg(test)]
mod tests;
