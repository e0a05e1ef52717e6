//! Custom operations on Burn's CPU backend, each with a plain-ops form for every other backend.
//!
//! [`conv_block`] is the convolution of images; below it, in the order of the work: `kernel` (filters and
//! batches), `winograd` and `direct` (groups of images), `window` (bias, ReLU, pool), `product` (the
//! one matrix product that all are made of). [`time_conv`] is the convolution of texts, on the same
//! product; [`embedding`] reads word vectors, with gradients for the words that were read.

pub mod conv_block;
mod direct;
pub mod dropout;
pub mod embedding;
mod geometry;
pub mod kept;
mod kernel;
pub mod max_over_time;
mod product;
mod recycled;
mod scratch;
pub mod time_conv;
mod vector;
mod window;
mod winograd;

use burn::backend::tensor::FloatTensor;
use burn::backend::{DispatchDevice, Flex};
use burn::tensor::{DType, Tensor};

pub(crate) use recycled::{own_tensor, release, room, tensor};

/// Whether the custom operations take this tensor: f32 on the CPU backend.
pub(crate) fn is_ours<const D: usize>(x: &Tensor<D>) -> bool {
    let device = x.device().inner();
    matches!(device.as_dispatch(), DispatchDevice::Flex(_)) && x.dtype() == DType::F32
}

/// The numbers of a tensor that was made contiguous.
pub(crate) fn slice(tensor: &FloatTensor<Flex>) -> &[f32] {
    tensor.as_slice::<f32>().expect("the tensor is contiguous f32")
}

/// Runs a kernel with the best instructions of this machine; in unit tests, with those that the
/// test asks for.
fn dispatch<K: pulp::WithSimd>(kernel: K) -> K::Output {
    #[cfg(test)]
    match instructions::CHOSEN.get() {
        instructions::Set::Best => {}
        instructions::Set::Scalar => return kernel.with_simd(pulp::Scalar),
        #[cfg(target_arch = "x86_64")]
        instructions::Set::Avx2 => {
            let avx2 = pulp::x86::V3::try_new().expect("the test asked first");
            return pulp::Simd::vectorize(avx2, kernel);
        }
    }
    pulp::Arch::new().dispatch(kernel)
}

/// Which instructions the kernels of a test use.
#[cfg(test)]
mod instructions {
    use std::cell::Cell;

    #[derive(Debug, Clone, Copy)]
    pub enum Set {
        Best,
        Scalar,
        #[cfg(target_arch = "x86_64")]
        Avx2,
    }

    thread_local! {
        pub static CHOSEN: Cell<Set> = const { Cell::new(Set::Best) };
    }

    /// Runs `work` on this thread with each set that the machine has, the best one last.
    pub fn each(mut work: impl FnMut(Set)) {
        let mut sets = vec![Set::Scalar];
        #[cfg(target_arch = "x86_64")]
        if pulp::x86::V3::try_new().is_some() {
            sets.push(Set::Avx2);
        }
        sets.push(Set::Best);
        for set in sets {
            CHOSEN.set(set);
            work(set);
        }
    }
}
