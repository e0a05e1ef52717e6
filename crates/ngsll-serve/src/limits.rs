//! The configurable limits of a server; the fixed ones are constants where they apply.

use std::time::Duration;

/// The load that a server accepts, and its time limits. The other bounds are listed in the [crate's docs](crate).
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
    /// The share of connections, of requests in flight, and of the memory for bodies and responses, that one address
    /// may take, from 0 to 1; 429 beyond that.
    pub client_share: f64,
    /// The same for this machine's own addresses: all clients of a local proxy share one.
    pub local_share: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            arrival: Duration::from_secs(20),
            threads: rayon::current_num_threads(),
            // Well below the 1024 open files that a process usually may have.
            connections: 512,
            client_share: 0.25,
            local_share: 1.0,
        }
    }
}
