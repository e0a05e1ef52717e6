//! One step of training, from the batch's assembly to the update.

use crate::common::{BATCH, Stepper, WORDS, images, setup, texts};
use divan::Bencher;
use ngsll::Dataset;
use ngsll::config::Task;

fn steps(bencher: Bencher, task: Task, data: &Dataset) {
    let stepper = Stepper::new(setup(task, data, 1000));
    bencher.with_inputs(|| stepper.wait()).bench_local_values(|()| stepper.make());
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn image(bencher: Bencher) {
    steps(bencher, Task::Image, &images(40 * BATCH));
}

/// The token-context network; the argument is the size of the vocabulary. The largest needs 4 GB.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 20, sample_size = 1)]
fn text(bencher: Bencher, vocabulary: usize) {
    steps(bencher, Task::Text, &texts((40 * BATCH).max(vocabulary / WORDS), vocabulary));
}
