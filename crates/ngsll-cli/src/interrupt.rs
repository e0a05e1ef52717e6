//! Ctrl-C asks a long-running command to stop at its next step.

use crate::output::eprint_line;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks, and a second one ends the program at once.
pub fn listen() {
    let handler = || {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
        eprint_line(format_args!("\nstopping after this step (Ctrl-C again to stop at once)"));
    };
    // Without a handler Ctrl-C ends the program, and the last checkpoint is still there.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
