//! The threads that everything runs on.
//!
//! Pools are our own and belong to a process: the global one of rayon does not survive `fork`, which
//! `multiprocessing` still uses, and a child that waited for its threads would wait for ever.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static POOLS: LazyLock<Mutex<HashMap<(u32, usize), Arc<ThreadPool>>>> =
    LazyLock::new(Mutex::default);

/// Runs `work` without the GIL on so many threads; without a number on as many as `RAYON_NUM_THREADS` says, or
/// as there are cores.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    let pool = pool(threads.unwrap_or(0))?;
    py.detach(|| pool.install(work))
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
