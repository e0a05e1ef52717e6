//! The features that never help, found on rows that training has not learned from.
//!
//! A network that learns from random subsets is a predictor for any of them. So it can measure directly what a
//! feature is worth: how much does the loss on validation rows rise when the feature takes
//! another row's value, among some others or among all? If it does not in either context, the network
//! has memorised noise, and the feature would only take the place of a reason. (Erasing it instead
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

/// The most validation rows that are read, and how often each is read in either context: few rows are read
/// more often.
const ROWS: usize = 4096;
const READ: usize = 4096;
const MOST_TIMES: usize = 4;

/// The contexts in which a feature is tested: a random subset of the others, or all. A feature that matters only if
/// several others are known is hardly missed among a few.
const COMPANIES: usize = 2;

/// Rows that go through the network together.
const BATCH: usize = 64;

/// With fewer rows, chance decides which features seem to help.
const FEWEST_ROWS: usize = 100;

/// A feature is kept if its help in either context is at least this share of all that is explained, or of the help of
/// the feature that helps most, if that is more (a loss is unbounded if a network is sure), or this many standard
/// errors above nothing and not a negligible share.
const CONSIDERABLE: f64 = 0.01;
const CERTAIN: f64 = 2.5;
const NEGLIGIBLE: f64 = 0.0005;

/// The effect of another row's value of a feature on the loss, over validation rows.
#[derive(Debug, Clone, Copy, Default)]
struct Help {
    sum: f64,
    squares: f64,
}

impl Trainer<'_> {
    /// The features that do not help on validation rows; empty if the network explains nothing, or
    /// if there are too few rows to tell.
    pub fn uninformative<G: Generator>(&self, network: &Network<G>) -> Result<Vec<usize>> {
        let part = self.valid;
        let n = part.rows.len().min(ROWS);
        if n < FEWEST_ROWS {
            return Ok(Vec::new());
        }
        let times = (READ / n).clamp(1, MOST_TIMES);
        let positions: Vec<usize> = (0..n).collect();
        let batches = positions.par_chunks(BATCH).enumerate();
        let batches = batches.map(|(number, positions)| {
            self.help(network, part, positions, |time| (number * MOST_TIMES + time) as u64, times)
        });
        let batches: Vec<(f64, Vec<[Help; COMPANIES]>)> = batches.collect::<Result<_>>()?;
        // In order, so that the bits do not depend on the number of threads.
        let explained = batches.iter().map(|(explained, _)| explained).sum::<f64>() / n as f64;
        let features = batches.first().map_or(0, |(_, help)| help.len());
        // The mean help of a feature in a company, and its standard error.
        let help = |j: usize, company: usize| {
            let sum: f64 = batches.iter().map(|(_, help)| help[j][company].sum).sum();
            let squares: f64 = batches.iter().map(|(_, help)| help[j][company].squares).sum();
            let mean = sum / n as f64;
            let variance = (squares / n as f64 - mean * mean).max(0.0);
            (mean, (variance / n as f64).sqrt())
        };
        let helps: Vec<[(f64, f64); COMPANIES]> =
            (0..features).map(|j| std::array::from_fn(|company| help(j, company))).collect();
        let most = helps.iter().flatten().map(|(mean, _)| *mean).fold(explained, f64::max);
        let stays = |&(mean, error): &(f64, f64)| {
            mean >= CONSIDERABLE * most || mean >= CERTAIN * error && mean >= NEGLIGIBLE * most
        };
        let noise = |j: &usize| !helps[*j].iter().any(stays);
        let noise: Vec<usize> = (0..features).filter(noise).collect();
        let nothing = explained <= 0.0 || noise.len() == features;
        Ok(if nothing { Vec::new() } else { noise })
    }

    /// The gain of all features, summed over the rows, and the help of each in either company.
    fn help<G: Generator>(
        &self,
        network: &Network<G>,
        part: &Part<'_>,
        positions: &[usize],
        stream_of: impl Fn(usize) -> u64,
        times: usize,
    ) -> Result<(f64, Vec<[Help; COMPANIES]>)> {
        let rows: Vec<usize> = positions.iter().map(|&position| part.rows[position]).collect();
        let batch = self.representation.batch(part.samples, &rows, &self.device.clone().inner());
        let features = batch.features();
        let losses = |batch: &Batch, kept| self.losses(network, part, positions, batch, kept);
        let none = losses(&batch, vec![0.0; batch.available.len()])?;
        let all = losses(&batch, batch.available.clone())?;
        let explained = none.iter().zip(&all).map(|(none, all)| none - all).sum();
        // The rise of the loss with another row's value of each feature, over all times:
        // [feature][company][row]
        let mut rises = vec![[(); COMPANIES].map(|()| vec![0.0; positions.len()]); features];
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
        positions: &[usize],
        batch: &Batch,
        kept: Vec<f32>,
    ) -> Result<Vec<f64>> {
        let kept = subsets::tensor(kept, batch.features(), &batch.z.device());
        let scores = network.evidence_scores(batch, &kept, &mut Dropout::off())?;
        let (factor, offset) = self.objective.units();
        let scores: Vec<f64> =
            scores.into_data().iter::<f64>().map(|s| s * factor + offset).collect();
        let rows = scores.chunks_exact(self.objective.outputs()).zip(positions);
        Ok(rows.map(|(scores, &at)| self.objective.loss(scores, &part.targets, at)).collect())
    }
}
