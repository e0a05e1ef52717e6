//! The requests that wait, and the threads that work on them.
//!
//! A thread that becomes free reads some of the waiting requests, as many as may fill a pass through a network. Then
//! it takes the oldest that is read and coalesces it with what else waits for the same model and K, as far as that
//! fits into one pass, and writes the responses. No request waits for others to come: an idle server answers at once,
//! a busy one fills its batches. Large requests wait in a line of their own and are computed piece by piece,
//! taking turns with small ones, which need not wait for the whole of them.
//!
//! The threads of the connections carry bytes and do none of this.
//!
//! `request` is what is asked, `waiting` decides what is next, `compute` does it.

mod compute;
mod request;
mod waiting;

pub use request::{Query, QueuedRequest};

use super::body::Body;
use super::error::ApiError;
use super::metrics::ServerMetrics;
use axum::response::Response;
use compute::{caught, compute};
use ngsll::Model;
use request::Job;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use waiting::Waiting;

/// Samples of several requests that go through the network together. A pass of this size stays on its thread.
const BATCH_SAMPLES: usize = Model::BATCH;
/// A request with more samples than that is large. This many of its samples, several passes side by side, are computed
/// before others have their turn.
const PIECE_SAMPLES: usize = 4 * BATCH_SAMPLES;
/// Large requests that may wait once they are read; one more is answered with 503.
const MAX_LARGE_REQUESTS: usize = 32;
/// The memory that the samples of these may take.
const MAX_LARGE_BYTES: usize = 256 << 20;
/// Bytes of bodies that may wait to be read; a request beyond them is answered with 503.
pub const MAX_UNREAD_BYTES: usize = 32 << 20;

/// After so long without work, memory that is kept for the next request is given back.
const IDLE: Duration = Duration::from_secs(5);

/// What a request is answered with.
type Answer = Result<Response, ApiError>;

/// A request whose body no thread has read yet.
struct Unread {
    /// Requests are numbered as they come.
    number: u64,
    bytes: usize,
    read: Box<dyn FnOnce() -> Result<QueuedRequest, ApiError> + Send>,
    reply: oneshot::Sender<Answer>,
}

/// What a thread does next.
enum Step {
    Read(Unread),
    Compute(Vec<Job>),
}

/// A bounded queue and its threads.
pub struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    metrics: Arc<ServerMetrics>,
    /// Whether networks were run since memory was last given back.
    has_memory: AtomicBool,
}

impl Queue {
    /// A queue and `threads` threads that work on it until it is closed.
    pub fn start(threads: usize, metrics: Arc<ServerMetrics>) -> std::io::Result<Arc<Self>> {
        let (waiting, has_memory) = (Mutex::default(), AtomicBool::new(false));
        let queue = Arc::new(Self { waiting, arrived: Condvar::new(), metrics, has_memory });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new().name("explain".into());
            thread.spawn(move || while queue.step() {})?;
        }
        Ok(queue)
    }

    /// Queues a body that `read` will read, and waits for the answer; refuses at once where too much waits already.
    pub async fn answer(
        &self,
        body: Body,
        read: impl FnOnce(Body) -> Result<QueuedRequest, ApiError> + Send + 'static,
    ) -> Answer {
        let (reply, answer) = oneshot::channel();
        let bytes = body.len();
        self.push(bytes, Box::new(move || read(body)), reply)?;
        // The threads answer every request, so an end without an answer is a bug.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once nothing waits.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(
        &self,
        bytes: usize,
        read: Box<dyn FnOnce() -> Result<QueuedRequest, ApiError> + Send>,
        reply: oneshot::Sender<Answer>,
    ) -> Result<(), ApiError> {
        let mut waiting = self.lock();
        if waiting.bytes + bytes > MAX_UNREAD_BYTES {
            let most = MAX_UNREAD_BYTES >> 20;
            let message = format!(
                "requests of {most} MiB are waiting, which is the limit; try again in a second"
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

    /// Does what is to be done next, waiting for it if need be; `false` when the queue is closed and empty.
    fn step(&self) -> bool {
        match self.next() {
            Some(Step::Read(request)) => self.read(request),
            Some(Step::Compute(jobs)) => {
                self.has_memory.store(true, Relaxed);
                // This thread looks at the queue again, so no other need be notified of the rest.
                if let Some(rest) = compute(jobs, &self.metrics) {
                    let mut waiting = self.lock();
                    waiting.insert(rest);
                    self.count(&waiting);
                }
            }
            None => return false,
        }
        true
    }

    /// Reads a request and puts it where it waits for its turn, unless it is refused.
    fn read(&self, Unread { number, read, reply, .. }: Unread) {
        let request = match caught(read).and_then(|request| request) {
            Ok(request) => request,
            Err(error) => {
                // The client may have gone away by now.
                let _ = reply.send(Err(error));
                return;
            }
        };
        let job = Job::new(number, request, reply);
        let mut waiting = self.lock();
        waiting.read_samples += job.left();
        if let Some(job) = waiting.admit(job) {
            drop(waiting);
            let message = "too many large requests are waiting; try again in a second";
            job.refuse(ApiError::busy(message));
            return;
        }
        self.count(&waiting);
    }

    fn next(&self) -> Option<Step> {
        let mut waiting = self.lock();
        loop {
            if let Some(step) = waiting.next() {
                self.count(&waiting);
                return Some(step);
            }
            if waiting.closed {
                return None;
            }
            let waited = self.arrived.wait_timeout(waiting, IDLE);
            let (after, time) = waited.unwrap_or_else(PoisonError::into_inner);
            waiting = after;
            if time.timed_out() && waiting.len() == 0 && self.has_memory.swap(false, Relaxed) {
                drop(waiting);
                ngsll::release_memory();
                waiting = self.lock();
            }
        }
    }

    fn count(&self, waiting: &Waiting) {
        self.metrics.queued(waiting.len());
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
