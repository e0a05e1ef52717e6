//! Returning memory kept for the next request to the system.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time without work, or without a large request, after which memory is returned.
pub const IDLE: Duration = Duration::from_secs(5);

/// The times of the last runs of networks since memory was last returned.
#[derive(Debug, Default)]
pub struct KeptMemory(Mutex<LastRuns>);

#[derive(Debug, Default)]
struct LastRuns {
    any: Option<Instant>,
    large: Option<Instant>,
}

impl KeptMemory {
    /// Notes that networks were run; returns memory left by earlier large requests if they were long ago.
    pub fn used(&self, large: bool) {
        let now = Instant::now();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.any = Some(now);
        if large {
            last.large = Some(now);
        } else if last.large.is_some_and(|at| now - at >= IDLE) {
            last.large = None;
            drop(last);
            give_back();
        }
    }

    /// Returns memory if networks were run since it was last returned.
    pub fn idle(&self) {
        let last = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if last.any.is_some() {
            give_back();
        }
    }
}

fn give_back() {
    ngsll::release_memory();
    trim();
}

/// glibc keeps freed memory, in pieces between what is in use, until told to return it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library, which has no precondition")]
fn trim() {
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // The result says whether there was anything to return.
    let _ = malloc_trim(0);
}

/// Other allocators return free memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
