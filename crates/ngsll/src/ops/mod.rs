//! Custom operations on Burn's CPU backend, each with a plain form in Burn's own operations for every
//! other backend.
//!
//! | operation | |
//! |---|---|
//! | [`conv_block`] | convolution, bias, ReLU and pool of images; below it, in the order of the work: `kernel` (packed filters, batches), `winograd` and `direct` (groups of images), `epilogue` (bias, ReLU, pool) |
//! | [`conv1d_relu`] | convolution of texts with bias and ReLU, and dense layers |
//! | [`inner_product`] | scores from weights and features |
//! | [`embedding`] | word vectors, with gradients ([`sparse_gradient`]) for the words that were read |
//! | [`column_embedding`] | vectors for the values of a table's columns |
//! | [`max_over_cells`] | the maps of each cell of an image; max-pool |
//! | [`max_over_time`], [`dropout`] | as their names say |
//!
//! They share `gemm` (the one matrix product that all convolutions are made of), [`buffer_pool`]
//! (their memory), [`packed_weights`] (weights as prediction reads them) and [`autodiff`] (their place
//! in Burn's graph). The K-hot gate ([`crate::gate::k_hot`]) is built on the same.

pub(crate) mod autodiff;
pub(crate) mod buffer_pool;
pub(crate) mod column_embedding;
pub(crate) mod conv1d_relu;
pub(crate) mod conv_block;
mod direct;
pub(crate) mod dropout;
pub(crate) mod embedding;
mod epilogue;
mod gemm;
mod geometry;
pub(crate) mod inner_product;
mod kernel;
pub(crate) mod max_over_cells;
pub(crate) mod max_over_time;
mod packed_weights;
pub(crate) mod sparse_gradient;
pub(crate) mod u32_pair;
mod vector;
mod winograd;

#[cfg(test)]
mod tests;

pub(crate) use autodiff::Primitive;
pub(crate) use buffer_pool::{PooledBuffer, take_buffer, take_zeroed};

use burn::backend::DispatchDevice;
use burn::tensor::{DType, Tensor, TensorData};
use rayon::prelude::*;

/// Minimum sums per parallel task.
const SHARE: usize = 1 << 14;

/// Whether the custom operations take this tensor: f32 on the CPU backend.
pub(crate) fn is_supported<const D: usize>(x: &Tensor<D>) -> bool {
    let device = x.device().inner();
    matches!(device.as_dispatch(), DispatchDevice::Flex(_)) && x.dtype() == DType::F32
}

/// The numbers of a contiguous tensor.
pub(crate) fn slice(tensor: &Primitive) -> &[f32] {
    tensor.as_slice::<f32>().expect("the tensor is contiguous f32")
}

/// The first `D` sizes of a tensor.
pub(crate) fn dims<const D: usize>(tensor: &Primitive) -> [usize; D] {
    std::array::from_fn(|d| tensor.layout().shape()[d])
}

/// A tensor of these numbers whose memory is its own: the gradient of a weight, which the optimizer
/// takes apart without a copy. Other results come from [`buffer_pool`].
fn owned_tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Primitive {
    Primitive::from_data(TensorData::new(values, shape))
}

/// Adds the parts to `sum` in their order, in parallel: the bits do not depend on the number of threads.
pub(crate) fn add_all(sum: &mut [f32], parts: &[&[f32]]) {
    sum.par_chunks_mut(SHARE).enumerate().for_each(|(i, sum)| {
        for part in parts {
            let part = &part[i * SHARE..];
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
    });
}

/// Runs a kernel with the best instructions of this machine; in unit tests, with the requested
/// ones.
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
