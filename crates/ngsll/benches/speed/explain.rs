//! Explanations and plain predictions by the default networks, as a user asks for them.

use crate::common::{BATCH, images, model, texts};
use divan::{Bencher, counter::ItemsCount};
use ngsll::config::Task;
use ngsll::{Dataset, Model, Samples};

fn bench<T>(
    bencher: Bencher,
    (task, data, n): (Task, &Dataset, usize),
    work: impl Fn(&Model, &Samples) -> ngsll::Result<T>,
) {
    let model = model(task, data);
    let samples = data.samples().select(&(0..n).collect::<Vec<_>>());
    let work = || work(&model, &samples).expect("the samples fit the model");
    bencher.counter(ItemsCount::new(n)).bench_local(work);
}

/// The argument is the number of samples.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn image(bencher: Bencher, n: usize) {
    bench(bencher, (Task::Image, &images(10 * BATCH), n), |model, samples| model.explain(samples));
}

/// The token-context network, texts of 20 words.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn text(bencher: Bencher, n: usize) {
    bench(bencher, (Task::Text, &texts(10 * BATCH, 10_000), n), |model, samples| {
        model.explain(samples)
    });
}

/// The same texts without terms.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn text_prediction(bencher: Bencher, n: usize) {
    bench(bencher, (Task::Text, &texts(10 * BATCH, 10_000), n), |model, samples| {
        model.predict(samples)
    });
}
