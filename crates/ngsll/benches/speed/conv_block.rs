//! The three blocks of the default image network on a batch of 28×28 images.

use crate::common::BATCH;
use burn::tensor::{Device, Distribution, Tensor};
use divan::Bencher;
use ngsll::generator::layers::{ConvBlock, Init};
use ngsll::random::{Purpose, stream};

/// (channels in, filters, side of the image)
const BLOCKS: [(usize, usize, usize); 3] = [(1, 32, 28), (32, 64, 14), (64, 128, 7)];

#[divan::bench(args = BLOCKS, sample_count = 50)]
fn forward(bencher: Bencher, size: (usize, usize, usize)) {
    let (block, x) = block(size, &Device::default());
    bencher.bench_local(|| block.forward(x.clone(), true));
}

#[divan::bench(args = BLOCKS, sample_count = 50)]
fn forward_backward(bencher: Bencher, size: (usize, usize, usize)) {
    let (block, x) = block(size, &Device::default().autodiff());
    // The first block reads the image itself, which has no gradient.
    let x = if size.0 == 1 { x } else { x.require_grad() };
    bencher.bench_local(|| block.forward(x.clone(), true).backward());
}

fn block(
    (inputs, filters, side): (usize, usize, usize),
    device: &Device,
) -> (ConvBlock, Tensor<4>) {
    let mut rng = stream(0, Purpose::Initialise, 0, 0);
    let block = ConvBlock::new(inputs, filters, 3, &mut Init { rng: &mut rng, device });
    let shape = [BATCH, side, side, inputs];
    (block, Tensor::random(shape, Distribution::Uniform(0.0, 1.0), device))
}
