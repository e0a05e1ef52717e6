//! Progress of training: a bar on a terminal, a line per epoch elsewhere.

use crate::interrupt;
use indicatif::{ProgressBar, ProgressStyle};
use ngsll::train::{EpochRecord, Event, Stage};
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
    last: Option<EpochRecord>,
    epochs: usize,
}

impl TrainingProgress {
    /// Progress of the training called `title`.
    pub fn new(title: &str, metric: &'static str, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(0);
            let style = "{prefix} {bar:24.cyan/blue} {pos}/{len} batches, {per_sec}, {eta} left in epoch  {msg}";
            bar.set_style(ProgressStyle::with_template(style).expect("the template is valid"));
            bar
        });
        let started = Instant::now();
        Self { bar, metric, title: title.to_string(), quiet, started, last: None, epochs: 0 }
    }

    /// Takes an event; asks to stop after Ctrl-C.
    pub fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Step { stages, stage, epoch, step, steps } => {
                if let Some(bar) = &self.bar {
                    if step == 1 {
                        bar.reset();
                        bar.set_length(steps as u64);
                        bar.set_prefix(format!("{}{}", self.title, place(stages, stage, epoch)));
                    }
                    bar.set_position(step as u64);
                }
            }
            Event::Epoch { stages, record } => {
                self.epochs += 1;
                let news = format!("validation {} {:.3}", self.metric, record.valid_metric);
                match &self.bar {
                    Some(bar) => bar.set_message(news),
                    None if !self.quiet => eprintln!(
                        "{}{}: training loss {:.4}, validation loss {:.4}, {news}, {:.0} s",
                        self.title,
                        place(stages, record.stage, record.epoch),
                        record.train_loss,
                        record.valid_loss,
                        self.started.elapsed().as_secs_f64(),
                    ),
                    None => {}
                }
                self.last = Some(record.clone());
            }
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// "stage 2/5 (K 5, τ 0.5) epoch 3/12"
fn place(stages: &[Stage], stage: usize, epoch: usize) -> String {
    let Stage { k, temperature, max_epochs, .. } = &stages[stage];
    let gate = if *temperature == 0.0 { "hard".into() } else { format!("τ {temperature}") };
    format!("stage {}/{} (K {k}, {gate}) epoch {}/{max_epochs}", stage + 1, stages.len(), epoch + 1)
}
