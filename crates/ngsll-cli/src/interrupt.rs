//! Ctrl-C asks a long-running command to stop at its next step.

use crate::output::eprint_line;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// `timeout` sends its signal to the program and to its group, and Ctrl-C reaches both if a shell passes it
/// on: signals this close together count as one.
const REPEAT: Duration = Duration::from_secs(1);

/// The time of the first request to stop.
#[derive(Debug, Default)]
pub struct Stop(OnceLock<Instant>);

impl Stop {
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Handles a signal. The first one prints `stopping`; a later one ends the program.
    pub fn signalled(&self, stopping: &str) {
        let now = Instant::now();
        let first = *self.0.get_or_init(|| now);
        if first == now {
            eprint_line(stopping);
        } else if now.duration_since(first) >= REPEAT {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
    }
}

static REQUESTED: Stop = Stop::new();

/// From now on the first Ctrl-C asks, and another one a second later ends the program at once.
pub fn listen() {
    let handler = || {
        REQUESTED.signalled("\nstopping after this step (Ctrl-C again to stop at once)");
    };
    // Without a handler Ctrl-C ends the program, and the last checkpoint remains.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub fn requested() -> bool {
    REQUESTED.0.get().is_some()
}
