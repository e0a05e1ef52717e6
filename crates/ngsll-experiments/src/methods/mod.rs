//! The compared methods. A new one is a file here and a line in [`all`].

mod accuracy;
mod ame;
mod dnn;
mod forest;
mod linear;
mod ngsll;
mod selection;

use crate::budget::Budget;
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ::ngsll::Model;
use ::ngsll::error::{Error, Result};
use ngsll_jobs::JobProgress;

use accuracy::accuracy;
pub(crate) use forest::{dense_z, fit as fit_forest};

/// A method that is trained on a split and then evaluated.
pub(crate) trait Method: Sync {
    /// Its name in options and results: `ngsll-paper`.
    fn name(&self) -> &'static str;

    /// Its name in tables: `NGSLL, preset paper`.
    fn title(&self) -> &'static str;

    /// Whether it is applicable to this data set.
    fn runs_on(&self, dataset: PaperDataset) -> bool;

    /// Whether it is one linear model for all samples; those are far less accurate at small K.
    fn is_linear(&self) -> bool {
        false
    }

    /// The K it computes results for, given the requested ones. By default its result does not depend
    /// on K, and there is only one.
    fn ks(&self, _: &[K]) -> Vec<K> {
        vec![K::All]
    }

    /// Whether the model of this K is saved, to be drawn and timed.
    fn keeps_model(&self, _: K) -> bool {
        false
    }

    /// The largest number of seeds it is run with.
    fn max_seeds(&self, _: &Budget, _: PaperDataset) -> u64 {
        u64::MAX
    }

    /// Everything its results depend on besides data, seed and K; part of their fingerprint.
    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String>;

    /// The number of full trainings of a network that the results for these K take; only used to
    /// estimate the time left.
    fn trainings(&self, split: &SeededSplit<'_>, ks: &[K]) -> f64;

    /// Trains and evaluates; calls `done` with every result as soon as it exists.
    fn run(
        &self,
        split: &SeededSplit<'_>,
        ks: &[K],
        progress: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()>;
}

/// Receives the results of a method.
pub(crate) type Done<'a> = dyn FnMut(Outcome) -> Result<()> + 'a;

/// The result of a method for one K.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) k: K,
    /// The share of test samples classified correctly.
    pub(crate) test: f64,
    /// The share of validation samples classified correctly.
    pub(crate) valid: f64,
    /// A summary of what was selected: `L=1 U=128 epochs=10`.
    pub(crate) configuration: String,
    /// The model, for methods whose weights are drawn and whose explanations are timed.
    pub(crate) model: Option<Model>,
}

/// All methods, in the order of the tables.
pub(crate) fn all() -> Vec<Box<dyn Method>> {
    fn boxed<M: Method + 'static>(methods: impl IntoIterator<Item = M>) -> Vec<Box<dyn Method>> {
        methods.into_iter().map(|method| Box::new(method) as Box<dyn Method>).collect()
    }
    let mut all = boxed(ngsll::VARIANTS);
    all.extend(boxed(linear::VARIANTS));
    all.extend(boxed(ame::VARIANTS));
    all.extend(boxed([forest::RandomForest]));
    all.extend(boxed([dnn::Dnn]));
    all
}

/// The numbers among the requested K.
fn without_all(requested: &[K]) -> Vec<K> {
    requested.iter().copied().filter(|k| *k != K::All).collect()
}

/// The requested K and K = all.
fn with_all(requested: &[K]) -> Vec<K> {
    let mut ks = requested.to_vec();
    if !ks.contains(&K::All) {
        ks.push(K::All);
    }
    ks
}

/// The names of all methods, as [`Request::methods`](crate::Request::methods) takes them.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|method| method.name()).collect()
}

/// Rejects unknown names, and methods that are applicable to none of these data sets.
pub(crate) fn check(requested: &[String], datasets: &[PaperDataset]) -> Result<()> {
    let all = all();
    for name in requested {
        let Some(method) = all.iter().find(|method| method.name() == name) else {
            let expected = format!("expected some of {}", names().join(","));
            return Err(Error::setting("methods", name, expected));
        };
        if !datasets.iter().any(|dataset| method.runs_on(*dataset)) {
            let titles: Vec<&str> = datasets.iter().map(|dataset| dataset.title()).collect();
            let expected = format!("the method is not for {}", titles.join(", "));
            return Err(Error::setting("methods", name, expected));
        }
    }
    Ok(())
}

/// The configurations of all networks that are trained on a split.
#[cfg(test)]
pub(crate) fn networks(split: &SeededSplit<'_>) -> Vec<::ngsll::Config> {
    let mut configs = dnn::candidates(split).unwrap();
    configs.extend(ngsll::VARIANTS.map(|variant| variant.config(split)));
    configs
}
