//! What the unit tests of several modules share.

use std::fmt::Debug;

/// Checks that the result of `work` has the same bits on one thread as on three.
pub(crate) fn assert_same_on_any_threads<T: PartialEq + Debug + Send>(work: impl Fn() -> T + Sync) {
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    });
    assert_eq!(one, three);
}
