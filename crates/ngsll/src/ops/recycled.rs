//! Memory of tensors that are gone, for those to come: after the first steps of a training, large
//! results are written where those of earlier steps stood.
//!
//! New memory is dear: the system clears every page of it, and takes it back when it is freed. So
//! the memory of each large tensor is held here, too; once nobody else does, it is free.

use burn::backend::Flex;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{Bytes, TensorData};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Fewer numbers than this come quickly from the system's allocator.
const LARGE: usize = 1 << 13;

/// Free memory that is kept at most, in bytes; of more, the largest pieces are given back.
const MOST_FREE: usize = 256 << 20;

/// The memory of large tensors, in use or free.
struct Pool(Mutex<Vec<Arc<Bytes>>>);

static POOL: Pool = Pool(Mutex::new(Vec::new()));

fn is_free(bytes: &Arc<Bytes>) -> bool {
    Arc::strong_count(bytes) == 1
}

impl Pool {
    fn held(&self) -> MutexGuard<'_, Vec<Arc<Bytes>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`room`].
    fn room(&self, length: usize) -> Vec<f32> {
        let free = if length < LARGE { None } else { self.take(length) };
        let mut room = free.unwrap_or_default();
        if room.capacity() < length {
            // Cleared by the system while it is first written to, which is cheaper than `resize`.
            return vec![0.0; length];
        }
        room.resize(length, 0.0);
        room
    }

    /// The smallest free memory for `length` numbers or, where all is smaller, the largest, which
    /// is thereby given up for a larger one.
    fn take(&self, length: usize) -> Option<Vec<f32>> {
        let mut held = self.held();
        let free = (0..held.len()).filter(|&i| is_free(&held[i]));
        let room = |i: usize| held[i].capacity() / size_of::<f32>();
        let best = free.min_by_key(|&i| match room(i) {
            enough if enough >= length => (0, enough),
            little => (1, usize::MAX - little),
        })?;
        let bytes = held.swap_remove(best);
        drop(held);
        Arc::try_unwrap(bytes).ok()?.try_into_vec().ok()
    }

    fn hold(&self, bytes: Arc<Bytes>) {
        let mut held = self.held();
        held.push(bytes);
        let free = |held: &[Arc<Bytes>]| {
            held.iter().filter(|b| is_free(b)).map(|b| b.capacity()).sum::<usize>()
        };
        while free(&held) > MOST_FREE {
            let largest = (0..held.len()).filter(|&i| is_free(&held[i]));
            let Some(largest) = largest.max_by_key(|&i| held[i].capacity()) else { break };
            held.swap_remove(largest);
        }
    }
}

/// `length` numbers to write over: some are left over from earlier work.
pub(crate) fn room(length: usize) -> Vec<f32> {
    let mut room = POOL.room(length);
    if cfg!(debug_assertions) {
        // What is read before it is written must not go unnoticed.
        room.fill(f32::NAN);
    }
    room
}

/// A tensor of these numbers, whose memory is used again when it is gone.
pub(crate) fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Flex> {
    let large = values.len() >= LARGE;
    let tensor = own_tensor(values, shape);
    if large {
        POOL.hold(tensor.data_arc());
    }
    tensor
}

/// A tensor of these numbers whose memory goes with it: the gradient of a weight, which the optimiser
/// takes apart without a copy.
pub(crate) fn own_tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Flex> {
    FloatTensor::<Flex>::from_data(TensorData::new(values, shape))
}

/// Gives what is free back to the system, at the end of a training.
pub(crate) fn release() {
    POOL.held().retain(|bytes| !is_free(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::slice;

    /// A tensor in this pool, and where its numbers are.
    fn held(pool: &Pool, values: Vec<f32>) -> (FloatTensor<Flex>, *const f32) {
        let length = values.len();
        let tensor = own_tensor(values, [length]);
        pool.hold(tensor.data_arc());
        let place = slice(&tensor).as_ptr();
        (tensor, place)
    }

    #[test]
    fn memory_is_used_again_but_never_while_it_is_held() {
        let pool = Pool(Mutex::new(Vec::new()));
        let length = 3 * LARGE + 7;
        let (first, place) = held(&pool, vec![1.0; length]);
        let copy = first.clone();
        drop(first);
        let second = pool.room(length);
        assert_ne!(second.as_ptr(), place, "a copy still holds it");
        assert!(slice(&copy).iter().all(|&x| x == 1.0));
        drop(copy);
        let (larger, larger_place) = held(&pool, vec![2.0; 2 * length]);
        drop(larger);
        let third = pool.room(length - 5);
        assert_eq!((third.as_ptr(), third.len()), (place, length - 5), "the smallest that fits");
        let fourth = pool.room(length);
        assert_eq!(fourth.as_ptr(), larger_place, "the next one is the larger");
        assert!(pool.held().is_empty());
    }

    #[test]
    fn too_small_memory_is_given_up_and_too_much_is_given_back() {
        let pool = Pool(Mutex::new(Vec::new()));
        drop(held(&pool, vec![0.0; LARGE]));
        assert_eq!(pool.room(2 * LARGE).len(), 2 * LARGE);
        assert!(pool.held().is_empty(), "it does not pile up");
        drop(held(&pool, vec![0.0; MOST_FREE / 4 + 1]));
        drop(held(&pool, vec![0.0; LARGE]));
        let kept: Vec<usize> = pool.held().iter().map(|bytes| bytes.len()).collect();
        assert_eq!(kept, [4 * LARGE]);
    }
}
