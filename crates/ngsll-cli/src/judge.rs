//! Training a judge, with its progress.

use crate::interrupt;
use crate::progress::TrainingProgress;
use anyhow::Result;
use ngsll::{Dataset, Device, Judge, Options};

/// Trains a judge for models of these options on the samples that the model learned from.
pub fn fit(
    options: &Options,
    data: &Dataset,
    valid: Option<&Dataset>,
    quiet: bool,
) -> Result<Judge> {
    let metric = "figure from all features";
    let mut progress = TrainingProgress::new("judge, ", metric, quiet);
    interrupt::listen();
    let device = Device::default();
    let judge =
        Judge::fit(options.clone(), data, valid, &device, &mut |event| progress.event(event));
    progress.finish();
    Ok(judge?)
}
