//! The pool itself: the memory of dropped buffers and tensors, for new ones.

use burn::tensor::Bytes;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Fewer numbers than this come quickly from the system's allocator, and are not pooled.
pub(super) const MIN_POOLED: usize = 1 << 13;

/// The most free memory that is kept, in bytes; beyond that, the largest buffers are freed.
pub(super) const MAX_FREE: usize = 256 << 20;

/// Arenas of a pool; if more threads run than that, some share one.
const ARENAS: usize = u64::BITS as usize;

/// Memory that is free, and memory of tensors that will be. Every thread has its own arena: threads
/// do not wait for each other, and get memory back that their cache may still hold.
pub(super) struct Pool {
    arenas: [Mutex<Arena>; ARENAS],
    /// Bytes that are free in all arenas.
    free: AtomicUsize,
}

struct Arena {
    free_list: Vec<Vec<f32>>,
    /// The memory of large tensors: free once only the pool holds it.
    tensors: Vec<Arc<Bytes>>,
}

impl Pool {
    pub const fn new() -> Self {
        let arenas = [const { Mutex::new(Arena::new()) }; ARENAS];
        Self { arenas, free: AtomicUsize::new(0) }
    }

    /// Free memory for at least `length` numbers, of any length and content; `None` if it has to be
    /// allocated.
    pub fn take(&self, length: usize) -> Option<Vec<f32>> {
        if length < MIN_POOLED {
            return None;
        }
        let mut arena = self.own_arena();
        self.collect(&mut arena);
        let best = arena.best_fit(length)?;
        let memory = arena.free_list.swap_remove(best);
        drop(arena);
        self.free.fetch_sub(bytes(&memory), Ordering::Relaxed);
        // A buffer that is too small makes way for the larger one that is allocated instead, so
        // that sizes which grow from step to step do not pile up.
        (memory.capacity() >= length).then_some(memory)
    }

    /// Takes back memory that is no longer used.
    pub fn put(&self, memory: Vec<f32>) {
        if memory.capacity() >= MIN_POOLED {
            self.add(&mut self.own_arena(), memory);
        }
    }

    /// Takes the memory of a tensor back as soon as the tensor and all its clones are gone.
    pub fn track(&self, memory: Arc<Bytes>) {
        let mut arena = self.own_arena();
        self.collect(&mut arena);
        arena.tensors.push(memory);
    }

    /// Gives all free memory back to the system.
    pub fn release(&self) {
        for arena in &self.arenas {
            let mut arena = lock(arena);
            self.collect(&mut arena);
            // Replaced rather than cleared: the list's own memory goes, too.
            let free: usize = std::mem::take(&mut arena.free_list).iter().map(bytes).sum();
            self.free.fetch_sub(free, Ordering::Relaxed);
        }
    }

    fn own_arena(&self) -> MutexGuard<'_, Arena> {
        // A thread that is ending no longer has one.
        let number = ARENA.try_with(|arena| arena.0 as usize).unwrap_or_default();
        lock(&self.arenas[number % ARENAS])
    }

    /// Moves the memory of tensors that are gone to the free list.
    fn collect(&self, arena: &mut Arena) {
        // While the arena is the only owner and is locked, no other can appear.
        let gone = arena.tensors.extract_if(.., |memory| Arc::strong_count(memory) == 1);
        for memory in gone.collect::<Vec<_>>() {
            let memory = Arc::try_unwrap(memory).ok().and_then(|memory| memory.try_into_vec().ok());
            memory.into_iter().for_each(|memory| self.add(arena, memory));
        }
    }

    /// Adds free memory to an arena, and frees its largest buffers while there is more than the bound.
    fn add(&self, arena: &mut Arena, memory: Vec<f32>) {
        let mut free = self.free.fetch_add(bytes(&memory), Ordering::Relaxed) + bytes(&memory);
        arena.free_list.push(memory);
        while free > MAX_FREE {
            let all = 0..arena.free_list.len();
            let Some(largest) = all.max_by_key(|&i| arena.free_list[i].capacity()) else { break };
            let freed = bytes(&arena.free_list.swap_remove(largest));
            free = self.free.fetch_sub(freed, Ordering::Relaxed) - freed;
        }
    }
}

impl Arena {
    const fn new() -> Self {
        Self { free_list: Vec::new(), tensors: Vec::new() }
    }

    /// The smallest free buffer for `length` numbers; where all are too small, the largest.
    fn best_fit(&self, length: usize) -> Option<usize> {
        (0..self.free_list.len()).min_by_key(|&i| match self.free_list[i].capacity() {
            enough if enough >= length => (false, enough),
            too_small => (true, usize::MAX - too_small),
        })
    }
}

fn bytes(memory: &Vec<f32>) -> usize {
    memory.capacity() * size_of::<f32>()
}

fn lock(arena: &Mutex<Arena>) -> MutexGuard<'_, Arena> {
    arena.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static ARENA: ArenaNumber = ArenaNumber::take();
}

/// A bit for each arena that belongs to a running thread.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// The number of a thread's arena, which another thread gets when this one has ended.
struct ArenaNumber(u32);

impl ArenaNumber {
    fn take() -> Self {
        let lowest = |taken: u64| (taken != u64::MAX).then(|| taken | (taken + 1));
        let before = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lowest);
        Self(before.map_or(ARENAS as u32, u64::trailing_ones))
    }
}

impl Drop for ArenaNumber {
    fn drop(&mut self) {
        if self.0 < ARENAS as u32 {
            TAKEN.fetch_and(!(1 << self.0), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Primitive, owned_tensor, slice};
    use std::sync::Barrier;
    use std::thread;

    /// A tensor whose memory the pool takes back, and the address of its numbers.
    fn tracked(pool: &Pool, values: Vec<f32>) -> (Primitive, *const f32) {
        let length = values.len();
        let tensor = owned_tensor(values, [length]);
        pool.track(tensor.data_arc());
        let address = slice(&tensor).as_ptr();
        (tensor, address)
    }

    fn free_bytes(pool: &Pool) -> usize {
        pool.collect(&mut pool.own_arena());
        pool.free.load(Ordering::Relaxed)
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

    /// The same for the memory of buffers and of tensors, even if another thread's would fit more closely.
    #[test]
    fn a_thread_gets_its_own_memory_back() {
        let pool = Pool::new();
        let others = || {
            thread::scope(|scope| {
                scope.spawn(|| pool.put(vec![0.0; MIN_POOLED]));
                scope.spawn(|| drop(tracked(&pool, vec![0.0; MIN_POOLED])));
            });
        };
        // A thread gets its arena at its first request; a later one could be given that of a thread that has ended.
        assert!(pool.take(MIN_POOLED).is_none());
        others();
        assert!(pool.take(MIN_POOLED).is_none(), "it is another thread's");
        let own = vec![0.0; 2 * MIN_POOLED];
        let address = own.as_ptr();
        pool.put(own);
        others();
        let back = pool.take(MIN_POOLED).unwrap();
        assert_eq!(back.as_ptr(), address);
        let (own, address) = tracked(&pool, vec![0.0; MIN_POOLED + 1]);
        // Whichever thread drops it, it belongs to the one that made it.
        thread::scope(|scope| {
            scope.spawn(|| drop(own));
        });
        let back = pool.take(MIN_POOLED).unwrap();
        assert_eq!(back.as_ptr(), address);
        pool.release();
        assert_eq!(pool.free.load(Ordering::Relaxed), 0, "also that of other threads");
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
