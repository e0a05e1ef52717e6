//! Buffers that are used again and again: only what becomes a tensor is new memory in every step.

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

/// Buffers that no one holds at the moment.
static SPARE: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// A buffer of zeros that may outlive the work of a thread and goes back when it is dropped.
pub(super) struct Sums(Vec<f32>);

impl Sums {
    /// `length` zeros.
    pub fn zeros(length: usize) -> Self {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = spare.pop().unwrap_or_default();
        drop(spare);
        buffer.clear();
        buffer.resize(length, 0.0);
        Self(buffer)
    }
}

impl Drop for Sums {
    fn drop(&mut self) {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(std::mem::take(&mut self.0));
    }
}

impl Deref for Sums {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Sums {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}
