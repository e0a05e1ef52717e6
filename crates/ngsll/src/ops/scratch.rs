//! Buffers that are used again and again. What becomes a tensor has memory of its own kind:
//! [`super::recycled`].

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

thread_local! {
    static BUFFERS: RefCell<[Vec<f32>; 3]> = RefCell::default();
}

/// Hands out buffers of these lengths; what they hold is left over from earlier work. The work
/// must not wait for other threads' work, which might ask for the same buffers.
pub(super) fn with_scratch<const N: usize>(
    lengths: [usize; N],
    work: impl FnOnce([&mut [f32]; N]),
) {
    BUFFERS.with_borrow_mut(|buffers| {
        let mut buffers = buffers.iter_mut();
        work(lengths.map(|length| {
            let buffer = buffers.next().expect("there are as many buffers as any work asks for");
            if buffer.len() < length {
                buffer.resize(length, 0.0);
            }
            &mut buffer[..length]
        }));
    });
}

/// Larger buffers, in bytes, are not worth keeping: whatever fills them takes much longer than new
/// memory does.
const LARGEST: usize = 64 << 20;

/// Numbers that are lent out again and again.
pub(super) trait Shelved: Copy + Default + 'static {
    /// Buffers that no one holds at the moment.
    fn shelf() -> &'static Mutex<Vec<Vec<Self>>>;
}

impl Shelved for f32 {
    fn shelf() -> &'static Mutex<Vec<Vec<Self>>> {
        static SHELF: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());
        &SHELF
    }
}

impl Shelved for u8 {
    fn shelf() -> &'static Mutex<Vec<Vec<Self>>> {
        static SHELF: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
        &SHELF
    }
}

/// A buffer that may outlive the work of a thread and goes back when it is dropped.
#[derive(Debug)]
pub(super) struct Lent<T: Shelved>(Vec<T>);

impl<T: Shelved> Lent<T> {
    /// `length` numbers; what they are is left over from earlier work.
    pub fn left_over(length: usize) -> Self {
        let mut shelf = T::shelf().lock().unwrap_or_else(PoisonError::into_inner);
        // The smallest that is large enough or, where all are smaller, the largest.
        let best = (0..shelf.len()).min_by_key(|&i| match shelf[i].capacity() {
            enough if enough >= length => (0, enough),
            little => (1, usize::MAX - little),
        });
        let mut buffer = best.map(|i| shelf.swap_remove(i)).unwrap_or_default();
        drop(shelf);
        if buffer.capacity() < length {
            // Nothing in it is worth moving.
            buffer = Vec::new();
        }
        buffer.resize(length, T::default());
        Self(buffer)
    }

    /// `length` zeros.
    pub fn zeros(length: usize) -> Self {
        let mut buffer = Self::left_over(length);
        buffer.fill(T::default());
        buffer
    }
}

impl<T: Shelved> Drop for Lent<T> {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        if size_of_val(&buffer[..]) <= LARGEST {
            T::shelf().lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
    }
}

impl<T: Shelved> Deref for Lent<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Shelved> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
