//! One set of options, trained and measured.

use crate::training::with_chosen_k;
use ngsll::error::{Error, Result};
use ngsll::metrics::Metrics;
use ngsll::repeats::Repeat;
use ngsll::tune::Trial;
use ngsll::{Config, Dataset, Device, TrainingSetup};
use ngsll_jobs::{Job, JobProgress, Records};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The common parts of all trials.
pub struct Trials<'a> {
    pub config: &'a Config,
    /// Whether each trial finds its own K.
    pub chooses_k: bool,
    pub data: &'a Dataset,
    pub valid: Option<&'a Dataset>,
    /// The trainings of each trial; if absent a single one, which is measured on its validation samples.
    pub repeats: Option<&'a [Repeat]>,
    pub records: &'a Records,
    /// Identifies the data and the options that are not tried.
    pub fingerprint: String,
}

/// The quality of a set of options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// "log loss" or "RMSE".
    pub name: String,
    /// The mean over all trainings.
    pub loss: f64,
    /// The standard deviation of a training, if there are several.
    pub deviation: Option<f64>,
    pub seconds: f64,
}

impl Trials<'_> {
    /// The result of a trial that is done.
    pub fn result(&self, trial: &Trial) -> Option<TrialResult> {
        self.records.find(&trial.to_string(), &self.fingerprint)
    }

    /// The job of a trial without a result.
    pub fn job<'t>(&self, trial: &'t Trial) -> Job<&'t Trial> {
        let trainings = self.repeats.map_or(1, <[Repeat]>::len) as f64;
        // Invalid options are reported when the trial is run.
        let config = trial.apply(self.config).unwrap_or_else(|_| self.config.clone());
        let epochs = trainings * config.epochs(self.data.len()) as f64;
        Job { title: trial.to_string(), cost: epochs, epochs, task: trial }
    }

    /// Trains and measures a trial, and stores the result.
    pub fn carry_out(&self, trial: &Trial, job: &mut JobProgress<'_>) -> Result<()> {
        let started = Instant::now();
        let options = trial.apply(self.config)?.check()?;
        let device = Device::default();
        let measured: Vec<Metrics> = match self.repeats {
            Some(repeats) => {
                let measure = |repeat: &Repeat| {
                    let setup = repeat.setup(&options, self.data, self.valid, &device)?;
                    let own = repeat.own(self.data);
                    self.measured(&setup, &own, &repeat.held_out(self.data), job)
                };
                repeats.iter().map(measure).collect::<Result<_>>()?
            }
            None => {
                let setup = TrainingSetup::new(options, self.data, self.valid, &device)?;
                let valid = self.valid.unwrap_or(self.data).select(&setup.rows().valid);
                vec![self.measured(&setup, self.data, &valid, job)?]
            }
        };
        let loss = |metrics: &Metrics| metrics.log_loss.or(metrics.rmse);
        let losses: Vec<f64> = measured.iter().filter_map(loss).collect();
        let n = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / n;
        if !mean.is_finite() {
            let (what, hint) = ("the validation loss".to_string(), String::new());
            return Err(Error::NotFinite { what, hint });
        }
        let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
        let classes = measured.iter().any(|metrics| metrics.log_loss.is_some());
        let result = TrialResult {
            name: if classes { "log loss" } else { "RMSE" }.to_string(),
            loss: mean,
            deviation: (losses.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
            seconds: started.elapsed().as_secs_f64(),
        };
        self.records.save(&trial.to_string(), &self.fingerprint, &result)
    }

    fn measured(
        &self,
        setup: &TrainingSetup,
        own: &Dataset,
        held_out: &Dataset,
        job: &mut JobProgress<'_>,
    ) -> Result<Metrics> {
        let model = setup.fit(None, &mut |event| job.event(event))?.model;
        match self.chooses_k {
            true => with_chosen_k(model, setup, own, self.valid)?.evaluate(held_out),
            false => model.evaluate(held_out),
        }
    }
}
