//! Buffers and tensors whose memory is reused.
//!
//! Allocating is expensive: the system clears every new page, and takes it back when it is freed. So
//! after the first steps of a training run, results are written into the memory of earlier steps.
//! There is one pool for all of it, with one bound on the unused memory that it keeps,
//! and one [`release`]:
//!
//! | | memory returns to the pool |
//! |---|---|
//! | [`PooledBuffer`], from [`take_buffer`] or [`take_zeroed`] | when it is dropped |
//! | a tensor made by [`PooledBuffer::into_tensor`] | when its last clone is dropped |
//! | [`Scratch`], the working memory of a pass | when it is dropped |

mod pool;

use super::gemm::{LANES, padded};
use super::{Primitive, owned_tensor};
use bytemuck::Pod;
use pool::{MIN_POOLED, Pool};
use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, DerefMut};

static POOL: Pool = Pool::new();

/// Returns the pool's free memory to the system, at the end of a training run.
pub(crate) fn release() {
    POOL.release();
}

/// A recycled buffer of `length` elements, to be overwritten: it may hold values of earlier work.
pub(crate) fn take_buffer<T: Pod>(length: usize) -> PooledBuffer<T> {
    let floats = floats(length, size_of::<T>());
    let (mut memory, _) = take_memory(floats);
    poison(&mut memory[..floats]);
    PooledBuffer { memory, length, element: PhantomData }
}

/// `length` zeros.
pub(crate) fn take_zeroed<T: Pod>(length: usize) -> PooledBuffer<T> {
    let floats = floats(length, size_of::<T>());
    let (mut memory, new) = take_memory(floats);
    if !new {
        memory[..floats].fill(0.0);
    }
    PooledBuffer { memory, length, element: PhantomData }
}

/// At least that many f32, and whether they are new, and therefore zero.
fn take_memory(floats: usize) -> (Vec<f32>, bool) {
    match POOL.take(floats) {
        Some(mut memory) => {
            // Never made shorter: it would have to be written to become as long again.
            if memory.len() < floats {
                memory.resize(floats, 0.0);
            }
            (memory, false)
        }
        // Cleared by the system while it is first written to, which is cheaper than `resize`.
        None => (vec![0.0; floats], true),
    }
}

/// The number of f32 that hold `length` elements of `size` bytes.
fn floats(length: usize, size: usize) -> usize {
    (length * size).div_ceil(size_of::<f32>())
}

/// With debug assertions, makes reads of unwritten numbers visible: all bits set is NaN as f32, and an invalid
/// pool index or dropout mask as u8.
fn poison(memory: &mut [f32]) {
    if cfg!(debug_assertions) {
        memory.fill(f32::from_bits(u32::MAX));
    }
}

/// A buffer whose memory goes back to the pool when it is dropped.
#[derive(Debug)]
pub(crate) struct PooledBuffer<T: Pod = f32> {
    /// At least as long as the elements need. The pool holds f32 only, so that memory serves every
    /// type of element in turn.
    memory: Vec<f32>,
    /// Elements.
    length: usize,
    element: PhantomData<T>,
}

impl PooledBuffer<f32> {
    /// A tensor of these numbers, whose memory returns to the pool when it is dropped.
    pub fn into_tensor<const D: usize>(mut self, shape: [usize; D]) -> Primitive {
        let mut memory = mem::take(&mut self.memory);
        // Burn copies the numbers of a tensor that has more memory than its shape needs.
        memory.truncate(self.length);
        let pooled = memory.len() >= MIN_POOLED;
        let tensor = owned_tensor(memory, shape);
        if pooled {
            POOL.track(tensor.data_arc());
        }
        tensor
    }
}

impl<T: Pod> Default for PooledBuffer<T> {
    fn default() -> Self {
        Self { memory: Vec::new(), length: 0, element: PhantomData }
    }
}

impl<T: Pod> Drop for PooledBuffer<T> {
    fn drop(&mut self) {
        POOL.put(mem::take(&mut self.memory));
    }
}

impl<T: Pod> Deref for PooledBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.memory)[..self.length]
    }
}

impl<T: Pod> DerefMut for PooledBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.memory)[..self.length]
    }
}

/// The working memory of a pass, reused for each piece of work that one thread does in a row:
/// it stays in that thread's cache, and the pool is locked once.
#[derive(Debug, Default)]
pub(super) struct Scratch(PooledBuffer);

impl Scratch {
    /// Slices of these lengths to write over; whatever they held before is lost.
    pub fn split<const N: usize>(&mut self, lengths: [usize; N]) -> [&mut [f32]; N] {
        // Whole vectors, so that all slices begin at a cache line as the first does.
        let total: usize = lengths.iter().map(|length| padded(*length)).sum();
        if self.0.len() < total + LANES {
            // The old buffer goes back first: it may be the one that the pool grows.
            self.0 = PooledBuffer::default();
            self.0 = take_buffer(total + LANES);
        }
        let start = self.0.as_ptr().align_offset(LANES * size_of::<f32>()).min(LANES);
        let mut rest = &mut self.0[start..][..total];
        poison(rest);
        lengths.map(|length| {
            let (slice, after) = mem::take(&mut rest).split_at_mut(padded(length));
            rest = after;
            &mut slice[..length]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_other_elements_have_their_length() {
        let mut bytes = take_buffer::<u8>(4 * MIN_POOLED + 3);
        assert_eq!(bytes.len(), 4 * MIN_POOLED + 3);
        bytes.fill(7);
        assert!(bytes.iter().all(|&byte| byte == 7));
        drop(bytes);
        assert!(take_zeroed::<u8>(4 * MIN_POOLED).iter().all(|&byte| byte == 0));
        assert!(take_zeroed::<f32>(0).is_empty());
    }

    #[test]
    fn scratch_slices_have_their_lengths_and_do_not_overlap() {
        let mut scratch = Scratch::default();
        for lengths in [[3, 0, 17], [MIN_POOLED, 5, 40], [1, 1, 1]] {
            let mut slices = scratch.split(lengths);
            for (i, slice) in slices.iter_mut().enumerate() {
                slice.fill(i as f32);
            }
            for (i, (slice, length)) in slices.iter().zip(lengths).enumerate() {
                assert_eq!(slice.len(), length);
                assert_eq!(slice.as_ptr().align_offset(64), 0, "it begins at a cache line");
                assert!(slice.iter().all(|&x| x == i as f32));
            }
        }
    }

    /// Unwritten numbers from the last owner show up as NaN if assertions are on.
    #[test]
    #[cfg(debug_assertions)]
    fn left_over_numbers_are_poisoned() {
        for length in [10, 2 * MIN_POOLED] {
            take_buffer::<f32>(length).fill(1.0);
            assert!(take_buffer::<f32>(length).iter().all(|x| x.is_nan()));
            assert!(take_buffer::<u8>(length).iter().all(|&x| x == u8::MAX));
            let mut scratch = Scratch::default();
            scratch.split([length])[0].fill(1.0);
            assert!(scratch.split([length])[0].iter().all(|x| x.is_nan()));
        }
    }
}
