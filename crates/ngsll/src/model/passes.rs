//! Batched passes through a network within a memory bound.

use crate::error::Result;
use crate::generator::{Activations, MOST_ACTIVATIONS};
use crate::representation::Encoded;
use rayon::prelude::*;

/// Calls `pass` with the rows of each batch of at most `batch` samples, in parallel on all threads. Results have the
/// same bits in any batch; large networks get fewer samples at once.
pub(crate) fn in_passes<T: Send>(
    encoded: &Encoded,
    activations: Activations,
    batch: usize,
    pass: impl Fn(&[usize]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let rows: Vec<usize> = (0..encoded.len()).collect();
    // Shorter texts are padded to the longest.
    let words = rows.iter().map(|&row| encoded.length(row)).max().unwrap_or(0);
    let samples = MOST_ACTIVATIONS / activations.of_sample(words).max(1);
    let threads = rayon::current_num_threads();
    let batch = (samples / threads).clamp(1, batch);
    if samples >= batch * threads {
        return run_batches(&rows, batch, &pass);
    }
    let mut all = Vec::with_capacity(rows.len());
    for rows in rows.chunks(samples.max(1)) {
        all.extend(run_batches(rows, batch, &pass)?);
    }
    Ok(all)
}

fn run_batches<T: Send>(
    rows: &[usize],
    batch: usize,
    pass: &(impl Fn(&[usize]) -> Result<Vec<T>> + Sync),
) -> Result<Vec<T>> {
    let parts: Vec<Vec<T>> = rows.par_chunks(batch).map(pass).collect::<Result<_>>()?;
    Ok(parts.into_iter().flatten().collect())
}
