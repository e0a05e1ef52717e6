//! Which features never help, found on rows that training has not learned from.
//!
//! A network that learns from random subsets is a predictor for any of them. So what a feature is worth
//! can be asked of it directly: how much does the loss on validation rows rise when the feature takes
//! another row's value, among some others or among all? Where it does not in either company, the network
//! has learned noise by heart, and the feature would only take the place of a reason. (Erasing it instead
//! would compare subsets of different sizes, which the network does not know equally well.)

use super::{Part, Trainer};
use crate::error::Result;
use crate::evidence::subsets;
use crate::generator::{Dropout, Generator};
use crate::network::Network;
use crate::random::{Purpose, stream};
use crate::representation::{Batch, Change};
use rand::RngExt;
use rayon::prelude::*;

/// Validation rows that are read at most, and times that each is read in either company: few rows are read
/// more often.
const ROWS: usize = 4096;
const READ: usize = 4096;
const MOST_TIMES: usize = 4;

/// The company of a feature: some of the others, at random; all of them. One that matters only where
/// several others are known is hardly missed among a few.
const COMPANIES: usize = 2;

/// Rows that go through the network together.
const BATCH: usize = 64;

/// Below this many rows chance decides what seems to help.
const FEWEST_ROWS: usize = 100;

/// A feature stays if its help in either company is this many standard errors above nothing, or this share of
/// all that is explained.
const CERTAIN: f64 = 2.5;
const CONSIDERABLE: f64 = 0.01;

/// What another row's value of a feature does to the loss, over validation rows.
#[derive(Debug, Clone, Copy, Default)]
struct Help {
    sum: f64,
    squares: f64,
}

impl Trainer<'_> {
    /// The features that do not help on validation rows; none where the network explains nothing, or
    /// where there are too few rows to tell.
    pub fn uninformative<G: Generator>(&self, network: &Network<G>) -> Result<Vec<usize>> {
        let part = self.valid;
        let n = part.rows.len().min(ROWS);
        if n < FEWEST_ROWS {
            return Ok(Vec::new());
        }
        let times = (READ / n).clamp(1, MOST_TIMES);
        let places: Vec<usize> = (0..n).collect();
        let batches = places.par_chunks(BATCH).enumerate();
        let batches = batches.map(|(number, places)| {
            self.help(network, part, places, |time| (number * MOST_TIMES + time) as u64, times)
        });
        let batches: Vec<(f64, Vec<[Help; COMPANIES]>)> = batches.collect::<Result<_>>()?;
        // In order, so that the bits do not depend on the number of threads.
        let explained = batches.iter().map(|(explained, _)| explained).sum::<f64>() / n as f64;
        let features = batches.first().map_or(0, |(_, help)| help.len());
        let helps = |j: usize, company: usize| {
            let sum: f64 = batches.iter().map(|(_, help)| help[j][company].sum).sum();
            let squares: f64 = batches.iter().map(|(_, help)| help[j][company].squares).sum();
            let mean = sum / n as f64;
            let variance = (squares / n as f64 - mean * mean).max(0.0);
            mean >= CERTAIN * (variance / n as f64).sqrt() || mean >= CONSIDERABLE * explained
        };
        let noise = |j: &usize| !(0..COMPANIES).any(|company| helps(*j, company));
        let noise: Vec<usize> = (0..features).filter(noise).collect();
        let nothing = explained <= 0.0 || noise.len() == features;
        Ok(if nothing { Vec::new() } else { noise })
    }

    /// What all features explain, summed over the rows, and what each helps in either company.
    fn help<G: Generator>(
        &self,
        network: &Network<G>,
        part: &Part<'_>,
        places: &[usize],
        stream_of: impl Fn(usize) -> u64,
        times: usize,
    ) -> Result<(f64, Vec<[Help; COMPANIES]>)> {
        let rows: Vec<usize> = places.iter().map(|&place| part.rows[place]).collect();
        let batch = self.representation.batch(part.samples, &rows, &self.device.clone().inner());
        let features = batch.features();
        let losses = |batch: &Batch, kept| self.losses(network, part, places, batch, kept);
        let none = losses(&batch, vec![0.0; batch.available.len()])?;
        let all = losses(&batch, batch.available.clone())?;
        let explained = none.iter().zip(&all).map(|(none, all)| none - all).sum();
        // The rise of the loss with another row's value of each feature, over all times:
        // [feature][company][row]
        let mut rises = vec![[(); COMPANIES].map(|()| vec![0.0; places.len()]); features];
        for time in 0..times {
            let mut rng = stream(self.seed, Purpose::Subset, u64::MAX - 1, stream_of(time));
            let drawn = subsets::draw(self.subset_sizes, &batch.available, features, &mut rng);
            let companies = [&drawn, &batch.available];
            let each = rises.iter_mut().enumerate();
            let each = each.flat_map(|(j, rises)| {
                rises.iter_mut().zip(companies).map(move |(rises, company)| (j, rises, company))
            });
            for (j, rises, company) in each {
                let mut kept = company.clone();
                kept.chunks_exact_mut(features).for_each(|kept| kept[j] = 1.0);
                let changes = rows.iter().map(|&row| {
                    let from = part.rows[rng.random_range(0..part.rows.len())];
                    (row, Some(Change::Take { feature: j, from }))
                });
                let other = self.changed_batch(part.samples, changes, &batch.z.device());
                let before = losses(&batch, kept.clone())?;
                let after = losses(&other, kept)?;
                for (rise, (after, before)) in rises.iter_mut().zip(after.iter().zip(before)) {
                    *rise += after - before;
                }
            }
        }
        let help = |rises: Vec<f64>| {
            let means = rises.iter().map(|rise| rise / times as f64);
            let add = |help: Help, rise: f64| Help {
                sum: help.sum + rise,
                squares: help.squares + rise * rise,
            };
            means.fold(Help::default(), add)
        };
        Ok((explained, rises.into_iter().map(|rises| rises.map(help)).collect()))
    }

    /// The loss of each row from the kept features.
    fn losses<G: Generator>(
        &self,
        network: &Network<G>,
        part: &Part<'_>,
        places: &[usize],
        batch: &Batch,
        kept: Vec<f32>,
    ) -> Result<Vec<f64>> {
        let kept = subsets::tensor(kept, batch.features(), &batch.z.device());
        let scores = network.evidence_scores(batch, &kept, &mut Dropout::off())?;
        let (factor, offset) = self.objective.units();
        let scores: Vec<f64> =
            scores.into_data().iter::<f64>().map(|s| s * factor + offset).collect();
        let rows = scores.chunks_exact(self.objective.outputs()).zip(places);
        Ok(rows.map(|(scores, &at)| self.objective.loss(scores, &part.targets, at)).collect())
    }
}
