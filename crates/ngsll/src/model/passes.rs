//! Batched passes through a network within a memory bound.

use crate::error::Result;
use crate::generator::{Activations, MOST_ACTIVATIONS};
use crate::representation::Encoded;
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;

/// Calls `pass` with the rows of each batch of at most `batch` samples, in parallel on all threads. Results have the
/// same bits in any batch; large networks get fewer samples at once.
pub(crate) fn in_passes<T: Send>(
    encoded: &Encoded,
    activations: Activations,
    batch: usize,
    device: &Device,
    pass: impl Fn(&[usize]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let pass = |rows: &[usize]| {
        let passed = pass(rows);
        forget_operations(device);
        passed
    };
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

/// On a device with autodiff Burn keeps every operation, also those that need no gradient, until some gradient is
/// computed, and then forgets those whose results are gone. A sample with at most K features needs none, so that a
/// server that is asked for many of them would grow without end.
fn forget_operations(device: &Device) {
    if device.is_autodiff() {
        Tensor::<1>::zeros([1], device).require_grad().backward();
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use crate::dataset::{Dataset, Samples};
    use crate::estimator::Ngsll;

    /// The memory of this process in KiB.
    fn memory() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Texts of a single known word have no choice and so no gradient.
    #[test]
    fn explaining_samples_without_a_choice_takes_no_memory_for_ever() {
        let texts = (0..60).map(|i| ["good film", "bad film"][i % 2]);
        let data = Dataset::texts(texts, (0..60).map(|i| i % 2)).unwrap();
        let model = Ngsll::text().terms(2).epochs(1).fit(&data).unwrap();
        let one = Samples::texts(["good"]);
        let explain = |times: usize| (0..times).for_each(|_| drop(model.explain(&one).unwrap()));
        explain(200);
        let before = memory();
        explain(2000);
        let grown = memory().saturating_sub(before);
        assert!(grown < 8 << 10, "{grown} KiB for 2,000 explanations");
    }
}
