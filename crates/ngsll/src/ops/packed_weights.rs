//! Weights packed into the layout that prediction reads, once.

use super::Primitive;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A value packed from a weight, kept for as long as the weight is the same.
///
/// Clones share it. In training, where weights change with every step, it stays empty.
pub(crate) struct PackedWeightCache<T>(Arc<Mutex<Option<Entry<T>>>>);

/// The packed value and the weight it was packed from: while this holds the weight, nothing can write
/// to it in place, so the same address means the same numbers.
struct Entry<T> {
    weight: Primitive,
    packed: Arc<T>,
}

impl<T> PackedWeightCache<T> {
    /// The packed form of this weight, if it `fits`; otherwise packs it anew.
    pub(super) fn get_or_pack(
        &self,
        weight: &Primitive,
        fits: impl FnOnce(&T) -> bool,
        pack: impl FnOnce() -> T,
    ) -> Arc<T> {
        // A panic elsewhere cannot leave it half written.
        let mut entry = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |entry: &&Entry<T>| {
            Arc::ptr_eq(&entry.weight.data_arc(), &weight.data_arc())
                && entry.weight.layout() == weight.layout()
                && fits(&entry.packed)
        };
        if let Some(entry) = entry.as_ref().filter(same) {
            return entry.packed.clone();
        }
        let packed = Arc::new(pack());
        *entry = Some(Entry { weight: weight.clone(), packed: packed.clone() });
        packed
    }
}

impl<T> Clone for PackedWeightCache<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for PackedWeightCache<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> fmt::Debug for PackedWeightCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedWeightCache")
    }
}
