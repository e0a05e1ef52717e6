//! Many training runs in parallel: the jobs, their finished results and their files.
//!
//! ```
//! use ngsll_jobs::{Job, Observer, ProgressUpdate, Records};
//!
//! struct Silent;
//!
//! impl Observer for Silent {
//!     fn update(&self, _: &ProgressUpdate) {}
//!
//!     fn should_stop(&self) -> bool {
//!         false
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let records = Records::open(&folder.path().join("records.jsonl"))?;
//! let job = |n: u32| Job { title: format!("{n}²"), cost: 1.0, epochs: 1.0, task: n };
//! // Two at a time, each on one thread.
//! let failed = ngsll_jobs::run(vec![job(3), job(4)], 2, 1, &Silent, |n, _| {
//!     records.save(&format!("{n}²"), "integers", &(n * n))
//! })?;
//! assert!(failed.is_empty());
//! assert_eq!(records.find("4²", "integers"), Some(16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `pool` | jobs on worker threads, and their progress |
//! | `records` | finished results as lines of one file, so that nothing is computed twice |
//! | `atomic_file` | files that are either complete or absent |

mod atomic_file;
mod pool;
mod records;

pub use atomic_file::{NamedTempFile, temporary_in, write_atomic};
pub use pool::{Failure, Job, JobProgress, Observer, ProgressUpdate, run};
pub use records::{Records, holds_records};
