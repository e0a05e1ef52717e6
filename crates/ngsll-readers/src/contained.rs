//! Protection from libraries that panic on some damaged files instead of returning an error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is running code that may panic.
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs code of a library; returns `None` if it panics, without printing the panic.
pub(crate) fn contained<T>(read: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                others(panic);
            }
        }));
    });
    let before = CONTAINED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    CONTAINED.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_contained() {
        assert_eq!(contained(|| 7), Some(7));
        assert_eq!(contained(|| -> usize { panic!("of a library") }), None);
    }
}
