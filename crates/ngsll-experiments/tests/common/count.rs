//! An observer that counts, for the tests of the crate's face and for those inside it: both have the names of `super`.

use super::{Observer, ProgressUpdate};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts finished jobs.
#[derive(Default)]
pub struct Count(AtomicUsize);

impl Count {
    /// How many there were.
    pub fn finished(self) -> usize {
        self.0.into_inner()
    }
}

impl Observer for Count {
    fn update(&self, update: &ProgressUpdate) {
        self.0.fetch_add(usize::from(update.finished.is_some()), Ordering::SeqCst);
    }

    fn should_stop(&self) -> bool {
        false
    }
}
