//! Progress of training: a bar on a terminal, a line per epoch elsewhere.

use crate::interrupt;
use crate::output::eprint_line;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use ngsll::train::{Event, Stage};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Instant;

/// Shows the events of a training.
pub struct TrainingProgress {
    bar: Option<ProgressBar>,
    /// "accuracy" or "R²".
    metric: &'static str,
    title: String,
    quiet: bool,
    started: Instant,
}

impl TrainingProgress {
    /// Progress of the training called `title`.
    pub fn new(title: &str, metric: &'static str, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(0);
            let style = "{prefix} {bar:24.cyan/blue} {pos}/{len} batches, {rate}, {eta} left in epoch  {msg}";
            bar.set_style(progress_style(style));
            bar
        });
        Self { bar, metric, title: title.to_string(), quiet, started: Instant::now() }
    }

    /// Takes an event; asks to stop after Ctrl-C.
    pub fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Step { stages, stage, epoch, step, steps } => {
                if let Some(bar) = &self.bar {
                    if step == 1 {
                        bar.reset();
                        bar.set_length(steps as u64);
                        bar.set_prefix(format!("{}{}", self.title, position(stages, stage, epoch)));
                    }
                    bar.set_position(step as u64);
                }
            }
            Event::Fold { epoch, epochs } => {
                if let Some(bar) = &self.bar {
                    bar.set_length(epochs as u64);
                    bar.set_position(epoch as u64);
                    bar.set_prefix(format!("{}finding how long to train", self.title));
                }
            }
            Event::Terms { step, steps } => {
                if let Some(bar) = &self.bar {
                    if step == 1 {
                        bar.reset();
                        bar.set_length(steps as u64);
                        bar.set_prefix(format!(
                            "{}learning the contributions of the columns",
                            self.title
                        ));
                    }
                    bar.set_position(step as u64);
                }
            }
            Event::Epoch { stages, record } => {
                let validation = format!("validation {} {:.3}", self.metric, record.valid_metric);
                match &self.bar {
                    Some(bar) => bar.set_message(validation),
                    None if !self.quiet => eprint_line(format_args!(
                        "{}{}: training loss {:.4}, validation loss {:.4}, {validation}, {:.0} s",
                        self.title,
                        position(stages, record.stage, record.epoch),
                        record.train_loss,
                        record.valid_loss,
                        self.started.elapsed().as_secs_f64(),
                    )),
                    None => {}
                }
            }
            _ => {}
        }
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Rows done so far, for work of unknown length; shown if it does not mix with the result.
pub struct RowProgress {
    bar: Option<ProgressBar>,
}

impl RowProgress {
    /// A counter on a terminal; `result_on_terminal` says that the result itself goes there.
    pub fn new(result_on_terminal: bool) -> Self {
        let bar = (!result_on_terminal && std::io::stderr().is_terminal()).then(|| {
            ProgressBar::no_length()
                .with_style(progress_style("{spinner} {pos} rows, {rate}, {elapsed}"))
        });
        Self { bar }
    }

    /// Counts `rows` more.
    pub fn add(&self, rows: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(rows as u64);
        }
    }

    /// Removes the counter.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A style whose `{rate}` is a round number per second.
pub fn progress_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    style.with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // Writing to a line in memory cannot fail.
        let _ = write!(out, "{:.0}/s", state.per_sec());
    })
}

/// "stage 2/5 (K 5, τ 0.5) epoch 3/12"; for a single stage the epoch alone
fn position(stages: &[Stage], stage: usize, epoch: usize) -> String {
    let Stage { k, temperature, max_epochs, .. } = &stages[stage];
    if stages.len() == 1 {
        return format!("epoch {}/{max_epochs}", epoch + 1);
    }
    let gate = if *temperature == 0.0 { "hard".into() } else { format!("τ {temperature}") };
    format!("stage {}/{} (K {k}, {gate}) epoch {}/{max_epochs}", stage + 1, stages.len(), epoch + 1)
}
