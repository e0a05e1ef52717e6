//! The pool itself: the memory of buffers and tensors that are gone, for those to come.

use burn::tensor::Bytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Fewer numbers than this come quickly from the system's allocator, and are not pooled.
pub(super) const MIN_POOLED: usize = 1 << 13;

/// Free memory that is kept at most, in bytes; beyond that, the largest buffers are freed.
pub(super) const MAX_FREE: usize = 256 << 20;

/// Memory that is free, and memory of tensors that will be.
pub(super) struct Pool(Mutex<State>);

struct State {
    free_list: Vec<FreeBuffer>,
    tensors: Vec<TrackedTensor>,
}

/// The memory of a large tensor: free once nobody but the pool holds it.
struct TrackedTensor {
    memory: Arc<Bytes>,
    /// The thread that made it, whose cache may still hold it.
    thread: ThreadId,
}

struct FreeBuffer {
    memory: Vec<f32>,
    /// The thread that used it last, whose cache may still hold it.
    thread: ThreadId,
}

impl Pool {
    pub const fn new() -> Self {
        Self(Mutex::new(State { free_list: Vec::new(), tensors: Vec::new() }))
    }

    /// Free memory for at least `length` numbers, of any length and content; `None` if it has to be
    /// allocated.
    pub fn take(&self, length: usize) -> Option<Vec<f32>> {
        if length < MIN_POOLED {
            return None;
        }
        let mut state = self.state();
        state.collect();
        let best = state.best_fit(length)?;
        let memory = state.free_list.swap_remove(best).memory;
        drop(state);
        // A buffer that is too small makes way for the larger one that is allocated instead, so
        // that sizes which grow from step to step do not pile up.
        (memory.capacity() >= length).then_some(memory)
    }

    /// Takes memory back that nobody uses any more.
    pub fn put(&self, memory: Vec<f32>) {
        if memory.capacity() >= MIN_POOLED {
            let mut state = self.state();
            state.free_list.push(FreeBuffer { memory, thread: thread::current().id() });
            state.trim();
        }
    }

    /// Takes the memory of a tensor back as soon as the tensor and all its clones are gone.
    pub fn track(&self, memory: Arc<Bytes>) {
        let mut state = self.state();
        state.collect();
        state.tensors.push(TrackedTensor { memory, thread: thread::current().id() });
    }

    /// Gives all free memory back to the system.
    pub fn release(&self) {
        let mut state = self.state();
        state.collect();
        // Replaced rather than cleared: the list's own memory goes, too.
        state.free_list = Vec::new();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Moves the memory of tensors that are gone to the free list.
    fn collect(&mut self) {
        // While the pool is the only owner and is locked, nobody can become another one.
        let gone = self.tensors.extract_if(.., |tensor| Arc::strong_count(&tensor.memory) == 1);
        let free = gone.filter_map(|TrackedTensor { memory, thread }| {
            let memory = Arc::try_unwrap(memory).ok()?.try_into_vec().ok()?;
            Some(FreeBuffer { memory, thread })
        });
        self.free_list.extend(free);
        self.trim();
    }

    /// The smallest free buffer for `length` numbers, one of this thread's if that is at most twice as
    /// large as it need be: fetching another core's cache costs more than the room. Where all are too
    /// small, the largest.
    fn best_fit(&self, length: usize) -> Option<usize> {
        let thread = thread::current().id();
        (0..self.free_list.len()).min_by_key(|&i| {
            let buffer = &self.free_list[i];
            match buffer.memory.capacity() {
                enough if enough >= length => {
                    let is_near = buffer.thread == thread && enough <= 2 * length;
                    (false, !is_near, enough)
                }
                too_small => (true, false, usize::MAX - too_small),
            }
        })
    }

    fn free_bytes(&self) -> usize {
        self.free_list.iter().map(|buffer| buffer.memory.capacity() * size_of::<f32>()).sum()
    }

    /// Frees the largest buffers until the rest is within the bound.
    fn trim(&mut self) {
        while self.free_bytes() > MAX_FREE {
            let largest = (0..self.free_list.len())
                .max_by_key(|&i| self.free_list[i].memory.capacity())
                .expect("what is above the bound is not empty");
            self.free_list.swap_remove(largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Primitive, owned_tensor, slice};
    use std::sync::Barrier;

    /// A tensor whose memory the pool takes back, and where its numbers are.
    fn tracked(pool: &Pool, values: Vec<f32>) -> (Primitive, *const f32) {
        let length = values.len();
        let tensor = owned_tensor(values, [length]);
        pool.track(tensor.data_arc());
        let address = slice(&tensor).as_ptr();
        (tensor, address)
    }

    fn free_bytes(pool: &Pool) -> usize {
        let mut state = pool.state();
        state.collect();
        state.free_bytes()
    }

    #[test]
    fn a_tensor_s_memory_is_used_again_but_never_while_a_clone_is_alive() {
        let pool = Pool::new();
        let length = 3 * MIN_POOLED + 7;
        let (first, address) = tracked(&pool, vec![1.0; length]);
        let clone = first.clone();
        drop(first);
        assert!(pool.take(length).is_none(), "a clone still holds it");
        assert!(slice(&clone).iter().all(|&x| x == 1.0));
        drop(clone);
        let (larger, larger_address) = tracked(&pool, vec![2.0; 2 * length]);
        drop(larger);
        let smallest_that_fits = pool.take(length - 5).unwrap();
        assert_eq!(smallest_that_fits.as_ptr(), address);
        let next = pool.take(length).unwrap();
        assert_eq!(next.as_ptr(), larger_address);
        assert_eq!(free_bytes(&pool), 0);
    }

    #[test]
    fn a_buffer_that_is_too_small_makes_way() {
        let pool = Pool::new();
        pool.put(vec![0.0; MIN_POOLED]);
        assert!(pool.take(2 * MIN_POOLED).is_none());
        assert_eq!(free_bytes(&pool), 0, "it does not pile up");
        pool.put(vec![0.0; MIN_POOLED - 1]);
        assert_eq!(free_bytes(&pool), 0, "small buffers are the allocator's");
    }

    /// Buffers and tensors come back in any mixture; the free memory of both is bounded together,
    /// and the largest go first.
    #[test]
    fn the_bound_holds() {
        let pool = Pool::new();
        let third = MAX_FREE / size_of::<f32>() / 3;
        for i in 0..3 {
            pool.put(vec![0.0; third - i]);
            drop(tracked(&pool, vec![0.0; third + 1 + i]));
            assert!(free_bytes(&pool) <= MAX_FREE);
        }
        let kept = third * 3 - 3;
        assert_eq!(free_bytes(&pool), kept * size_of::<f32>(), "the three smallest are kept");
        pool.put(vec![0.0; MAX_FREE / size_of::<f32>() + 1]);
        assert_eq!(free_bytes(&pool), kept * size_of::<f32>(), "too large for the pool alone");
    }

    #[test]
    fn release_gives_free_memory_back_and_leaves_what_is_in_use() {
        let pool = Pool::new();
        pool.put(vec![0.0; MIN_POOLED]);
        drop(tracked(&pool, vec![0.0; MIN_POOLED]));
        let (in_use, address) = tracked(&pool, vec![3.0; 2 * MIN_POOLED]);
        pool.release();
        assert_eq!(free_bytes(&pool), 0);
        assert!(slice(&in_use).iter().all(|&x| x == 3.0));
        drop(in_use);
        let back = pool.take(MIN_POOLED).unwrap();
        assert_eq!(back.as_ptr(), address, "it comes back afterwards");
    }

    /// The memory of buffers and of tensors alike, also where another's would fit more closely.
    #[test]
    fn a_thread_gets_its_own_memory_back() {
        let pool = Pool::new();
        let others = || {
            thread::scope(|scope| {
                scope.spawn(|| pool.put(vec![0.0; MIN_POOLED]));
                scope.spawn(|| drop(tracked(&pool, vec![0.0; MIN_POOLED])));
            });
        };
        let own = vec![0.0; 2 * MIN_POOLED];
        let address = own.as_ptr();
        others();
        pool.put(own);
        others();
        let back = pool.take(MIN_POOLED).unwrap();
        assert_eq!(back.as_ptr(), address);
        let (own, address) = tracked(&pool, vec![0.0; MIN_POOLED + 1]);
        drop(own);
        // Whoever collects it, it belongs to the thread that made it.
        thread::scope(|scope| {
            scope.spawn(|| free_bytes(&pool));
        });
        let back = pool.take(MIN_POOLED).unwrap();
        assert_eq!(back.as_ptr(), address);
        let (large, address) = tracked(&pool, vec![0.0; 2 * MIN_POOLED + 1]);
        drop(large);
        let back = pool.take(MIN_POOLED).unwrap();
        assert_ne!(back.as_ptr(), address, "it is much too large");
    }

    /// Threads that take, fill, check and return buffers and tensors side by side: if two ever held
    /// the same memory, one would find the other's numbers.
    #[test]
    fn no_buffer_has_two_owners() {
        const THREADS: usize = 4;
        let (pool, start) = (Pool::new(), Barrier::new(THREADS));
        let work = |id: usize| {
            start.wait();
            for round in 0..200 {
                let mark = (id * 1000 + round) as f32;
                let length = MIN_POOLED + (id + round) % 3 * 1000;
                let mut memory = pool.take(length).unwrap_or_default();
                memory.clear();
                memory.resize(length, mark);
                thread::yield_now();
                assert!(memory.iter().all(|&x| x == mark));
                if round % 2 == 0 {
                    pool.put(memory);
                    continue;
                }
                let (tensor, _) = tracked(&pool, memory);
                let clone = tensor.clone();
                drop(tensor);
                thread::yield_now();
                assert!(slice(&clone).iter().all(|&x| x == mark));
            }
        };
        thread::scope(|scope| {
            for id in 0..THREADS {
                scope.spawn(move || work(id));
            }
        });
    }
}
