//! The worth of the features that a method named, by the judge.

use super::methods::{JudgedMethod, Picks};
use super::result::{JudgedK, JudgedResult};
use super::sets::{JudgedData, precision_and_recall};
use crate::machine;
use ngsll::Judge;
use ngsll::error::Result;
use ngsll::trust::share;
use std::collections::{BTreeMap, BTreeSet};

/// The features that a method named on a data set: with one K or, if K depends on the row, with each.
pub(super) struct Named {
    pub(super) method: JudgedMethod,
    pub(super) k: JudgedK,
    pub(super) picks: Vec<(usize, Picks)>,
}

/// A judge at work on a data set.
pub(super) struct Judging<'a> {
    judge: &'a Judge,
    prepared: &'a JudgedData,
    /// The relevant features of each sample, if known.
    relevant: Option<Vec<BTreeSet<usize>>>,
    /// The judge's accuracy from all features.
    all: f64,
}

impl<'a> Judging<'a> {
    pub(super) fn new(judge: &'a Judge, prepared: &'a JudgedData) -> Result<Self> {
        let features = judge.representation();
        let encoded = features.encode(prepared.judged.samples())?;
        let all: Vec<Vec<usize>> =
            (0..encoded.len()).map(|row| features.listed(&encoded, row)).collect();
        let all = accuracy(judge, prepared, &all)?;
        Ok(Self { judge, prepared, relevant: prepared.relevant(features), all })
    }

    /// All figures of a method with one K.
    pub(super) fn result(&self, named: &Named) -> Result<JudgedResult> {
        let judged = &self.prepared.judged;
        // The K of each row, and the picks with that K.
        let k_of = |row: usize| match (named.k, &self.relevant) {
            (JudgedK::Relevant, Some(relevant)) => relevant[row].len(),
            _ => named.picks.first().map_or(0, |(k, _)| *k),
        };
        let mut rows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        (0..judged.len()).for_each(|row| rows_of.entry(k_of(row)).or_default().push(row));
        let mut chosen = vec![Vec::new(); judged.len()];
        let (mut right, mut contests) = (Vec::new(), Vec::new());
        for (k, rows) in &rows_of {
            let Some((_, picks)) = named.picks.iter().find(|(own, _)| own == k) else { continue };
            let kept: Vec<Vec<usize>> = rows.iter().map(|&r| picks.features[r].clone()).collect();
            contests.extend(self.judge.contests(&judged.select(rows), &kept, *k)?);
            right.extend(picks.right.iter().flat_map(|right| rows.iter().map(|&row| right[row])));
            rows.iter().zip(kept).for_each(|(&row, kept)| chosen[row] = kept);
        }
        let judge_accuracy = accuracy(self.judge, self.prepared, &chosen)?;
        let own_accuracy = share(right);
        let gap = own_accuracy.filter(|_| named.method.predicts_from_features());
        let planted = self.relevant.as_ref().map(|r| precision_and_recall(&chosen, r));
        let mean = |of: fn(&Picks) -> f64| {
            let sum: f64 = named.picks.iter().map(|(_, picks)| of(picks)).sum();
            sum / named.picks.len().max(1) as f64
        };
        Ok(JudgedResult {
            dataset: self.prepared.set.name(),
            method: named.method.name().to_string(),
            k: named.k,
            seed: self.prepared.seed,
            samples: judged.len(),
            own_accuracy,
            judge_accuracy,
            judge_accuracy_all: self.all,
            encoding_gap: gap.map(|own| own - judge_accuracy),
            contest_rate: share(contests.into_iter().flatten()),
            precision: planted.map(|(precision, _)| precision),
            recall: planted.map(|(_, recall)| recall),
            ms_per_explanation: mean(|picks| picks.milliseconds),
            seconds_since_job_start: mean(|picks| picks.seconds_since_job_start),
            version: machine::version(),
            machine: machine::describe(),
        })
    }
}

fn accuracy(judge: &Judge, prepared: &JudgedData, kept: &[Vec<usize>]) -> Result<f64> {
    Ok(judge.quality(&prepared.judged, kept)?.accuracy.unwrap_or(f64::NAN))
}
