//! Explanations of images by the default network, as a user asks for them.

use crate::common::{BATCH, images, predictor};
use divan::{Bencher, counter::ItemsCount};

/// The argument is the number of images.
#[divan::bench(args = [1, BATCH], sample_count = 100)]
fn image(bencher: Bencher, n: usize) {
    let (predictor, samples) = (predictor(), images(n).samples);
    let explain = || predictor.explain(&samples, None).expect("the samples fit the model");
    bencher.counter(ItemsCount::new(n)).bench_local(explain);
}
