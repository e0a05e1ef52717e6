//! Weights in the form that prediction reads, made once.

use burn::backend::Flex;
use burn::backend::tensor::FloatTensor;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Something made of a weight, kept for as long as the weight is the same.
///
/// Clones share what is kept. In training, where weights change with every step, nothing is.
pub struct Kept<T>(Arc<Mutex<Option<Made<T>>>>);

/// What was made, and the weight that it was made of: while that is held here nobody can write to
/// it in place, so the same address means the same numbers.
struct Made<T> {
    weight: FloatTensor<Flex>,
    value: Arc<T>,
}

impl<T> Kept<T> {
    /// What was made of this weight, if it `fits`, or a new one.
    pub(super) fn of(
        &self,
        weight: &FloatTensor<Flex>,
        fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        // A panic elsewhere cannot leave it half written.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |made: &&Made<T>| {
            Arc::ptr_eq(&made.weight.data_arc(), &weight.data_arc())
                && made.weight.layout() == weight.layout()
                && fits(&made.value)
        };
        if let Some(made) = kept.as_ref().filter(same) {
            return made.value.clone();
        }
        let value = Arc::new(make());
        *kept = Some(Made { weight: weight.clone(), value: value.clone() });
        value
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}
