//! The three blocks of the default image network on a batch of 28×28 images, and one of the second
//! block's kind on as many pixels of a large image.

use crate::common::BATCH;
use burn::tensor::{Device, Distribution, Tensor};
use divan::Bencher;
use ngsll::generator::layers::{ConvBlock, Init};
use ngsll::random::{Purpose, stream};

/// (channels in, filters, side of the image)
const BLOCKS: [(usize, usize, usize); 4] = [(1, 32, 28), (32, 64, 14), (64, 128, 7), LARGE];

/// Of this size there is one image.
const LARGE: (usize, usize, usize) = (32, 64, 224);

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
    let mut rng = stream(0, Purpose::Initialize, 0, 0);
    let block = ConvBlock::new(inputs, filters, 3, &mut Init::new(&mut rng, device));
    let images = if (inputs, filters, side) == LARGE { 1 } else { BATCH };
    let shape = [images, side, side, inputs];
    (block, Tensor::random(shape, Distribution::Uniform(0.0, 1.0), device))
}
