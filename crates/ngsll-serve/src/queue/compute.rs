//! Running the networks.

use super::PIECE_SAMPLES;
use super::request::{Job, QueuedRequest, Results};
use crate::error::ApiError;
use crate::metrics::ServerMetrics;
use ngsll::Samples;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Computes jobs that go together in one pass. If that fails, each is computed alone, so that a bad sample fails
/// its own request only. Returns a job that is not done yet.
pub(super) fn compute(mut jobs: Vec<Job>, metrics: &ServerMetrics) -> Option<Job> {
    jobs.retain(|job| !job.is_abandoned());
    if jobs.len() > 1
        && let Ok(Some(all)) = caught(|| Samples::join(jobs.iter().map(Job::samples)))
        && let Ok(mut results) = run(&jobs[0].request, &all)
    {
        metrics.batch(all.len());
        for mut job in jobs {
            job.add(results.take_first(job.left()));
            job.finish();
        }
        return None;
    }
    let mut rest = None;
    for job in jobs {
        // Large jobs go alone, so there is at most one rest.
        rest = compute_piece(job, metrics).or(rest);
    }
    rest
}

/// Computes a piece of a job; finishes it, or returns it.
fn compute_piece(mut job: Job, metrics: &ServerMetrics) -> Option<Job> {
    let samples = job.samples();
    let rows: Vec<usize> = (job.done()..samples.len()).take(PIECE_SAMPLES).collect();
    metrics.batch(rows.len());
    let results = match rows.len() == samples.len() {
        true => run(&job.request, samples),
        false => caught(|| samples.select(&rows)).and_then(|piece| run(&job.request, &piece)),
    };
    match results {
        Ok(results) => job.add(results),
        Err(error) => {
            job.refuse(error);
            return None;
        }
    }
    if job.left() > 0 {
        return Some(job);
    }
    job.finish();
    None
}

fn run(request: &QueuedRequest, samples: &Samples) -> Result<Results, ApiError> {
    Ok(caught(|| request.run(samples))??)
}

/// A panic ends the request, not the thread.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| ApiError::internal())
}
