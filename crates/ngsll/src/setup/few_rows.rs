//! The schedule for tables of few rows: the number of epochs that is best on held-out rows.
//!
//! With one small validation part, chance would decide when to stop. So every training row is held out once
//! (cross-validation, all parts in parallel); training stops after the epoch that is best on average,
//! which may be none.

use super::TrainingSetup;
use crate::config::FEW_ROWS;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::generator::Generator;
use crate::linear_model::{FOLDS, folds};
use crate::network::Network;
use crate::train::{Checkpoints, Event, Part, Progress, Running, Stage, Trained, Trainer};
use rayon::prelude::*;

/// From this many rows on, fewer parts are enough.
const VERY_FEW_ROWS: usize = 1000;
const FEWER_FOLDS: usize = 3;

/// A smaller relative gain of the validation loss does not justify more epochs.
const WORTHWHILE: f64 = 0.002;

/// Epochs without such a gain after which the search ends.
const PATIENCE: usize = 12;

impl TrainingSetup {
    /// Whether there are so few rows that cross-validation decides how long to train.
    pub(super) fn has_few_rows(&self) -> bool {
        self.representation.is_screened()
            && self.config().training.evidence() == Evidence::Chosen
            && self.config().training.stages.is_none()
            && self.rows.train.len() < FEW_ROWS
    }

    /// Trains as long as held-out rows gain by it.
    pub(super) fn train_few<G: Generator>(
        &self,
        trainer: &Trainer<'_>,
        network: Network<G>,
        stages: &[Stage],
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Trained<G>> {
        let (epochs, share) = self.best_course(trainer, &network, stages, progress)?;
        let device = trainer.device.clone();
        let trainer = Trainer { stop_after: Some(epochs), device, ..*trainer };
        let trained = trainer.train(network, stages, checkpoints, progress)?;
        let network = trained.network.keeping(share, &trainer.device);
        Ok(Trained { network, ..trained })
    }

    /// The number of epochs after which held-out rows are predicted best, and the share of the addition to
    /// the linear model that predicts them best from all columns.
    fn best_course<G: Generator>(
        &self,
        trainer: &Trainer<'_>,
        network: &Network<G>,
        stages: &[Stage],
        progress: &mut Progress<'_>,
    ) -> Result<(usize, f32)> {
        let rows = &self.rows.train;
        let (seed, linear) = (self.config().seed, self.starts_linear());
        let positions: Vec<usize> = (0..rows.len()).collect();
        let parts = if rows.len() < VERY_FEW_ROWS { FOLDS } else { FEWER_FOLDS };
        let folds = folds(&positions, parts, seed, 0);
        let part = |positions: &[usize]| {
            self.part(&positions.iter().map(|&position| rows[position]).collect::<Vec<_>>())
        };
        let parts: Vec<[Part<'_>; 2]> =
            folds.iter().map(|(others, held)| [part(others), part(held)]).collect();
        let trainers = parts.iter().map(|[train, valid]| {
            let device = trainer.device.clone();
            Trainer { train, valid, device, ..*trainer }
        });
        let trainers: Vec<Trainer<'_>> = trainers.collect();
        let networks = self.with_linear_data(|data| {
            let strength = linear.then(|| data.best_strength(seed));
            let networks = folds.par_iter().map(|(others, _)| match strength {
                Some(strength) => self.on_linear_of(network.clone(), data, others, strength),
                None => Ok(network.clone()),
            });
            networks.collect::<Result<Vec<_>>>()
        })?;
        let runs = trainers.iter().zip(networks);
        let runs = runs.map(|(trainer, network)| trainer.start(network, stages));
        let mut runs: Vec<Running<G>> = runs.collect::<Result<_>>()?;
        let mut losses: Vec<f64> = Vec::new();
        // For every epoch the scores of all held-out rows from all columns.
        let mut scores: Vec<Vec<f64>> = Vec::new();
        loop {
            let found = trainers.par_iter().zip(&runs);
            let found = found.map(|(trainer, run)| trainer.held_out_losses(run, stages));
            let found: Vec<([f64; 2], Vec<f64>)> = found.collect::<Result<_>>()?;
            // Random subsets alone would stop when noise columns are memorised, however much is
            // still to be learned of the others.
            let share =
                |(_, held): &(Vec<usize>, Vec<usize>)| held.len() as f64 / rows.len() as f64;
            let mean = |([subsets, all], _): &([f64; 2], Vec<f64>)| (subsets + all) / 2.0;
            losses.push(folds.iter().zip(&found).map(|(fold, own)| share(fold) * mean(own)).sum());
            scores.push(found.into_iter().flat_map(|(_, scores)| scores).collect());
            let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
            let first = losses.iter().position(|loss| *loss <= best + WORTHWHILE * best.abs());
            let (first, epochs) = (first.unwrap_or(0), losses.len() - 1);
            let event = Event::Fold { epoch: epochs, epochs: stages[0].max_epochs };
            let stopped = progress(event).is_break();
            if stopped && !self.keep_when_stopped {
                return Err(Error::Interrupted);
            }
            if stopped || epochs == stages[0].max_epochs || epochs - first >= PATIENCE {
                let held: Vec<usize> =
                    folds.iter().flat_map(|(_, held)| held.iter().copied()).collect();
                let share = self.with_linear_data(|data| {
                    Ok(data.best_share(&held, &scores[0], &scores[first]))
                })?;
                return Ok((first, if linear { share as f32 } else { 1.0 }));
            }
            let advanced = trainers.par_iter().zip(&mut runs);
            advanced.try_for_each(|(trainer, run)| trainer.advance(run, stages))?;
        }
    }
}
