//! Custom operations on Burn's CPU backend, each with a plain-ops form for every other backend.

pub mod conv_block;
mod conv_kernel;

use burn::backend::DispatchDevice;
use burn::tensor::Device;

/// Whether tensors of this device live on the CPU backend, which has the custom operations.
pub(crate) fn is_flex(device: &Device) -> bool {
    matches!(device.clone().inner().as_dispatch(), DispatchDevice::Flex(_))
}
