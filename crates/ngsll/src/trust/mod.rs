//! Can the terms be trusted? Figures from an independent [`Judge`], for any model.
//!
//! Every figure is measured on labelled samples that training has not seen, and has one sentence that
//! explains it ([`Trust::sentences`]).

mod changes;
mod sentences;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::explanation::Explanation;
use crate::generator::Generator;
use crate::judge::Judge;
use crate::metrics::Quality;
use crate::model::Model;
use crate::random::{Purpose, stream};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

pub use sentences::Sentence;

/// Figures about the terms of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trust {
    /// The origin of the samples, such as the name of a file, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<String>,
    /// Samples that were read.
    pub samples: usize,
    /// Features of each explanation.
    pub k: usize,
    /// The model's own predictions.
    pub own: Quality,
    /// The judge's, from the K chosen features alone.
    pub chosen: Quality,
    /// The judge's, from K random features.
    pub random: Quality,
    /// The judge's, from all features.
    pub all: Quality,
    /// The judge's, from all features but the chosen ones.
    pub removed: Quality,
    /// The model's own figure minus that of the judge from the chosen features.
    pub encoding_gap: Option<f64>,
    /// Share of samples in which K other features lead the judge to another class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest_rate: Option<f64>,
    /// The accuracy of slopes as predictions of the effect of moving a number.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub what_if: Vec<WhatIf>,
    /// The agreement of terms with the effect of removing their feature.
    pub removal: Removal,
    /// Share of the chosen features that are chosen again when the sample is changed slightly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// Share of the chosen features that the judge, which learned from another seed, chooses by the same
    /// rule; models whose predictions are made from chosen features only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed_stability: Option<f64>,
}

/// The accuracy of slope · δ as a prediction of the change of the score when a chosen number is moved by δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WhatIf {
    /// δ in standard deviations of the column, up and down.
    pub spread: f64,
    /// Share of the changes' variance that is predicted.
    pub r2: Option<f64>,
    /// Share of changes whose direction is predicted correctly.
    pub sign: Option<f64>,
}

/// The agreement of a term with the effect of removing its feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Removal {
    /// Spearman's rank correlation between terms and effects within a sample, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_correlation: Option<f64>,
    /// Share of terms with the sign of the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<f64>,
    /// Share of samples whose most influential feature is among the chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_influential: Option<f64>,
}

/// The most samples that are read, and the most of which features are changed one by one.
const SAMPLES: usize = 2000;
const CHANGED: usize = 300;

impl Trust {
    /// Measures the terms of a model with K = `k`, the model's own if absent, on at most 2,000 samples.
    pub fn measure<G: Generator>(
        model: &Model<G>,
        judge: &Judge,
        data: &Dataset,
        k: Option<usize>,
    ) -> Result<Self> {
        let k = model.check_k(k)?;
        if data.is_empty() {
            return Err(Error::setting("samples", "none", "at least one to measure terms of"));
        }
        let objective = model.objective();
        let data = data.thinned(SAMPLES, &mut stream(model.config().seed, Purpose::Sample, 0, 2));
        let targets = objective.targets(&data)?;
        let (scored, explanations) = model.score_and_explain(data.samples(), Some(k))?;
        let encoded = judge.encode(data.samples())?;
        let known = judge.features_of(model);
        let chosen: Vec<Vec<usize>> = explanations.iter().map(|e| features(e, &known)).collect();
        let available: Vec<Vec<usize>> =
            (0..data.len()).map(|row| judge.available(&encoded, row)).collect();
        let rest = |(all, own): (&Vec<usize>, &Vec<usize>)| -> Vec<usize> {
            all.iter().copied().filter(|j| !own.contains(j)).collect()
        };
        let rest: Vec<Vec<usize>> = available.iter().zip(&chosen).map(rest).collect();
        let mut rng = stream(model.config().seed, Purpose::Sample, 0, 1);
        let draw = |(all, own): (&Vec<usize>, &Vec<usize>)| -> Vec<usize> {
            let mut all = all.clone();
            all.shuffle(&mut rng);
            all.truncate(own.len());
            all
        };
        let random: Vec<Vec<usize>> = available.iter().zip(&chosen).map(draw).collect();
        let worth = |kept: &[Vec<usize>]| -> Result<Quality> {
            Ok(Quality::of(objective, &judge.scores(&encoded, kept)?, &targets))
        };
        let own = Quality::of(objective, &scored.scores, &targets);
        let worth_of_chosen = worth(&chosen)?;
        let classes: Vec<usize> = scored.scores.iter().map(|s| objective.class(s)).collect();
        let contest_rate = if objective.classes().is_empty() {
            None
        } else {
            let contested = judge.contested(&encoded, &chosen, k, &classes)?;
            share(contested.into_iter().flatten())
        };
        let few: Vec<usize> = (0..data.len().min(CHANGED)).collect();
        let changes = changes::measure(model, &data.select(&few), &explanations[..few.len()], k)?;
        Ok(Self {
            data: None,
            samples: data.len(),
            k,
            encoding_gap: own.main().zip(worth_of_chosen.main()).map(|(own, worth)| own - worth),
            own,
            chosen: worth_of_chosen,
            random: worth(&random)?,
            all: worth(&available)?,
            removed: worth(&rest)?,
            contest_rate,
            what_if: changes.what_if,
            removal: changes.removal,
            stability: changes.stability,
            seed_stability: match model.sees_chosen_only() {
                true => seed_stability(model, judge, &data.select(&few), &chosen[..few.len()], k)?,
                false => None,
            },
        })
    }

    /// Adds the origin of the samples.
    pub fn with_data(self, name: impl Into<String>) -> Self {
        Self { data: Some(name.into()), ..self }
    }

    /// Puts these figures among those measured before, replacing those for the same K.
    pub(crate) fn keep_in(self, measured: &mut Vec<Self>) {
        match measured.binary_search_by_key(&self.k, |other| other.k) {
            Ok(at) => measured[at] = self,
            Err(at) => measured.insert(at, self),
        }
    }
}

/// The share of the chosen features that the judge would choose, too: it learned the same from other random
/// numbers.
fn seed_stability<G: Generator>(
    model: &Model<G>,
    judge: &Judge,
    data: &Dataset,
    chosen: &[Vec<usize>],
    k: usize,
) -> Result<Option<f64>> {
    let encoded = judge.encode(data.samples())?;
    let choices = judge.choices(&encoded, k, model.choice())?;
    Ok(choices.and_then(|choices| {
        let again = |(own, other): (&Vec<usize>, Vec<usize>)| -> Vec<bool> {
            own.iter().map(|j| other.contains(j)).collect()
        };
        share(chosen.iter().zip(choices).flat_map(again))
    }))
}

/// The features that an explanation names for any of its scores, by the judge's numbers.
fn features(explanation: &Explanation, known: &[Option<usize>]) -> Vec<usize> {
    let terms = explanation.outputs.iter().flat_map(|output| &output.terms);
    let mut all: Vec<usize> = terms.filter_map(|term| known[term.feature]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The share of `true`; `None` without any.
#[doc(hidden)]
pub fn share(values: impl IntoIterator<Item = bool>) -> Option<f64> {
    let (mut n, mut count) = (0_usize, 0_usize);
    for value in values {
        n += 1;
        count += usize::from(value);
    }
    (n > 0).then(|| count as f64 / n as f64)
}
