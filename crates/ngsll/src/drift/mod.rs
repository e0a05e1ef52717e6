//! Whether new samples look like those of training: counts over the training data, and shifts since.
//!
//! A [`DataSummary`] is kept in the model folder. It holds counts and nothing about any single sample: for each
//! column of a table how many rows were in each tenth of the numbers or had each of the frequent levels, for each
//! frequent word in how many texts it was, for each cell of an image how many images had how much ink, and how
//! often each feature was chosen on validation samples. [`DataSummary::drift`] counts new samples in the same
//! bins and measures the difference by the population stability index, Σ (q − p) ln(q / p) over the bins.

mod counting;
mod distribution;
mod shift;

pub use distribution::{Bins, Distribution, Variable};
pub use shift::Shift;

use crate::dataset::{Dataset, Samples};
use crate::error::Result;
use crate::generator::Generator;
use crate::model::Model;
use counting::Counted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most samples that are counted, and explained.
const SAMPLES: usize = 20_000;
const EXPLAINED: usize = 500;
/// Features whose frequency among the chosen is kept.
const TERMS: usize = 200;
/// With fewer new samples, differences are due to chance.
const FEWEST: usize = 30;
/// The share of new explanations that must name a feature never chosen before for it to be reported.
const NEW_TERM: f64 = 0.02;

/// Counts over the training data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataSummary {
    /// Training samples that were counted.
    pub rows: usize,
    /// The columns, words or cells.
    pub distributions: Vec<Distribution>,
    /// The K of the explanations.
    pub k: usize,
    /// Validation samples that were explained.
    pub explained: usize,
    /// The number of their explanations that named each feature.
    pub chosen: BTreeMap<String, u64>,
}

/// Distribution shifts since training.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// New samples that were counted.
    pub rows: usize,
    /// New samples that were explained.
    pub explained: usize,
    /// The shifts, the largest first; empty for [too few](Self::is_too_few) samples.
    pub findings: Vec<Shift>,
}

impl Drift {
    /// Whether the new samples are too few to tell.
    pub fn is_too_few(&self) -> bool {
        self.rows < FEWEST
    }
}

impl DataSummary {
    /// Counts the given rows of the training samples, and the features that are chosen on the given rows of the
    /// validation samples; `None` if the options leave the summary out.
    pub fn of<G: Generator>(
        model: &Model<G>,
        (data, train): (&Dataset, &[usize]),
        (valid_data, valid): (&Dataset, &[usize]),
    ) -> Result<Option<Self>> {
        if !model.config().data.summary {
            return Ok(None);
        }
        let data = data.select(&spread(train, SAMPLES));
        let distributions = counting::fitted(model.representation(), data.samples())?;
        let valid = valid_data.select(&spread(valid, EXPLAINED));
        let k = model.k();
        let mut chosen: Vec<(String, u64)> =
            chosen(model, valid.samples(), k)?.into_iter().collect();
        chosen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        chosen.truncate(TERMS);
        let (rows, explained) = (data.len(), valid.len());
        Ok(Some(Self { rows, distributions, k, explained, chosen: chosen.into_iter().collect() }))
    }

    /// Distribution shifts between training and these samples: an even selection of at most twenty thousand, of which
    /// up to five hundred are explained. Fewer than thirty are too few to tell, and nothing is reported.
    pub fn drift<G: Generator>(&self, model: &Model<G>, samples: &Dataset) -> Result<Drift> {
        let all: Vec<usize> = (0..samples.len()).collect();
        let data = samples.select(&spread(&all, SAMPLES));
        let few = samples.select(&spread(&all, EXPLAINED));
        let (rows, explained) = (data.len(), few.len());
        if rows < FEWEST {
            return Ok(Drift { rows, explained, findings: Vec::new() });
        }
        let counted = Counted::of(model.representation(), data.samples())?;
        let now = self.distributions.iter().map(|before| (before, counted.counts(before)));
        let mut findings: Vec<Shift> =
            now.filter_map(|(before, now)| Shift::of(before, &now)).collect();
        let chosen = chosen(model, few.samples(), self.k)?;
        findings.extend(self.terms(&chosen, explained as u64));
        findings.sort_by(|a, b| b.psi.total_cmp(&a.psi));
        Ok(Drift { rows, explained, findings })
    }

    /// Features that are chosen more often, or more rarely, than on the validation samples.
    fn terms(&self, now: &BTreeMap<String, u64>, explained: u64) -> Vec<Shift> {
        let new = now.iter().filter(|(name, count)| {
            !self.chosen.contains_key(*name) && **count as f64 >= NEW_TERM * explained as f64
        });
        let names = self.chosen.keys().chain(new.map(|(name, _)| name));
        let named = |counts: &BTreeMap<String, u64>, name: &String, of: u64| {
            let count = counts.get(name).copied().unwrap_or(0);
            vec![of - count.min(of), count]
        };
        let finding = |name: &String| {
            let counts = named(&self.chosen, name, self.explained as u64);
            let of = Variable::Term(name.clone());
            Shift::of(
                &Distribution { of, bins: Bins::Occurs, counts },
                &named(now, name, explained),
            )
        };
        names.filter_map(finding).collect()
    }
}

/// At most `most` of the rows, evenly spread.
fn spread(rows: &[usize], most: usize) -> Vec<usize> {
    let n = rows.len().min(most);
    (0..n).map(|i| rows[i * rows.len() / n]).collect()
}

/// The number of explanations that name each feature; levels count as their column.
fn chosen<G: Generator>(
    model: &Model<G>,
    samples: &Samples,
    k: usize,
) -> Result<BTreeMap<String, u64>> {
    let representation = model.representation();
    let mut counts = BTreeMap::new();
    if samples.is_empty() {
        return Ok(counts);
    }
    let k = k.min(model.largest_k());
    for features in model.chosen_features(&representation.encode(samples)?, k)? {
        let mut names: Vec<String> =
            features.iter().map(|&feature| representation.owner_name(feature)).collect();
        names.sort();
        names.dedup();
        names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests;
