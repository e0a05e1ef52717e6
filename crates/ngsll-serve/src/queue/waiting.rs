//! The waiting requests, and which of them is next.

use super::super::client::Client;
use super::super::error::ApiError;
use super::request::Job;
use super::{BATCH_SAMPLES, MAX_LARGE_BYTES, MAX_LARGE_REQUESTS, Step, Unread};
use std::collections::VecDeque;

/// Everything that waits for a thread.
#[derive(Default)]
pub(super) struct Waiting {
    /// The number of requests so far.
    pub came: u64,
    pub unread: VecDeque<Unread>,
    /// The bytes of the unread ones.
    pub bytes: usize,
    pub jobs: VecDeque<Job>,
    /// Jobs that are computed piece by piece, in the order in which they came.
    pub large: VecDeque<Job>,
    /// Whether a large job's piece is next, if others wait as well.
    large_next: bool,
    /// Requests that were read since the last computation, and their samples: refused requests, however
    /// many, must not keep others waiting.
    reads: usize,
    pub read_samples: usize,
    pub closed: bool,
}

impl Waiting {
    /// Requests that wait.
    pub fn len(&self) -> usize {
        self.unread.len() + self.jobs.len() + self.large.len()
    }

    /// Takes out the next step; `None` if nothing waits.
    pub fn next(&mut self) -> Option<Step> {
        while self.may_read()
            && let Some(request) = self.unread.pop_front()
        {
            self.bytes -= request.bytes;
            // A request whose client has gone is not read.
            if !request.reply.is_closed() {
                self.reads += 1;
                return Some(Step::Read(request));
            }
        }
        let jobs = self.batch()?;
        (self.reads, self.read_samples) = (0, 0);
        Some(Step::Compute(jobs))
    }

    /// Whether to read a request before computing more; only few are read while small jobs wait.
    fn may_read(&self) -> bool {
        let filled = self.jobs.len() >= BATCH_SAMPLES || self.read_samples >= BATCH_SAMPLES;
        let idle = self.jobs.is_empty() && self.large.is_empty();
        idle || self.reads < BATCH_SAMPLES && (self.jobs.is_empty() || !filled)
    }

    /// Bytes of a client's bodies that no thread has read yet.
    pub fn bytes_of(&self, client: &Client) -> usize {
        let own = self.unread.iter().filter(|request| request.client.key() == client.key());
        own.map(|request| request.bytes).sum()
    }

    /// Queues a new job; returns a large job that does not fit, with the reason.
    pub fn admit(&mut self, job: Job) -> Option<(Job, ApiError)> {
        if !job.is_large() {
            self.jobs.push_back(job);
            return None;
        }
        self.large.retain(|job| !job.is_abandoned());
        let client = job.client;
        let own = |other: &Job| other.client.key() == client.key();
        let (most, most_bytes) = (client.most(MAX_LARGE_REQUESTS), client.most(MAX_LARGE_BYTES));
        let error = if !self.has_room(&job, |_| true, MAX_LARGE_REQUESTS, MAX_LARGE_BYTES) {
            ApiError::busy("too many large requests are waiting; try again in a second")
        } else if !self.has_room(&job, own, most, most_bytes) {
            client.refused(format_args!(
                "{most} large requests, or {} MiB of them, are waiting",
                most_bytes >> 20
            ))
        } else {
            self.insert(job);
            return None;
        };
        Some((job, error))
    }

    /// Whether a large job fits beside those that count; a job larger than the whole budget is admitted alone.
    fn has_room(
        &self,
        job: &Job,
        counts: impl Fn(&Job) -> bool,
        most: usize,
        most_bytes: usize,
    ) -> bool {
        let waiting: Vec<usize> =
            self.large.iter().filter(|other| counts(other)).map(Job::bytes).collect();
        let bytes = waiting.iter().sum::<usize>() + job.bytes();
        waiting.is_empty() || waiting.len() < most && bytes <= most_bytes
    }

    /// Puts a large job, or its rest, behind those that came before it.
    pub fn insert(&mut self, job: Job) {
        let at = self.large.partition_point(|other| other.number < job.number);
        self.large.insert(at, job);
    }

    /// The next jobs to compute: small and large ones take turns.
    fn batch(&mut self) -> Option<Vec<Job>> {
        if self.jobs.is_empty() || self.large_next && !self.large.is_empty() {
            self.large_next = false;
            return Some(vec![self.large.pop_front()?]);
        }
        self.large_next = true;
        Some(self.coalesce())
    }

    /// The oldest small job and those that can be computed with it.
    fn coalesce(&mut self) -> Vec<Job> {
        let mut batch: Vec<Job> = self.jobs.pop_front().into_iter().collect();
        let mut samples: usize = batch.iter().map(Job::left).sum();
        let mut at = 0;
        while at < self.jobs.len() && samples < BATCH_SAMPLES {
            let job = &self.jobs[at];
            if job.goes_with(&batch[0]) && samples + job.left() <= BATCH_SAMPLES {
                samples += job.left();
                batch.extend(self.jobs.remove(at));
            } else {
                at += 1;
            }
        }
        batch
    }
}
