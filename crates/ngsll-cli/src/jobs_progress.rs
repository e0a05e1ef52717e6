//! Progress of parallel jobs.

use crate::interrupt;
use crate::output::eprint_line;
use crate::progress::progress_style;
use indicatif::ProgressBar;
use ngsll_jobs::{Observer, ProgressUpdate};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shows all jobs: a bar on a terminal, a line per finished job elsewhere.
pub struct JobsProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// The time of the last line, if there is no bar.
    last_line: Mutex<Instant>,
}

/// A log without a bar gets a line this often.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Parts of the bar: the work has no natural unit.
const PARTS: f64 = 1000.0;

impl JobsProgress {
    /// Progress of all jobs.
    pub fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = progress_style("{bar:24.cyan/blue} {percent} %, {msg}");
            ProgressBar::new(PARTS as u64).with_style(style)
        });
        Self { bar, quiet, last_line: Mutex::new(Instant::now()) }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for JobsProgress {
    fn update(&self, update: &ProgressUpdate) {
        let left = update.time_left.map(|left| format!(", about {} left", duration(left)));
        let left = left.unwrap_or_default();
        let done = format!("{} of {} jobs{left}", update.done, update.jobs);
        if let Some(bar) = &self.bar {
            bar.set_position((update.fraction * PARTS) as u64);
            bar.set_message(format!("{done}  {}", update.running.join(" | ")));
        }
        if let Some((title, time)) = update.finished.as_ref().filter(|_| !self.quiet) {
            let line = format!("{title}: {}", duration(*time));
            match &self.bar {
                Some(bar) => bar.println(line),
                None => eprint_line(format_args!("{line}; {done}")),
            }
        } else if self.bar.is_none() && !self.quiet {
            let mut last_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
            if last_line.elapsed() > LINE_EVERY {
                *last_line = Instant::now();
                let percent = (100.0 * update.fraction) as u32;
                eprint_line(format_args!(
                    "{percent} %, {done}; running: {}",
                    update.running.join(", ")
                ));
            }
        }
    }

    fn should_stop(&self) -> bool {
        interrupt::requested()
    }
}

/// "45 s", "12 min", "3 h 20 min"
fn duration(time: Duration) -> String {
    match time.as_secs() {
        s if s < 100 => format!("{s} s"),
        s if s < 6000 => format!("{} min", s / 60),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}
