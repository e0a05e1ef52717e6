//! The limits that whoever starts a server may choose; the fixed ones are constants where they apply.

use std::time::Duration;

/// How much a server takes on, and for how long. The other bounds are listed in the [crate's docs](crate).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Limits {
    /// Time for a request from its headers to its response; 503 after that.
    pub request: Duration,
    /// Time for a body to arrive; 408 after that.
    pub arrival: Duration,
    /// Threads that read requests, run the networks and write responses.
    pub threads: usize,
    /// Open connections; 503 beyond them.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            arrival: Duration::from_secs(20),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            // Well below the 1024 open files that a process usually may have.
            connections: 512,
        }
    }
}
