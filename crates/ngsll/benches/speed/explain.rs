//! Explanations of images and texts by the default networks, as a user asks for them.

use crate::common::{BATCH, images, predictor, texts};
use divan::{Bencher, counter::ItemsCount};
use ngsll::config::Task;
use ngsll::data::Chunk;

fn explain(bencher: Bencher, task: Task, chunk: &Chunk, n: usize) {
    let predictor = predictor(task, chunk);
    let samples = chunk.samples.select(&(0..n).collect::<Vec<_>>());
    let explain = || predictor.explain(&samples, None).expect("the samples fit the model");
    bencher.counter(ItemsCount::new(n)).bench_local(explain);
}

/// The argument is the number of samples.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn image(bencher: Bencher, n: usize) {
    explain(bencher, Task::Image, &images(10 * BATCH), n);
}

/// The token-context network, texts of 20 words.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn text(bencher: Bencher, n: usize) {
    explain(bencher, Task::Text, &texts(10 * BATCH, 10_000), n);
}
