//! The methods that are compared. A new one is a file here and a line in [`all`].

mod ame;
mod dense;
mod dnn;
mod forest;
mod linear;
mod measure;
mod network;
mod ngsll;
mod selection;

use crate::budget::Budget;
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ::ngsll::Predictor;
use ::ngsll::error::{Error, Result};

pub(crate) use forest::{dense_z, fit as fit_forest};
pub use measure::accuracy;

/// A method that learns from a problem and is then measured.
pub trait Method: Sync {
    /// As the user writes it, and as results name it.
    fn name(&self) -> &'static str;

    /// As tables name it.
    fn title(&self) -> &'static str;

    /// Whether the method is for this data set.
    fn runs_on(&self, dataset: Dataset) -> bool;

    /// Whether it is one linear model for all samples, which lies far below the others at small K.
    fn is_linear(&self) -> bool {
        false
    }

    /// Those K, of the ones asked for, that it has a result of its own for; more where it always shows one.
    fn ks(&self, asked: &[K]) -> Vec<K>;

    /// Whether the model of this K is kept, to be drawn and timed.
    fn keeps_model(&self, _: K) -> bool {
        false
    }

    /// The most seeds it is run with.
    fn most_seeds(&self, _: &Budget, _: Dataset) -> u64 {
        u64::MAX
    }

    /// All that its results depend on besides data, seed and K: an old result with another one is not used.
    fn configuration(&self, problem: &Problem<'_>) -> Result<String>;

    /// How many full trainings of a network the results for these K take; only to guess the time left.
    fn trainings(&self, problem: &Problem<'_>, ks: &[K]) -> f64;

    /// Learns and measures; every result is handed to `done` as soon as it is there.
    fn run(
        &self,
        problem: &Problem<'_>,
        ks: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()>;
}

/// Takes what a method found.
pub type Done<'a> = dyn FnMut(Found) -> Result<()> + 'a;

/// What a method found for one K.
#[derive(Debug)]
pub struct Found {
    /// K.
    pub k: K,
    /// Share of the test samples whose class was found.
    pub test: f64,
    /// The same of the validation samples.
    pub valid: f64,
    /// What was chosen, in short: `L=1 U=128 epochs=10`.
    pub configuration: String,
    /// The model, for methods whose weights are drawn and whose explanations are timed.
    pub predictor: Option<Predictor>,
}

/// All methods, in the order of the tables.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(ngsll::DEFAULT),
        Box::new(ngsll::SENTENCE),
        Box::new(ngsll::PAPER),
        Box::new(dense::DEFAULT),
        Box::new(dense::SENTENCE),
        Box::new(dense::PAPER),
        Box::new(linear::RIDGE),
        Box::new(linear::LASSO),
        Box::new(linear::RIDGE_REFITTED),
        Box::new(linear::LASSO_REFITTED),
        Box::new(ame::PLAIN),
        Box::new(ame::GRANGER),
        Box::new(forest::RandomForest),
        Box::new(dnn::Dnn),
    ]
}

/// Those K, and all features.
fn and_all(asked: &[K]) -> Vec<K> {
    let mut ks = asked.to_vec();
    if !ks.contains(&K::All) {
        ks.push(K::All);
    }
    ks
}

/// The names of all methods.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|method| method.name()).collect()
}

/// Refuses a name that no method has, and a method that is for none of these data sets.
pub fn check(asked: &[String], datasets: &[Dataset]) -> Result<()> {
    let all = all();
    for name in asked {
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

/// The options of all networks that are trained on a problem.
#[cfg(test)]
pub(crate) fn networks(problem: &Problem<'_>) -> Vec<::ngsll::Config> {
    let mut configs = dnn::candidates(problem).unwrap();
    configs.extend([ngsll::DEFAULT, ngsll::SENTENCE, ngsll::PAPER].map(|n| n.config(problem)));
    configs
}
