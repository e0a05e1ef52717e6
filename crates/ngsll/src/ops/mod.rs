//! Custom operations on Burn's CPU backend, each with a plain-ops form for every other backend.
//!
//! [`conv_block`] is the convolution of images; below it, in the order of the work: `kernel` (filters and
//! batches), `winograd` and `direct` (groups of images), `window` (bias, ReLU, pool), `product` (the
//! one matrix product that all are made of). [`time_conv`] is the convolution of texts, on the same
//! product; [`embedding`] reads word vectors, with gradients for the words that were read.

pub mod conv_block;
mod direct;
pub mod embedding;
mod geometry;
pub mod kept;
mod kernel;
mod product;
mod scratch;
pub mod time_conv;
mod window;
mod winograd;

use burn::backend::DispatchDevice;
use burn::tensor::Device;

/// Whether tensors of this device live on the CPU backend, which has the custom operations.
pub(crate) fn is_flex(device: &Device) -> bool {
    matches!(device.clone().inner().as_dispatch(), DispatchDevice::Flex(_))
}
