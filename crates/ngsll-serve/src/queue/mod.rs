//! The waiting requests, and the threads that work on them.
//!
//! A thread that becomes free reads some of the waiting requests, as many as may fill a pass through a network. Then
//! it takes the oldest one read and coalesces it with others waiting for the same model and K, as far as they
//! fit into one pass, and writes the responses. No request waits for others to come: an idle server answers at once,
//! a busy one fills its batches. Large requests wait in a separate queue and are computed piece by piece,
//! taking turns with small ones, which need not wait for the whole of them.
//!
//! The threads of the connections carry bytes and do none of this.
//!
//! `request` is a request, `waiting` decides which is next, `compute` does the work.

mod compute;
mod request;
mod waiting;

pub use request::{Query, QueuedRequest};

use super::body::Body;
use super::client::Client;
use super::error::ApiError;
use super::memory::{IDLE, KeptMemory};
use super::metrics::ServerMetrics;
use axum::response::Response;
use compute::{caught, compute};
use ngsll::Model;
use request::Job;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use waiting::Waiting;

/// Samples of several requests that go through the network together. A pass of this size stays on its thread.
const BATCH_SAMPLES: usize = Model::BATCH;
/// A request with more samples than that is large. This many of its samples, in several parallel passes, are computed
/// before it is the turn of others.
const PIECE_SAMPLES: usize = 4 * BATCH_SAMPLES;
/// Large requests that may wait once they are read; one more is answered with 503.
const MAX_LARGE_REQUESTS: usize = 32;
/// The memory that their samples may take.
const MAX_LARGE_BYTES: usize = 256 << 20;
/// Bytes of bodies that may wait to be read; a request beyond them is answered with 503.
pub const MAX_UNREAD_BYTES: usize = 32 << 20;

/// The answer to a request.
type Answer = Result<Response, ApiError>;

/// A request whose body no thread has read yet.
struct Unread {
    /// Requests are numbered in order of arrival.
    number: u64,
    client: Client,
    bytes: usize,
    read: Box<dyn FnOnce() -> Result<QueuedRequest, ApiError> + Send>,
    reply: oneshot::Sender<Answer>,
}

/// The next step of a thread.
enum Step {
    Read(Unread),
    Compute(Vec<Job>),
}

/// A bounded queue and its threads.
pub struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    metrics: Arc<ServerMetrics>,
    memory: KeptMemory,
}

impl Queue {
    /// A queue and `threads` threads that work on it until it is closed.
    pub fn start(threads: usize, metrics: Arc<ServerMetrics>) -> std::io::Result<Arc<Self>> {
        let (waiting, memory) = (Mutex::default(), KeptMemory::default());
        let queue = Arc::new(Self { waiting, arrived: Condvar::new(), metrics, memory });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new().name("explain".into());
            thread.spawn(move || while queue.step() {})?;
        }
        Ok(queue)
    }

    /// Queues a body that `read` will read, and waits for the answer; refuses at once if too much is already waiting.
    pub async fn answer(
        &self,
        body: Body,
        read: impl FnOnce(Body) -> Result<QueuedRequest, ApiError> + Send + 'static,
    ) -> Answer {
        let (reply, answer) = oneshot::channel();
        let (client, bytes) = (body.client(), body.len());
        self.push(client, bytes, Box::new(move || read(body)), reply)?;
        // The threads answer every request, so an end without an answer is a bug.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once the queue is empty.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(
        &self,
        client: Client,
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
        let own = waiting.bytes_of(&client);
        if own > 0 && own + bytes > client.most(MAX_UNREAD_BYTES) {
            let most = client.most(MAX_UNREAD_BYTES) >> 20;
            return Err(client.refused(format_args!("requests of {most} MiB are waiting")));
        }
        waiting.bytes += bytes;
        waiting.came += 1;
        let number = waiting.came;
        waiting.unread.push_back(Unread { number, client, bytes, read, reply });
        self.count(&waiting);
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    /// Does the next step, waiting for one if necessary; `false` if the queue is closed and empty.
    fn step(&self) -> bool {
        match self.next() {
            Some(Step::Read(request)) => self.read(request),
            Some(Step::Compute(jobs)) => {
                let large = jobs.iter().any(Job::is_large);
                // This thread looks at the queue again, so no other need be notified of the rest.
                if let Some(rest) = compute(jobs, &self.metrics) {
                    let mut waiting = self.lock();
                    waiting.insert(rest);
                    self.count(&waiting);
                }
                self.memory.used(large);
            }
            None => return false,
        }
        true
    }

    /// Reads a request and queues it for computation, unless it is refused.
    fn read(&self, Unread { number, client, read, reply, .. }: Unread) {
        let request = match caught(read).and_then(|request| request) {
            Ok(request) => request,
            Err(error) => {
                // The client may have gone away by now.
                let _ = reply.send(Err(error));
                return;
            }
        };
        let job = Job::new(number, client, request, reply);
        let mut waiting = self.lock();
        waiting.read_samples += job.left();
        if let Some((job, error)) = waiting.admit(job) {
            drop(waiting);
            job.refuse(error);
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
            if time.timed_out() && waiting.len() == 0 {
                drop(waiting);
                self.memory.idle();
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
