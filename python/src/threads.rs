//! Thread pools, one set per process.
//!
//! The global pool of rayon does not survive `fork`, which `multiprocessing` still uses: a child waiting for its
//! threads would wait for ever.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Polling interval for Python's signal handlers.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Pools by process and number of threads.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

/// Runs `work` without the GIL on `threads` threads; by default on `RAYON_NUM_THREADS`, or one per core.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    let pool = pool(threads.unwrap_or(0))?;
    py.detach(|| pool.install(work))
}

/// Like [`run`], for long work that checks `stop`, which is set on Ctrl-C: Python delivers signals on its main thread,
/// which waits here. The exception of a signal handler is returned beside the result.
pub fn run_watching<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let pool = pool(threads.unwrap_or(0))?;
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || sender.send(pool.install(work)));
            let mut raised = None;
            loop {
                match receiver.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(result) => return Ok((result?, raised)),
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        raised = Python::attach(|py| py.check_signals()).err();
                        stop.store(raised.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the training ended without a result"));
                    }
                }
            }
        })
    })
}

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| {
        PyRuntimeError::new_err(format!("{threads} threads cannot be started: {error}"))
    })?);
    pools.insert(key, pool.clone());
    Ok(pool)
}
