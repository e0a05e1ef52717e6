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

static HELD: Mutex<Vec<Arc<Bytes>>> = Mutex::new(Vec::new());

fn held() -> MutexGuard<'static, Vec<Arc<Bytes>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_free(bytes: &Arc<Bytes>) -> bool {
    Arc::strong_count(bytes) == 1
}

/// `length` numbers to write over: some are left over from earlier work.
pub(crate) fn room(length: usize) -> Vec<f32> {
    let mut room = if length < LARGE { Vec::new() } else { take(length).unwrap_or_default() };
    if room.capacity() < length {
        // Cleared by the system while it is first written to, which is cheaper than `resize`.
        return vec![0.0; length];
    }
    room.resize(length, 0.0);
    room
}

/// The smallest free memory for `length` numbers or, where all is smaller, the largest, which is
/// thereby given up for a larger one.
fn take(length: usize) -> Option<Vec<f32>> {
    let mut held = held();
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

/// A tensor of these numbers, whose memory is used again when it is gone.
pub(crate) fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Flex> {
    let large = values.len() >= LARGE;
    let tensor = own_tensor(values, shape);
    if large {
        held().push(tensor.data_arc());
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
    held().retain(|bytes| !is_free(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::slice;

    /// Other tests use the same memory, so what is free is seen only through one's own tensors.
    #[test]
    fn memory_is_used_again_but_never_while_it_is_held() {
        let length = 3 * LARGE + 7;
        let first = tensor(vec![1.0; length], [length]);
        let copy = first.clone();
        let mut other = room(length);
        other.fill(2.0);
        let second = tensor(other, [length]);
        drop(first);
        let mut third = room(length - 5);
        third.fill(3.0);
        assert_eq!(third.len(), length - 5);
        assert!(slice(&copy).iter().all(|&x| x == 1.0));
        assert!(slice(&second).iter().all(|&x| x == 2.0));
        let place = slice(&copy).as_ptr();
        drop(copy);
        let held = held();
        let own = held.iter().find(|bytes| bytes.as_ptr().cast() == place);
        assert!(own.is_some_and(is_free));
    }
}
